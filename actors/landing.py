"""Waiting for changes to land: the outcome, once it is certain."""

import anyio

from actors.runtime import Address, Closed
from actors.writer import Write
from companions.changes import AnyChange, Deferred, Outcome, Refused


async def land(writer: Address[Write], changes: tuple[AnyChange, ...]) -> Outcome:
    """Land ``changes`` together. What has to wait for the store is refused for now; it may land later."""
    landed = anyio.Event()
    outcomes: list[Outcome] = []

    def reply(outcome: Outcome) -> None:
        outcomes.append(Refused(outcome.code) if isinstance(outcome, Deferred) else outcome)
        landed.set()

    try:
        await writer.send(Write(changes, reply))
    except Closed:
        return Refused("storage.busy")
    await landed.wait()
    return outcomes[0]
