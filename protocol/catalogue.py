"""Every frame there is: what clients send, and what the server sends."""

from types import MappingProxyType
from typing import Final, TypeAlias, get_args

from protocol.alert_frames import (
    AlertAcknowledged,
    CareAcknowledge,
    CareChanged,
    CareEscalations,
    CareRelease,
)
from protocol.audit_frames import AuditQuery
from protocol.care_frames import (
    CareContextGet,
    CareContextSet,
    CareEmotions,
    CareHistory,
    CareNotes,
    CareNotesRead,
    CareRepetition,
    CareSummaries,
    ConsentList,
    ConsentSet,
    WatchingEnded,
)
from protocol.conversation_frames import (
    ConversationArchive,
    ConversationChanged,
    ConversationClose,
    ConversationClosed,
    ConversationCreate,
    ConversationDelete,
    ConversationHistory,
    ConversationList,
    ConversationOpen,
    ConversationRename,
    ConversationRestore,
    ConversationSummarize,
    SummaryReady,
)
from protocol.device_frames import (
    DeviceClaim,
    DeviceList,
    DeviceLock,
    DevicePair,
    DeviceRename,
    DeviceRevoke,
    DeviceUnlock,
)
from protocol.errors import ErrorFrame
from protocol.frames import Command, Event, frame_type
from protocol.memory_frames import (
    MemoryAdd,
    MemoryChanged,
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
)
from protocol.person_frames import HealthShare, MoodCheckIn, ProfileAnswer, ProfileGet, ProfileSet
from protocol.results import Ack
from protocol.session_frames import (
    AlertRaised,
    ConversationSnapshot,
    Hello,
    Notice,
    Ping,
    Pong,
    ResponseSnapshot,
    ServerDraining,
    Welcome,
)
from protocol.talk_frames import (
    Durable,
    GreetingGet,
    MessageCreated,
    MessageSend,
    ResponseCancel,
    ResponseDelta,
    ResponseDone,
    ResponseFeedback,
    ResponseRegenerate,
    ResponseStarted,
    SafetyShown,
)
from protocol.trend_frames import CareTrends, MoodTrends

AnyCommand: TypeAlias = (
    Hello
    | Ping
    | MessageSend
    | ResponseCancel
    | ResponseRegenerate
    | ResponseFeedback
    | GreetingGet
    | ConversationList
    | ConversationHistory
    | ConversationCreate
    | ConversationOpen
    | ConversationClose
    | ConversationRename
    | ConversationArchive
    | ConversationRestore
    | ConversationDelete
    | ConversationSummarize
    | MemoryList
    | MemorySearch
    | MemoryAdd
    | MemoryEdit
    | MemoryPin
    | MemoryForget
    | MemoryUndo
    | MemoryWhy
    | MemoryExport
    | MemoryErase
    | MemorySettings
    | ProfileGet
    | ProfileSet
    | ProfileAnswer
    | MoodCheckIn
    | MoodTrends
    | HealthShare
    | ConsentSet
    | ConsentList
    | CareContextGet
    | CareContextSet
    | CareNotes
    | CareNotesRead
    | CareEmotions
    | CareRepetition
    | CareSummaries
    | CareHistory
    | CareTrends
    | CareEscalations
    | CareAcknowledge
    | CareRelease
    | AuditQuery
    | DeviceClaim
    | DeviceUnlock
    | DeviceLock
    | DeviceList
    | DevicePair
    | DeviceRename
    | DeviceRevoke
)

AnyEvent: TypeAlias = (
    Welcome
    | ConversationSnapshot
    | ResponseSnapshot
    | Pong
    | Ack
    | MessageCreated
    | SafetyShown
    | ResponseStarted
    | ResponseDelta
    | ResponseDone
    | Durable
    | ConversationChanged
    | ConversationClosed
    | SummaryReady
    | MemoryChanged
    | AlertRaised
    | AlertAcknowledged
    | CareChanged
    | WatchingEnded
    | Notice
    | ServerDraining
    | ErrorFrame
)

COMMANDS: Final[MappingProxyType[str, type[Command]]] = MappingProxyType(
    {frame_type(frame): frame for frame in get_args(AnyCommand)}
)
"""The commands by their dotted names."""

EVENTS: Final[MappingProxyType[str, type[Event]]] = MappingProxyType(
    {frame_type(frame): frame for frame in get_args(AnyEvent)}
)
"""The events by their dotted names, as a client reads them."""
