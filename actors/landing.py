"""Waiting for changes to land: the outcome, once it is certain."""

from collections.abc import Callable

import anyio

from actors.runtime import Address, Closed
from actors.writer import Write
from companions.changes import AnyChange, Deferred, Outcome, Refused


async def land(
    writer: Address[Write], changes: tuple[AnyChange, ...], late: Callable[[], None] = lambda: None
) -> Outcome:
    """Land ``changes`` together. What has to wait for the store is refused for now; ``late`` is called if it lands."""
    landed = anyio.Event()
    outcomes: list[Outcome] = []

    def reply(outcome: Outcome) -> None:
        if outcomes and not isinstance(outcome, Deferred | Refused):
            late()
        outcomes.append(Refused(outcome.code) if isinstance(outcome, Deferred) else outcome)
        landed.set()

    try:
        await writer.send(Write(changes, reply))
    except Closed:
        return Refused("storage.busy")
    await landed.wait()
    return outcomes[0]
