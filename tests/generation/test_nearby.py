"""Looking for a model never holds up a start."""

import asyncio

import anyio
import pytest

from generation.nearby import nearby_ollama
from tests import clock


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


async def test_a_server_that_does_not_answer_is_left_after_a_second() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        start = anyio.current_time()
        found = await nearby_ollama(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        assert anyio.current_time() - start == pytest.approx(1)
    assert found.model is None
    assert "did not answer in time" in found.why
