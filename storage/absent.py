"""A store that cannot be used: every transaction and every question is refused with the reason, nothing is touched.

So the server starts and talks also beside a file that a newer version wrote, or that is damaged, and says so.
"""

import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TypeVar

from storage.connection import Durability, Store, opened
from storage.refusals import RefusalCode, StoreRefused

T = TypeVar("T")


class AbsentStore:
    """Refuses with ``code``."""

    def __init__(self, code: RefusalCode, detail: str) -> None:
        self.code: RefusalCode = code
        self.detail = detail

    async def transact(self, fn: Callable[[sqlite3.Connection], T]) -> T:  # noqa: ARG002 - the seam's shape
        """Refused."""
        raise StoreRefused(self.code, self.detail)

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:  # noqa: ARG002 - the seam's shape
        """Refused."""
        raise StoreRefused(self.code, self.detail)

    async def tend(self, fn: Callable[[sqlite3.Connection], T]) -> T:  # noqa: ARG002 - the seam's shape
        """Refused."""
        raise StoreRefused(self.code, self.detail)


@asynccontextmanager
async def opened_or_absent(path: Path, durability: Durability) -> AsyncGenerator[Store]:
    """The store at ``path``, or one that says why it cannot be used; the file is left as it is then."""
    async with AsyncExitStack() as stack:
        try:
            store: Store = await stack.enter_async_context(opened(path, durability))
        except StoreRefused as refused:
            store = AbsentStore(refused.code, refused.detail)
        yield store
