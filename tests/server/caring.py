"""Those who hold a grant, with their tokens."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from companions.consenting import Basis
from loadtest.client import Talker, connected
from server.app import STORE_FILE
from storage.connection import inline, transacted
from storage.grants import Grant, GrantedRole, digest_of, give
from tests.storage.fresh import placed


def token(
    folder: Path,
    name: str = "Maria",
    *,
    user: str = "ann",
    companion: str = "",
    role: GrantedRole = "caregiver",
    basis: Basis | None = "legal_representative",
) -> str:
    """The token of a grant that is given before the server starts."""
    shown = f"token of {name}, {role}"
    own = basis if role == "caregiver" else None
    grant = Grant(id=f"grt_{name}_{role}", name=name, role=role, user=user, companion=companion, basis=own)
    folder.mkdir(parents=True, exist_ok=True)
    with inline(placed(folder / STORE_FILE)) as store:
        transacted(store.db, lambda db: give(db, grant, digest=digest_of(shown), at=1))
    return shown


@asynccontextmanager
async def caring(url: str, shown: str, *, companion: str = "clara") -> AsyncGenerator[Talker]:
    """A connection of who holds ``shown``."""
    async with connected(url) as carer:
        welcome = await carer.hello(companion=companion, token=shown)
        assert welcome.role in ("caregiver", "safeguarding")
        yield carer
