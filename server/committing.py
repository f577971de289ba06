"""The writer's commits: what is said reaches the store in one transaction a batch, and a refusal is a value."""

from collections.abc import Callable, Sequence

import anyio
import structlog

from actors.writer import Commit, Refusing
from companions.changes import AnyChange, Outcome
from storage.apply import apply_groups
from storage.connection import Store
from storage.refusals import StoreRefused

log: structlog.stdlib.BoundLogger = structlog.get_logger("server")


def committing(
    store: Store, landed: Callable[[Sequence[tuple[AnyChange, ...]]], None] = lambda _: None
) -> Commit:
    """The writer's commit over ``store``: a batch is one transaction; a store that refuses says so for each.

    ``landed`` is told what landed.
    """

    async def commit(groups: Sequence[tuple[AnyChange, ...]]) -> Sequence[Outcome] | Refusing:
        result: Sequence[Outcome] | Refusing = []
        # A cancelled waiter does not cancel the statement: wait for its end.
        with anyio.CancelScope(shield=True):
            try:
                result = await store.transact(lambda db: apply_groups(db, groups))
                landed(groups)
            except StoreRefused as refused:
                log.warning("store.refused", code=refused.code, detail=refused.detail, groups=len(groups))
                result = Refusing(refused.code)
        return result

    return commit
