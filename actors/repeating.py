"""A command whose id is not held in memory any more: what came of it is in the store, or on its way there."""

from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from actors.ports import Waits
from actors.reserving import promised
from companions.changes import CommandDone, CommandId, MessageSaid, Refused, Repeated
from companions.events import Ack, AgainTicket, Refuse
from protocol.catalogue import AnyCommand
from protocol.conversation_frames import ConversationClose, ConversationCreate
from protocol.frames import Event
from protocol.results import CommandAck
from protocol.talk_frames import MessageAck
from protocol.values import JsonObject

if TYPE_CHECKING:
    from actors.session import Session


async def answered_before(session: "Session", command: AnyCommand, digest: str) -> bool:
    """Answer a command that was answered before; False for a new one."""
    id_ = command.id
    key = CommandId(space=session.state.who.space, id=id_, digest=digest)
    found = await session.services.desk.retained(key)
    match found:
        case None:
            return False
        case Refused(code=code):
            await session.commands.told(Refuse(re=id_, code=code))
        case Waits(change=change):
            await _still_waits(session, command, change)
        case Repeated(result=result) if result is not None:
            kept: JsonObject = msgspec.json.decode(result)
            if isinstance(command, ConversationCreate):
                await promised(session, command, kept["conversation"])
            await session.send(CommandAck(re=id_, result=kept))
        case Repeated(message=None):  # what it came to was forgotten since
            await session.commands.told(Refuse(re=id_, code="memory.unknown"))
        case Repeated(message=message, conversation=conversation):
            await session.commands.told(Ack(re=id_, message=message, conversation=conversation, durable=True))
    return True


def landed_since(answer: Event, late: frozenset[str]) -> Event:
    """The first answer again; the ack of a message that has landed since says so."""
    if isinstance(answer, MessageAck) and answer.message not in late:
        return msgspec.structs.replace(answer, durable=True, reason=UNSET)
    return answer


async def _still_waits(session: "Session", command: AnyCommand, change: MessageSaid | CommandDone) -> None:
    if isinstance(change, MessageSaid):
        await _said_and_waiting(session, change)
    else:
        await _done_and_waiting(session, command, change)


async def _said_and_waiting(session: "Session", said: MessageSaid) -> None:
    """The first answer again. Sent to the writer once more it changes nothing, and tells when it has landed."""
    id_, message, conversation = said.command.id, said.message, said.conversation
    ack = Ack(re=id_, message=message, conversation=conversation, durable=False, reason=_why(session))
    await session.commands.told(ack)
    session.state = replace(session.state, late=session.state.late | {message})
    await session.save(said, AgainTicket(re=id_, message=message))


async def _done_and_waiting(session: "Session", command: AnyCommand, done: CommandDone) -> None:
    if isinstance(command, ConversationClose):
        result: JsonObject = msgspec.json.decode(done.result)
        await session.commands.told(Ack(re=command.id, result=result, durable=False, reason=_why(session)))
    else:
        await session.commands.told(Refuse(re=command.id, code=_why(session)))


def _why(session: "Session") -> str:
    return session.services.trouble() or "storage.busy"
