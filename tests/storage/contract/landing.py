"""How a test lets changes land."""

from companions.changes import AnyChange, Outcome
from storage.apply import apply_all
from storage.connection import Store


async def land(store: Store, *changes: AnyChange) -> list[Outcome]:
    return await store.transact(lambda db: apply_all(db, changes))
