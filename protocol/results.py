"""How a command is answered when it was done: an ``ack`` with a ``result`` of the command's own kind.

``message.send`` alone has an ack of its own shape (``MessageAck``).
"""

from typing import Any, Final, Generic, Literal, TypeVar

from msgspec import UNSET, UnsetType

from protocol.alert_frames import AlertEntry, CareAcknowledge, CareEscalations, CareRelease
from protocol.audit_frames import AuditPage, AuditQuery
from protocol.care_frames import (
    CareContext,
    CareContextGet,
    CareContextSet,
    CareEmotions,
    CareHistory,
    CareNotes,
    CareNotesRead,
    CareRepetition,
    CareSummaries,
    ChronicEntry,
    ConsentEntry,
    ConsentList,
    ConsentSet,
    EmotionEntry,
    NoteEntry,
    TalkSummaryEntry,
    TranscriptEntry,
)
from protocol.conversation_frames import (
    ConversationArchive,
    ConversationClose,
    ConversationCreate,
    ConversationDelete,
    ConversationHistory,
    ConversationList,
    ConversationOpen,
    ConversationRename,
    ConversationRestore,
    ConversationSummarize,
    Summary,
)
from protocol.device_frames import (
    DeviceClaim,
    DeviceClaimed,
    DeviceList,
    DeviceLock,
    DevicePair,
    DeviceRename,
    DeviceRevoke,
    Devices,
    DeviceUnlock,
    PairingCode,
    RoleNow,
)
from protocol.frames import Command, Event
from protocol.ids import CommandId, ConversationId, MemoryItemId, MessageId, ResponseId
from protocol.memory_frames import (
    Fact,
    MemoryAdd,
    MemoryEdit,
    MemoryErase,
    MemoryExport,
    MemoryForget,
    MemoryList,
    MemoryPin,
    MemorySearch,
    MemorySettings,
    MemoryUndo,
    MemoryWhy,
    UsedMemory,
)
from protocol.person_frames import (
    HealthShare,
    MoodCheckIn,
    ProfileAnswer,
    ProfileGet,
    ProfileNow,
    ProfileSet,
)
from protocol.talk_frames import GreetingGet, ResponseCancel, ResponseFeedback, ResponseRegenerate
from protocol.times import Time
from protocol.trend_frames import CareTrends, CareTrendsNow, MoodTrends, MoodTrendsNow
from protocol.values import FoundMessage, JsonObject, StoredMessage, Value


class Done(Value, frozen=True, kw_only=True):
    """It was done; there is nothing more to say."""


class ResponseNamed(Value, frozen=True, kw_only=True):
    """The response that was stopped, or is begun anew; null when none was open."""

    response: ResponseId | None


class ConversationNamed(Value, frozen=True, kw_only=True):
    """The conversation that was begun, opened or closed; null when none was open."""

    conversation: ConversationId | None


class ConversationEntry(Value, frozen=True, kw_only=True):
    """A conversation in a list; none of its messages is read for it."""

    conversation: ConversationId
    companion: str
    title: str
    preview: str
    message_count: int
    created_at: Time
    updated_at: Time
    archived: bool
    open: bool


class ConversationPage(Value, frozen=True, kw_only=True):
    """Conversations, the newest first; ``next`` is the cursor of the following page."""

    conversations: tuple[ConversationEntry, ...]
    next: str | None


class Figures(Value, frozen=True, kw_only=True):
    """A conversation in figures; the moods, 1 to 10, are of its first and its last check-in."""

    message_count: int
    user_message_count: int
    average_response_ms: float | None
    mood_at_start: int | None
    mood_at_end: int | None


class HistoryPage(Value, frozen=True, kw_only=True):
    """Messages, oldest first; fewer than asked for means that the beginning is reached.

    With the last messages (no ``before``) come the figures of the whole conversation.
    """

    messages: tuple[StoredMessage, ...]
    figures: Figures | UnsetType = UNSET


class Remembered(Value, frozen=True, kw_only=True):
    """Everything that is remembered."""

    facts: tuple[Fact, ...]
    summaries: tuple[Summary, ...]


class Found(Value, frozen=True, kw_only=True):
    """Messages that a search found, the best first."""

    messages: tuple[FoundMessage, ...]


class FactChanged(Value, frozen=True, kw_only=True):
    """The item as it is now, a fact or a summary; ``warning`` when there is little room left for more."""

    fact: Fact | UnsetType = UNSET
    summary: Summary | UnsetType = UNSET
    warning: str | UnsetType = UNSET


class Forgotten(Value, frozen=True, kw_only=True):
    """What was forgotten, or would be (``preview``)."""

    items: tuple[MemoryItemId, ...]
    preview: bool


class Undone(Value, frozen=True, kw_only=True):
    """The items that are as they were before; none when there was nothing to take back."""

    items: tuple[MemoryItemId, ...]


class Why(Value, frozen=True, kw_only=True):
    """The memories an answer used, and those that were left out."""

    used: tuple[UsedMemory, ...]
    left_out: tuple[UsedMemory, ...] = ()


class Ticket(Value, frozen=True, kw_only=True):
    """A download at ``path`` on the same port: once, until ``expires_at``, for this session alone."""

    path: str
    expires_at: Time


class BackupLeft(Value, frozen=True, kw_only=True):
    """A backup that still holds a copy, and when it is gone by itself."""

    name: str
    expires_at: Time


class Receipt(Value, frozen=True, kw_only=True):
    """What was erased, counted by kind, and what still holds a copy or cannot be reached.

    ``verified``: the files of the store were searched for what was erased, and hold none of it.
    """

    removed: dict[str, int]
    backups: tuple[BackupLeft, ...]
    out_of_reach: tuple[str, ...]
    verified: bool = False


