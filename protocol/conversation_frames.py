"""Conversations: stretches of talk that are listed, read, opened, closed, named, put away and removed."""

from typing import Literal

from msgspec import UNSET, UnsetType

from protocol.frames import Command, Numbered
from protocol.ids import ConversationId, MessageId, Position, SummaryId
from protocol.times import Time
from protocol.values import CloseReason, Cursor, Limit, Line, Name, Value


class ConversationList(Command, frozen=True, kw_only=True, tag="conversation.list"):
    """The person's conversations, the newest first, 50 at a time unless ``limit`` says otherwise.

    ``query`` searches titles. ``cursor`` is the ``next`` of the page before.
    """

    cursor: Cursor | UnsetType = UNSET
    limit: Limit = 50
    archived: bool | UnsetType = UNSET
    query: Line | UnsetType = UNSET
    companion: Name | UnsetType = UNSET


class ConversationHistory(Command, frozen=True, kw_only=True, tag="conversation.history"):
    """The messages before the position ``before`` (null or left out: the last ones), oldest first."""

    conversation: ConversationId
    before: Position | UnsetType | None = UNSET
    limit: Limit = 50


class ConversationCreate(Command, frozen=True, kw_only=True, tag="conversation.create"):
    """Begin a conversation; the open one ends. It is stored with its first message, never empty."""

    companion: Name | UnsetType = UNSET
    session_type: Name | UnsetType = UNSET
    title: Line | UnsetType = UNSET


class ConversationOpen(Command, frozen=True, kw_only=True, tag="conversation.open"):
    """Go on with a conversation, or watch one that another session talks in."""

    conversation: ConversationId
    mode: Literal["talk", "watch"] = "talk"


class ConversationClose(Command, frozen=True, kw_only=True, tag="conversation.close"):
    """End the open conversation. An open answer is cancelled and its text kept."""


class ConversationRename(Command, frozen=True, kw_only=True, tag="conversation.rename"):
    """Give a conversation a title, which no made one replaces."""

    conversation: ConversationId
    title: Line


class ConversationArchive(Command, frozen=True, kw_only=True, tag="conversation.archive"):
    """Put a conversation away."""

    conversation: ConversationId


class ConversationRestore(Command, frozen=True, kw_only=True, tag="conversation.restore"):
    """Bring an archived conversation back."""

    conversation: ConversationId


class ConversationDelete(Command, frozen=True, kw_only=True, tag="conversation.delete"):
    """Remove a conversation and everything that belongs to it alone."""

    conversation: ConversationId


class ConversationSummarize(Command, frozen=True, kw_only=True, tag="conversation.summarize"):
    """Sum a conversation up, the open one unless named; ``summary.ready`` follows."""

    conversation: ConversationId | UnsetType = UNSET


class ConversationChanged(Numbered, frozen=True, kw_only=True, tag="conversation.changed"):
    """A conversation is not what it was; only what changed is in the frame.

    Messages at ``removed_from`` and after are hidden, because an earlier message is answered anew. Those in
    ``removed`` were forgotten: they leave their places empty.
    """

    conversation: ConversationId
    title: str | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    deleted: bool = False
    removed_from: Position | UnsetType = UNSET
    removed: tuple[MessageId, ...] = ()


class ConversationClosed(Numbered, frozen=True, kw_only=True, tag="conversation.closed"):
    """A conversation is over and read-only; the next message begins a new one."""

    conversation: ConversationId
    reason: CloseReason


class Summary(Value, frozen=True, kw_only=True):
    """What is kept of a conversation in short. Which of the optional parts there are is the companion's."""

    summary: SummaryId
    conversation: ConversationId
    text: str
    at: Time
    partial: bool = False
    topics: tuple[str, ...] = ()
    emotional_arc: str | UnsetType = UNSET
    key_insight: str | UnsetType = UNSET
    follow_ups: tuple[str, ...] = ()
    quote: str | UnsetType = UNSET
    time_of_day: str | UnsetType = UNSET
    tokens: int | UnsetType = UNSET


class SummaryReady(Numbered, frozen=True, kw_only=True, tag="summary.ready"):
    """A conversation, or its older part, was summed up."""

    conversation: ConversationId
    summary: Summary
