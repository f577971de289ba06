"""The model server is what the other tests stand on: it says the same twice, and sees what a client does."""

import asyncio
import sys
from pathlib import Path

import anyio
import httpx
import pytest

from loadtest.model_script import TEXT, Script, tokens_of
from loadtest.model_server import model_server
from tests import clock

ROOT = Path(__file__).parents[2]


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


async def post(url: str, path: str = "/v1/chat/completions") -> bytes:
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        return (await client.post(url + path, json={"model": "m", "messages": []})).content


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/api/chat", "/v1/messages"])
async def test_it_says_the_same_twice(path: str) -> None:
    async with model_server() as server:
        assert await post(server.url, path) == await post(server.url, path)


async def test_it_keeps_its_pace() -> None:
    async with model_server(Script(tokens=101, first_token=0.5, tokens_per_second=50)) as server:
        start = anyio.current_time()
        await post(server.url)
        assert anyio.current_time() - start == pytest.approx(0.5 + 100 / 50, abs=0.1)


async def test_it_records_what_it_was_sent() -> None:
    async with model_server() as server:
        await post(server.url)
        request = server.requests[0]
        assert request.json() == {"model": "m", "messages": []}
        assert request.headers["content-type"] == "application/json"
        assert not request.closed_early
        assert server.streaming == 0


async def test_it_sees_a_client_leave() -> None:
    async with model_server(Script(tokens_per_second=1)) as server:
        with anyio.move_on_after(3):
            await post(server.url)
        await server.requests[0].ended.wait()
        assert server.requests[0].closed_early


async def test_what_it_holds_back_comes_when_it_is_told_to_go_on_and_not_before() -> None:
    async with model_server(Script(text="One two three.", hold_after=2)) as server:
        whole: list[bytes] = []

        async def ask() -> None:
            whole.append(await post(server.url))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            request = await server.asked()
            await anyio.sleep(30)  # nothing else happens: the clock jumps
            assert (whole, server.streaming) == ([], 1)
            request.go_on()
        assert b"three." in whole[0]


def test_tokens_are_the_text() -> None:
    assert "".join(tokens_of(TEXT, None)) == TEXT
    assert len(tokens_of(TEXT, 500)) == 500
    assert tokens_of("", 5) == []


async def serving_line() -> tuple[asyncio.subprocess.Process, str]:
    command = ("-m", "loadtest.model_server", "--port", "0", "--tokens", "3", "--tokens-per-second", "1000")
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    return process, (await process.stdout.readline()).decode().strip()


def test_it_runs_on_its_own() -> None:
    async def main() -> bytes:
        process, line = await serving_line()
        try:
            return await post(line.removeprefix("openai:test-model@"), "/chat/completions")
        finally:
            process.terminate()
            await process.wait()

    assert asyncio.run(main()).endswith(b"data: [DONE]\n\n")
