"""What crashes again and again is begun again, and told ever more rarely, on a clock that jumps."""

from typing import Any

import pytest
import structlog

from actors.runtime import kept_running
from tests.clock import virtual_time


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:  # Any: anyio's own type for backend options
    return virtual_time()


async def test_what_fails_again_and_again_is_told_ever_more_rarely() -> None:
    failed = 0

    async def fails() -> None:
        nonlocal failed
        failed += 1
        if failed <= 100:
            raise RuntimeError("again")

    with structlog.testing.capture_logs() as logs:
        await kept_running(fails, name="unlucky")
    assert failed == 101
    assert [line["failures"] for line in logs] == [1, 2, 4, 8, 16, 32, 64]
