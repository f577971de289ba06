"""What still waits for the store, laid over what the store says.

While a disk refuses, things that were said, ids that were used and sessions that went on wait in the writer, and
those of an earlier run in its spill. Whoever reads the store alone would give a place away twice, take a used id
for a new one, or not know a session that its client was welcomed with. What is laid over here is taken before the
store is read: what lands meanwhile is there twice, and counts once.
"""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from msgspec.structs import replace

from actors.ports import Waits
from actors.sessions import Left
from companions.changes import (
    NOTHING,
    AnswerGiven,
    AnyChange,
    CommandDone,
    CommandId,
    ConversationClosed,
    ConversationDeleted,
    ConversationOpened,
    MessageSaid,
    MessagesRemoved,
    NewConversation,
    PersonErased,
    Refused,
    SessionContinued,
)
from memory.messages import Message
from storage.conversations import Conversation
from storage.talk import Loaded

Waiting: TypeAlias = Sequence[tuple[AnyChange, ...]]
"""Groups of changes, in the order in which they will land."""

WhatWaits: TypeAlias = Callable[[], Waiting]


def nothing_waits() -> Waiting:
    """Where everything that was decided is in the store."""
    return ()


# ------------------------------------------------------------ ids


def waiting_command(waiting: Waiting, command: CommandId) -> Waits | Refused | None:
    """The command of that id, where what came of it waits; with other content it is refused."""
    for change in _each(waiting):
        if not isinstance(change, MessageSaid | CommandDone):
            continue
        if (change.command.space, change.command.id) == (command.space, command.id):
            return Waits(change) if change.command.digest == command.digest else Refused("id.reused")
    return None


def waiting_session(waiting: Waiting, *, user: str, companion: str, session: str) -> Left | None:
    """What an earlier session left, where the latest word of it waits."""
    for change in reversed([*_each(waiting)]):
        if (change.user, change.companion) != (user, companion):
            continue
        if isinstance(change, SessionContinued) and change.session == session:
            return Left(space=change.space, conversation=change.conversation)
        if isinstance(change, MessageSaid) and change.session == session:
            return Left(space=change.command.space, conversation=change.conversation)
    return None


# ------------------------------------------------------------ a conversation


def waiting_last(waiting: Waiting, *, user: str, companion: str) -> str | None:
    """The conversation this person turned to last, where that waits."""
    gone: set[str] = set()
    for change in reversed([*_each(waiting)]):
        if (change.user, change.companion) != (user, companion):
            continue
        if isinstance(change, PersonErased):
            return None
        if isinstance(change, ConversationDeleted):
            gone.add(change.conversation)
        elif isinstance(change, MessageSaid | ConversationOpened) and change.conversation not in gone:
            return change.conversation
    return None


def brought_up(found: Loaded | None, waiting: Waiting, *, user: str, conversation: str) -> Loaded | None:
    """A conversation as it will be when all has landed: its places count what waits.

    What does not fit is left out, as the store will leave it out.
    """
    for change in _each(waiting):
        if change.user != user:
            continue
        if isinstance(change, PersonErased):
            gone = found is not None and found.conversation.companion == change.companion
            found = None if gone else found
        elif getattr(change, "conversation", None) == conversation:
            found = _changed(found, change)
    return found


def _each(waiting: Waiting) -> Iterable[AnyChange]:
    return (change for group in waiting for change in group)


def _changed(found: Loaded | None, change: AnyChange) -> Loaded | None:
    if found is None:
        begins = change.begins if isinstance(change, MessageSaid) else None
        if not isinstance(change, MessageSaid) or begins is None:
            return None
        found = _begun(change, begins)
    match change:
        case MessageSaid() if _fits(found, change.position):
            return _with_said(found, change)
        case AnswerGiven() if change.answer is None and change.status != "interrupted":
            return _settled(found, change.message)
        case AnswerGiven() if _fits(found, change.position):
            return _with_answer(found, change)
        case ConversationClosed() if found.conversation.closed_at is None:
            closed = replace(found.conversation, closed_at=change.at, close_reason=change.reason, open=False)
            return replace(found, conversation=closed)
        case MessagesRemoved():
            gone = {each.id for each in found.messages if each.answers in change.messages}
            return _without(found, {*gone, *change.messages})
        case ConversationDeleted():
            return None
        case _:
            return found


