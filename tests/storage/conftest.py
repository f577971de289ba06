"""A store of each kind: the same tests run over every one of them.

With ``FIRESIDE_TEST_ENCRYPTED=1`` in the environment they run over encrypted ones.
"""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from storage.connection import Store, inline, opened
from storage.engine import forget, unlock
from tests.storage.fresh import placed

ENCRYPTED = os.environ.get("FIRESIDE_TEST_ENCRYPTED") == "1"


@pytest.fixture(params=["thread", "inline"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store, on the database's thread and in the calling one."""
    path = tmp_path / "data" / "fireside.sqlite3"
    if ENCRYPTED:
        unlock(path.parent, bytes(range(32)))
    placed(path)
    if request.param == "thread":
        async with opened(path, now=lambda: 0) as found:
            yield found
    else:
        with inline(path) as found:
            yield found
    forget(path.parent)