class Erasing(Value, frozen=True, kw_only=True):
    """Asked for (send ``code`` again, not before ``ready_at``), or done, with a receipt."""

    state: Literal["confirm", "done"]
    code: str | UnsetType = UNSET
    ready_at: Time | UnsetType = UNSET
    receipt: Receipt | UnsetType = UNSET


class MemoryState(Value, frozen=True, kw_only=True):
    """Whether anything is remembered, how much there is, and how much there may be."""

    enabled: bool
    count: int
    soft_limit: int
    hard_limit: int


class CheckedIn(Value, frozen=True, kw_only=True):
    """The check-in is kept."""

    check_in: str


class Consents(Value, frozen=True, kw_only=True):
    """What stands, and in plain words what is shared with whom."""

    consents: tuple[ConsentEntry, ...]
    say: tuple[str, ...]


class CareContextNow(Value, frozen=True, kw_only=True):
    """What caregivers have told; who did so last, and when."""

    context: CareContext
    by: str | None = None
    at: Time | None = None


class NotePage(Value, frozen=True, kw_only=True):
    """Notes, the latest first; ``next`` is the cursor of the following page."""

    notes: tuple[NoteEntry, ...]
    next: str | None


class EmotionPage(Value, frozen=True, kw_only=True):
    """Feelings, the latest first; ``next`` is the cursor of the following page."""

    emotions: tuple[EmotionEntry, ...]
    next: str | None


class Repetition(Value, frozen=True, kw_only=True):
    """Questions of the last ``days`` by their kind, and those that came again and again in one talk."""

    days: int
    types: dict[str, int]
    chronic: tuple[ChronicEntry, ...]


class TalkSummaryPage(Value, frozen=True, kw_only=True):
    """Summaries, the latest talk first; ``next`` is the cursor of the following page."""

    summaries: tuple[TalkSummaryEntry, ...]
    next: str | None


class TranscriptPage(Value, frozen=True, kw_only=True):
    """Messages, oldest first; ``next`` is the cursor of those before them."""

    messages: tuple[TranscriptEntry, ...]
    next: str | None


class EscalationPage(Value, frozen=True, kw_only=True):
    """Alerts, the latest first; ``next`` is the cursor of the following page."""

    escalations: tuple[AlertEntry, ...]
    next: str | None


class Acknowledged(Value, frozen=True, kw_only=True):
    """Who said first that they look after it, among those in the same role, and when."""

    by: str
    at: Time


class Greeting(Value, frozen=True, kw_only=True):
    """The companion's first words, and what they take up."""

    text: str
    topics: tuple[str, ...]


R = TypeVar("R", bound="Value | JsonObject")


class CommandAck(Event, Generic[R], frozen=True, kw_only=True, tag="ack"):
    """The command was done, and what it changed has landed. A kept result may be given as plain JSON.

    A ``conversation.close`` is acknowledged also while the store refuses: then ``durable`` is false, ``reason`` says
    why, and ``conversation.closed`` follows when it has landed.
    """

    re: CommandId
    result: R
    durable: bool | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class Ack(Event, frozen=True, kw_only=True, tag="ack"):
    """Any ack as a client reads it: a message's (``message`` is set) or a command's (``result`` is set)."""

    re: CommandId
    message: MessageId | UnsetType = UNSET
    conversation: ConversationId | UnsetType = UNSET
    durable: bool | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    result: dict[str, Any] | UnsetType = UNSET  # of the kind RESULTS names for the command


RESULTS: Final[dict[type[Command], type[Value]]] = {
    ResponseCancel: ResponseNamed,
    ResponseRegenerate: Done,
    ResponseFeedback: Done,
    GreetingGet: Greeting,
    ConversationList: ConversationPage,
    ConversationHistory: HistoryPage,
    ConversationCreate: ConversationNamed,
    ConversationOpen: ConversationNamed,
    ConversationClose: ConversationNamed,
    ConversationRename: Done,
    ConversationArchive: Done,
    ConversationRestore: Done,
    ConversationDelete: Done,
    ConversationSummarize: Done,
    MemoryList: Remembered,
    MemorySearch: Found,
    MemoryAdd: FactChanged,
    MemoryEdit: FactChanged,
    MemoryPin: FactChanged,
    MemoryForget: Forgotten,
    MemoryUndo: Undone,
    MemoryWhy: Why,
    MemoryExport: Ticket,
    MemoryErase: Erasing,
    MemorySettings: MemoryState,
    ProfileGet: ProfileNow,
    ProfileSet: ProfileNow,
    ProfileAnswer: ProfileNow,
    MoodCheckIn: CheckedIn,
    MoodTrends: MoodTrendsNow,
    HealthShare: Done,
    ConsentSet: Done,
    ConsentList: Consents,
    CareContextGet: CareContextNow,
    CareContextSet: Done,
    CareNotes: NotePage,
    CareNotesRead: Done,
    CareEmotions: EmotionPage,
    CareRepetition: Repetition,
    CareSummaries: TalkSummaryPage,
    CareHistory: TranscriptPage,
    CareTrends: CareTrendsNow,
    CareEscalations: EscalationPage,
    CareAcknowledge: Acknowledged,
    CareRelease: Done,
    AuditQuery: AuditPage,
    DeviceClaim: DeviceClaimed,
    DeviceUnlock: RoleNow,
    DeviceLock: RoleNow,
    DeviceList: Devices,
    DevicePair: PairingCode,
    DeviceRename: Done,
    DeviceRevoke: Done,
}