def _fits(found: Loaded, position: int | None) -> bool:
    """Whether the place is the next one; a lower one is taken, by the same change that has landed meanwhile."""
    return found.conversation.closed_at is None and position == found.conversation.last_position + 1


def _begun(change: MessageSaid, begins: NewConversation) -> Loaded:
    """A conversation that begins with a message of which the store knows nothing yet."""
    conversation = Conversation(
        id=change.conversation,
        companion=change.companion,
        title=begins.title,
        preview=begins.preview,
        message_count=0,
        created_at=change.at,
        updated_at=change.at,
        archived=False,
        open=True,
        session_type=begins.session_type,
        parent_mode=begins.parent_mode,
        title_given=begins.title_given,
        message_limit=begins.message_limit,
        schema_version=1,
        last_position=0,
        user_message_count=0,
        revision=0,
        closed_at=None,
        close_reason=None,
        dominant_emotion=None,
        escalated=False,
        first_request=None,
    )
    return Loaded(
        conversation=conversation,
        messages=(),
        emotions=(),
        repetitions=(),
        narratives=(),
        anchors=(),
        unanswered=(),
        open_response=None,
        summary=None,
    )


def _with_said(found: Loaded, change: MessageSaid) -> Loaded:
    message = Message(
        id=change.message,
        role="user",
        text=change.text,
        position=change.position,
        at=change.at,
        context=None if change.context == NOTHING else change.context,
    )
    grown = _grown(found, message, said=1)
    return replace(grown, unanswered=(*found.unanswered, message), unread=(*found.unread, message))


def _grown(found: Loaded, message: Message, *, said: int) -> Loaded:
    counted = replace(
        found.conversation,
        last_position=message.position,
        message_count=found.conversation.message_count + 1,
        user_message_count=found.conversation.user_message_count + said,
        updated_at=message.at,
    )
    return replace(found, conversation=counted, messages=(*found.messages, message))


def _with_answer(found: Loaded, change: AnswerGiven) -> Loaded:
    asked = next((each for each in found.messages if each.id == change.message), None)
    if change.answer is None or change.position is None or asked is None:
        return found
    if change.replaces_from is not None:
        last = change.replaces_to or change.position
        replaced = [each for each in found.messages if change.replaces_from <= each.position <= last]
        found = _without(found, {each.id for each in replaced if each.id != change.message})
    if any(each.answers == change.message for each in found.messages):
        return found
    message = Message(
        id=change.answer,
        role="assistant",
        text=change.text,
        position=change.position,
        at=change.at,
        status=change.status,
        source=change.source,
        answers=change.message,
        response=change.response,
        intent=change.intent,
        narrative=change.narrative.narrative if change.narrative is not None else None,
    )
    return replace(
        _settled(_grown(found, message, said=0), change.message),
        emotions=(*found.emotions, *([change.emotion] if change.emotion is not None else [])),
        repetitions=(*found.repetitions, *([change.repetition] if change.repetition is not None else [])),
        narratives=(*found.narratives, *([change.narrative] if change.narrative is not None else [])),
        anchors=(*found.anchors, *change.anchors),
    )


def _settled(found: Loaded, message: str) -> Loaded:
    left = tuple(each for each in found.unanswered if each.id != message)
    return replace(found, unanswered=left, open_response=None)


def _without(found: Loaded, gone: AbstractSet[str]) -> Loaded:
    """Removed messages leave their places and no word."""
    going = [each for each in found.messages if each.id in gone]
    if not going:
        return found
    counted = replace(
        found.conversation,
        message_count=found.conversation.message_count - len(going),
        user_message_count=found.conversation.user_message_count - sum(each.role == "user" for each in going),
        revision=found.conversation.revision + 1,
    )
    return replace(
        found,
        conversation=counted,
        messages=tuple(each for each in found.messages if each.id not in gone),
        unanswered=tuple(each for each in found.unanswered if each.id not in gone),
        emotions=tuple(each for each in found.emotions if each.message not in gone),
        repetitions=tuple(each for each in found.repetitions if each.message not in gone),
        withheld=found.withheld or any(each.role == "user" for each in going),
    )
