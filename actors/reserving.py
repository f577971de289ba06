"""A conversation that was made and has no message yet: promised by its id, and stored with its first message."""

from typing import TYPE_CHECKING

from msgspec import UNSET
from msgspec.structs import replace

from protocol.conversation_frames import ConversationCreate

if TYPE_CHECKING:
    from actors.session import Session


def kind_of(session: "Session", command: ConversationCreate) -> str | None:
    """The type of session it is to have; None where this companion has none of that type, or it is another's."""
    companion = session.cast.companion
    mine = command.companion in (
        UNSET,
        companion.id,
        companion.id.partition("/")[0],
    )  # others need their own hello
    kind = session.state.session_type if command.session_type is UNSET else command.session_type
    return kind if mine and kind in companion.policy.session.types else None


def reserve(session: "Session", command: ConversationCreate, kind: str, conversation: str) -> None:
    """Promise it."""
    title = None if command.title is UNSET else command.title
    session.state = replace(session.state, session_type=kind, title=title, reserved=conversation)


async def promised(session: "Session", command: ConversationCreate, conversation: str) -> None:
    """One that was promised before a restart and has no message yet is still promised."""
    if session.state.talk is not None or await session.services.desk.load(session.state.who, conversation):
        return
    kind = session.state.session_type if command.session_type is UNSET else command.session_type
    reserve(session, command, kind, conversation)
