"""A fault of ours in one command ends neither the session nor what else goes on in it.

A command that left the session as it was is answered with ``server.failed`` and may come again. Where it had begun to
change the session, what is held in memory cannot be trusted any more: the session ends here, as in a drain, and its
client comes back to what is stored. The log names the place in the code, never what was said.
"""

from typing import TYPE_CHECKING

import structlog

from actors.mail import Attach
from actors.owed import tell_owed
from companions.state import State
from protocol.catalogue import AnyCommand
from protocol.errors import CloseCode
from protocol.talk_frames import MessageSend, ResponseRegenerate

if TYPE_CHECKING:
    from actors.session import Session

log: structlog.stdlib.BoundLogger = structlog.get_logger("session")


async def answered(session: "Session", command: AnyCommand) -> None:
    """Do a command, and answer it also where it fails."""
    before = session.state
    try:
        if isinstance(command, MessageSend | ResponseRegenerate):
            await session.services.warmed()  # or its reader would be made here, while nobody else is served
            await session.memory.read_on()
        await session.commands.handle(command)
    except Exception as error:
        ref = session.services.new_ref()
        log.exception("command.failed", command=type(command).__name__, ref=ref, error=type(error).__name__)
        await session.commands.failed(command.id, ref)
        if _moved(before, session.state):
            await session.leave()


def _moved(before: State, now: State) -> bool:
    """Whether the talk itself went on, perhaps half-way: what is known of the person may have been read again."""
    return (
        before.phase is not now.phase
        or before.talk is not now.talk
        or before.queue is not now.queue
        or before.late is not now.late
    )


async def welcomed(session: "Session", mail: Attach) -> None:
    """Take a client in; one that cannot be is not left waiting: it is told to come back."""
    try:
        await session.attach(mail)
        await session.watching.greeted()
        await tell_owed(session)
    except Exception as error:
        log.exception("client.not_welcomed", error=type(error).__name__)
        session.detach(mail.client)
        await mail.client.close(CloseCode.DRAINING, "The server failed at this; come back a little later.")
