"""What is remembered: the person reads it, searches it, puts it right, takes it along, ends it."""

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from protocol.frames import Command, Numbered
from protocol.ids import FactId, MemoryItemId, MessageId, ResponseId
from protocol.times import Time
from protocol.values import Limit, Line, Name, Note, Value

FactStatus: TypeAlias = Literal["active", "proposed", "superseded", "retracted", "forgotten"]
FactOrigin: TypeAlias = Literal["extracted", "said", "edited", "imported"]


class MemoryList(Command, frozen=True, kw_only=True, tag="memory.list"):
    """Everything that is remembered of the person with this companion."""


class MemorySearch(Command, frozen=True, kw_only=True, tag="memory.search"):
    """The earlier messages that fit ``query`` best, 10 unless ``limit`` says otherwise."""

    query: Line
    limit: Limit = 10


class MemoryAdd(Command, frozen=True, kw_only=True, tag="memory.add"):
    """Remember this, in the person's own words."""

    text: Note
    category: Name | UnsetType = UNSET


class MemoryEdit(Command, frozen=True, kw_only=True, tag="memory.edit"):
    """Put an item right: a new version by the person, which no extraction overwrites."""

    item: MemoryItemId
    text: Note | UnsetType = UNSET
    category: Name | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.text is UNSET and self.category is UNSET and self.enabled is UNSET:
            raise ValueError("Expected `text`, `category` or `enabled`")


class MemoryPin(Command, frozen=True, kw_only=True, tag="memory.pin"):
    """Keep an item whatever else must go, or no longer."""

    item: MemoryItemId
    pinned: bool = True


class MemoryForget(Command, frozen=True, kw_only=True, tag="memory.forget"):
    """Forget one item or a category; with ``preview`` only say what would go."""

    item: MemoryItemId | UnsetType = UNSET
    category: Name | UnsetType = UNSET
    preview: bool = False

    def __post_init__(self) -> None:
        if (self.item is UNSET) == (self.category is UNSET):
            raise ValueError("Expected either `item` or `category`")


class MemoryUndo(Command, frozen=True, kw_only=True, tag="memory.undo"):
    """Take back the last change the person made to what is remembered."""


class MemoryWhy(Command, frozen=True, kw_only=True, tag="memory.why"):
    """Which memories an answer used, and why."""

    response: ResponseId


class MemoryExport(Command, frozen=True, kw_only=True, tag="memory.export"):
    """Everything as a file: JSON that imports to the same state, or HTML to read."""

    format: Literal["json", "html"] = "json"


class MemoryErase(Command, frozen=True, kw_only=True, tag="memory.erase"):
    """Forget everything for good; settings stay.

    The first time the answer holds a ``code``; the command with that code, after the cool-down, erases.
    """

    code: Name | UnsetType = UNSET


class MemorySettings(Command, frozen=True, kw_only=True, tag="memory.settings"):
    """Read the settings of remembering, and change those that are given."""

    enabled: bool | UnsetType = UNSET


class MemoryChanged(Numbered, frozen=True, kw_only=True, tag="memory.changed"):
    """What is remembered is not what it was: read it again."""

    items: tuple[MemoryItemId, ...] = ()


class Fact(Value, frozen=True, kw_only=True):
    """Something remembered about somebody, with its sources. ``confidence`` is from 0 to 1.

    ``language`` is that of the words it rests on (ISO 639-1), where they tell it.
    """

    fact: FactId
    category: str
    subject: str
    attribute: str
    text: str
    status: FactStatus
    origin: FactOrigin
    confidence: Annotated[float, Meta(ge=0, le=1)]
    mentions: int
    sources: tuple[MessageId, ...]
    first_at: Time
    last_at: Time
    pinned: bool = False
    enabled: bool = True
    stale: bool = False
    uses: int = 0
    used_at: Time | UnsetType = UNSET
    valid_from: Time | UnsetType = UNSET
    valid_to: Time | UnsetType = UNSET
    replaces: FactId | UnsetType = UNSET
    language: str | UnsetType = UNSET


class UsedMemory(Value, frozen=True, kw_only=True):
    """One memory that was before the model for an answer, or was left out, and the reason."""

    kind: Literal["fact", "summary", "message"]
    item: str
    reason: str
    sources: tuple[MessageId, ...] = ()
