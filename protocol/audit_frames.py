"""Who looked: what was recorded about a person, told to that person, and to admins without a word of anybody's."""

from msgspec import UNSET, UnsetType

from protocol.frames import Command
from protocol.ids import UserId
from protocol.times import Time
from protocol.values import Cursor, Limit, Value


class AuditQuery(Command, frozen=True, kw_only=True, tag="audit.query"):
    """Who looked at what is kept of the person, and who did what about it, the latest first.

    An admin is told of everybody, and of devices and tokens. Nobody can change or remove what was recorded.
    """

    cursor: Cursor | UnsetType = UNSET
    limit: Limit = 50


class AuditEntry(Value, frozen=True, kw_only=True):
    """One look, or one act. ``did`` is a word for programs, ``say`` a sentence for the person."""

    at: Time
    by: str
    role: str
    did: str
    say: str
    companion: str = ""
    user: UserId | None = None  # for admins


class AuditPage(Value, frozen=True, kw_only=True):
    """Some of it; ``next`` goes on with what is older."""

    entries: tuple[AuditEntry, ...]
    next: Cursor | None = None
