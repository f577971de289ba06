"""What is written down, as values: the session decides them, the writer lands them, the store applies them.

A change is complete in itself (ids, positions and times were given when it was decided), so that it can wait
in a queue or in a journal and be applied later, once. Times are milliseconds since 1970 in UTC.
"""

from typing import Literal, TypeAlias

import msgspec

from companions.care_changes import CareChange
from companions.change import NOTHING as NOTHING
from companions.change import Change as Change
from companions.change import CommandId as CommandId
from companions.fact_changes import FactChange, MemoryUse
from memory.messages import Source, Status

CloseReason: TypeAlias = Literal["asked", "silence", "replaced", "drained"]
EndJob: TypeAlias = Literal["summary", "facts", "topics", "learnings", "parent_note", "evaluation"]
JobKind: TypeAlias = Literal[EndJob, "partial"]  # partial: the older part of a talk that goes on is summed up
Occasion: TypeAlias = Literal["start", "reminder"]
NarrativeMode: TypeAlias = Literal["seed", "fallback"]
UserStatus: TypeAlias = Literal["active", "inactive", "archived"]


class NewConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation begins in the transaction of its first message (position 1); none is stored empty."""

    title: str
    preview: str
    session_type: str = "freeform"
    title_given: bool = False  # the person named it: never replaced by a made title
    parent_mode: bool = False
    message_limit: int = 20


class EmotionRow(msgspec.Struct, frozen=True, kw_only=True):
    """What was read in a message of the person (dementia storage design, 2.5; wellness document, Message)."""

    message: str
    emotion: str
    intensity: int
    confidence: float
    distress: float
    trajectory: str
    flags: tuple[str, ...] = ()
    crisis_category: str | None = None
    crisis_severity: int | None = None
    topics: tuple[str, ...] = ()


class RepetitionRow(msgspec.Struct, frozen=True, kw_only=True):
    """The fingerprint of a message and what was answered to it (dementia storage design, 2.6)."""

    message: str
    fingerprint: str
    question_type: str
    question_object: str = ""
    repeat_of: str | None = None
    repeat_count: int = 0
    response_given: str | None = None


class NarrativeUse(msgspec.Struct, frozen=True, kw_only=True):
    """A story that was told or seeded (dementia storage design, 2.7)."""

    narrative: str
    mode: NarrativeMode
    category: str
    emotion: str


class JobSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Work to be done after a talk, or on its older part. Its key is (kind, conversation, first, last, revision).

    ``rest``: only what no earlier job of the kind was given; which that is, is decided when the row is written.
    ``again``: also when the same work was done before.
    """

    id: str
    kind: JobKind
    first: int
    last: int
    rest: bool = False
    again: bool = False


class MessageSaid(Change, frozen=True, kw_only=True, tag="message_said"):
    """The person said something. Committed before its ack."""

    session: str
    command: CommandId
    conversation: str
    message: str
    position: int
    text: str
    context: msgspec.Raw = NOTHING
    statements: msgspec.Raw = NOTHING  # what the person states about themselves, as it was read
    begins: NewConversation | None = None


class AnswerCheckpointed(Change, frozen=True, kw_only=True, tag="answer_checkpointed"):
    """The open answer so far: after a crash it is kept as interrupted with this text."""

    conversation: str
    message: str
    response: str
    answer: str
    text: str


class AnswerGiven(Change, frozen=True, kw_only=True, tag="answer_given"):
    """An answer is over: everything it produced is one transaction.

    ``answer`` is None when nothing was shown; then only the rows about the person's message are kept.
    What it replaces (another answer was wanted) goes: the positions from ``replaces_from`` to ``replaces_to``, or all
    behind where that is not named. What was said while the new answer was made stands behind them.
    """

    conversation: str
    message: str
    response: str
    answer: str | None
    position: int | None
    text: str
    status: Status
    source: Source
    intent: str | None = None
    narrative: NarrativeUse | None = None
    emotion: EmotionRow | None = None
    repetition: RepetitionRow | None = None
    anchors: tuple[str, ...] = ()
    model: str | None = None
    processing_ms: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tool_calls: msgspec.Raw = NOTHING
    replaces_from: int | None = None
    replaces_to: int | None = None
    memories: tuple[MemoryUse, ...] = ()  # what of memory was before the model

    @property
    def takes_back(self) -> bool:
        """Whether more goes than one answer: words of the person, and what is remembered of them."""
        return self.answer is not None and self.replaces_from not in (None, self.replaces_to)


class ConversationClosed(Change, frozen=True, kw_only=True, tag="conversation_closed"):
    """A conversation ends, and its job rows land in the same transaction. A second close changes nothing."""

    conversation: str
    reason: CloseReason
    jobs: tuple[JobSpec, ...] = ()


class ConversationOpened(Change, frozen=True, kw_only=True, tag="conversation_opened"):
    """The person turned to a conversation: it is the active one, to come back to after a restart."""

    conversation: str


class SessionContinued(Change, frozen=True, kw_only=True, tag="session_continued"):
    """A session took over the id space and the conversation of an earlier one that could not be resumed."""

    session: str
    space: str
    conversation: str | None


class JobsQueued(Change, frozen=True, kw_only=True, tag="jobs_queued"):
    """Work on a conversation that goes on: a partial summary, or one that was asked for."""

    conversation: str
    jobs: tuple[JobSpec, ...]


