"""A store of each kind: the same tests run over every one of them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from storage.connection import Store, inline, opened


@pytest.fixture(params=["thread", "inline"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store, on the database's thread and in the calling one."""
    path = tmp_path / "data" / "fireside.sqlite3"
    if request.param == "thread":
        async with opened(path, now=lambda: 0) as found:
            yield found
    else:
        with inline(path) as found:
            yield found
