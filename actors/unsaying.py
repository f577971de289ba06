"""A session and what was said in it and is removed: it lets go of it, forgets it, and lets it be known."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from actors.mail import Forgotten
from companions import unsaying
from companions.state import Landing
from companions.unsaying import Unsaid, unsaid_in
from protocol.conversation_frames import ConversationChanged
from protocol.memory_frames import MemoryChanged

if TYPE_CHECKING:
    from actors.session import Session


async def let_go(session: "Session", unsaid: Unsaid) -> None:
    """What is about to be removed is neither answered nor talked in any more."""
    talk = session.state.talk
    if unsaid.whole and talk is not None and unsaid.conversation in (None, talk.conversation):
        await session.leave_talk()
        return
    at = session.services.now_ms()
    await session.take(unsaying.let_go(session.cast.rules, session.state, unsaid, at))


async def forgotten(session: "Session", mail: Forgotten) -> None:
    """Word has come that it was removed; late word of what this session had asked for is told to the others too."""
    await forget(session, mail.unsaid)
    if mail.late:
        await session.services.unsaid(session.state.who, mail.unsaid, session.address)


async def forget(session: "Session", unsaid: Unsaid) -> None:
    """It was removed: not in the window, nor among what is remembered, nor kept for who comes back."""
    session.outbox.forget()
    session.commands.forget()
    if unsaid.conversation is None:
        session.state = replace(session.state, health=None)
    talk = session.state.talk
    if talk is not None and unsaid.messages and talk.conversation == unsaid.conversation:
        opening = await session.memory.loaded(talk.conversation)
        known = unsaid_in(talk, unsaid, opening.talk if opening is not None else None)
        session.state = replace(session.state, talk=known)
    await session.memory.refresh(edited=True)
    await session.announce(lambda seq: MemoryChanged(seq=seq))
    if unsaid.conversation is not None:
        await _told(session, unsaid.conversation, unsaid)


async def _told(session: "Session", conversation: str, unsaid: Unsaid) -> None:
    await session.announce(
        lambda seq: ConversationChanged(
            seq=seq, conversation=conversation, deleted=unsaid.whole, removed=unsaid.messages
        )
    )


def still_landing(session: "Session", unsaid: Unsaid) -> bool:
    """Whether the end of an answer to what was removed is still to be told: then it is forgotten once more."""
    phase = session.state.phase
    return isinstance(phase, Landing) and phase.done.message in unsaid.messages