class ConversationRenamed(Change, frozen=True, kw_only=True, tag="conversation_renamed"):
    """The person named a conversation."""

    conversation: str
    title: str


class ConversationArchived(Change, frozen=True, kw_only=True, tag="conversation_archived"):
    """A conversation is put away, or brought back."""

    conversation: str
    archived: bool


class ConversationDeleted(Change, frozen=True, kw_only=True, tag="conversation_deleted"):
    """A conversation and everything that belongs to it alone is removed."""

    conversation: str


class MessagesRemoved(Change, frozen=True, kw_only=True, tag="messages_removed"):
    """Messages of a conversation go, with the answers to them and all that was made of them."""

    conversation: str
    messages: tuple[str, ...]


class PersonErased(Change, frozen=True, kw_only=True, tag="person_erased"):
    """Everything of a person with a companion goes for good; ``profile`` is what stays of theirs as a setting."""

    profile: msgspec.Raw = NOTHING


class CommandDone(Change, frozen=True, kw_only=True, tag="command_done"):
    """The result of a command that changed something is kept for 24 h, for repeats of its id."""

    command: CommandId
    result: msgspec.Raw


class FeedbackGiven(Change, frozen=True, kw_only=True, tag="feedback_given"):
    """What the person thought of an answer, or did with it."""

    response: str
    value: int | None = None
    action: Literal["inserted", "copied"] | None = None


class ProfileSet(Change, frozen=True, kw_only=True, tag="profile_set"):
    """The static context of a person, whole, as JSON."""

    profile: msgspec.Raw


class MoodCheckedIn(Change, frozen=True, kw_only=True, tag="mood_checked_in"):
    """A check-in: 1 to 10 each, every one optional; only these make trends."""

    check_in: str
    conversation: str | None
    mood: int | None = None
    sleep: int | None = None
    anxiety: int | None = None
    stressors: tuple[str, ...] = ()
    wins: tuple[str, ...] = ()


class DisclosureShown(Change, frozen=True, kw_only=True, tag="disclosure_shown"):
    """The person was told that this is no human being; ``seq`` is the number of that event in its session."""

    session: str
    seq: int
    conversation: str | None
    occasion: Occasion


class AlertRaised(Change, frozen=True, kw_only=True, tag="alert_raised"):
    """Somebody should look. ``recipients`` are the roles that are told: safe ones that somebody has; never the text."""

    alert: str
    conversation: str | None
    message: str | None
    category: str
    level: int
    recipients: tuple[str, ...]


class UserStatusSet(Change, frozen=True, kw_only=True, tag="user_status_set"):
    """A person is active, not at present, or no longer here (dementia storage design, 2.2)."""

    status: UserStatus


class SettingSet(Change, frozen=True, kw_only=True, tag="setting_set"):
    """A person's setting for a companion; ``value`` None removes it."""

    key: str
    value: str | None


class SummaryMade(Change, frozen=True, kw_only=True, tag="summary_made"):
    """A summary and the end of its job, in one transaction. A job that has ended takes no result."""

    job: str
    summary: str
    conversation: str
    content: msgspec.Raw  # topics, arc, insight, follow-ups, quote, text: the form is the companion's
    covers_first: int
    covers_last: int
    partial: bool
    made_by: str  # the model's name, or "extract" for words taken from the talk itself
    tokens: int


class ExtractMade(Change, frozen=True, kw_only=True, tag="extract_made"):
    """What an extractor found in a talk and the end of its job, in one transaction."""

    job: str
    conversation: str
    kind: JobKind
    content: msgspec.Raw  # proposals with the messages they rest on


class JobFailed(Change, frozen=True, kw_only=True, tag="job_failed"):
    """An attempt failed: try again not before ``again_at``, or park the job when that is None.

    An attempt that only gave way to people (``counted`` is False) is none.
    """

    job: str
    reason: str
    again_at: int | None
    counted: bool = True


AnyChange: TypeAlias = (
    MessageSaid
    | AnswerCheckpointed
    | AnswerGiven
    | ConversationClosed
    | ConversationOpened
    | SessionContinued
    | JobsQueued
    | ConversationRenamed
    | ConversationArchived
    | ConversationDeleted
    | MessagesRemoved
    | PersonErased
    | CommandDone
    | FeedbackGiven
    | ProfileSet
    | MoodCheckedIn
    | DisclosureShown
    | AlertRaised
    | UserStatusSet
    | SettingSet
    | SummaryMade
    | ExtractMade
    | FactChange
    | CareChange
    | JobFailed
)


class Landed(msgspec.Struct, frozen=True, tag="landed"):
    """The change is in the store."""


class Repeated(msgspec.Struct, frozen=True, tag="repeated"):
    """The command's id was seen before with the same content: nothing changed; the first outcome holds."""

    message: str | None = None
    conversation: str | None = None
    result: msgspec.Raw | None = None


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """The change was not taken: ``code`` is an error code of the wire (``id.reused``, ``storage.full`` …)."""

    code: str


class Deferred(msgspec.Struct, frozen=True, tag="deferred"):
    """The store refuses for now (``code`` says why); the change waits, and another outcome follows."""

    code: str


Outcome: TypeAlias = Landed | Repeated | Refused | Deferred
