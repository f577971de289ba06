"""What those who care for a person are told when somebody should look after them, and how they answer.

An alert holds a category, a level and a fixed word, and never what was said. It goes to those to whom the companion's
policy lets it go; what was said of abuse goes to the safeguarding contact alone.
"""

from typing import Final

from msgspec import UNSET, UnsetType

from protocol.frames import Command, Numbered
from protocol.ids import AlertId, Id
from protocol.times import Time
from protocol.values import CrisisCategory, Cursor, Limit, Value


class CareEscalations(Command, frozen=True, kw_only=True, tag="care.escalations"):
    """Alerts, the latest first; ``open``: only those that nobody in one's own role has acknowledged yet.

    What is open is for everybody whom it is told. What was acknowledged is part of how somebody has been doing: a
    caregiver needs live consent to ``trends`` for it (else ``policy.refused``), the safeguarding contact does not.
    """

    since: Time | UnsetType = UNSET
    until: Time | UnsetType = UNSET
    category: CrisisCategory | UnsetType = UNSET
    open: bool = False
    cursor: Cursor | UnsetType = UNSET
    limit: Limit = 20


class CareAcknowledge(Command, frozen=True, kw_only=True, tag="care.acknowledge"):
    """Somebody looks after it. Each says so for themselves; the first in a role is named to the others."""

    alert: AlertId


class CareRelease(Command, frozen=True, kw_only=True, tag="care.release"):
    """What an alert is about may be told to family, in views, notes and summaries; ``allow`` false: no longer.

    For the safeguarding contact alone. Taking it back hides it in every view from then on.
    """

    alert: AlertId
    allow: bool


class AlertMark(Value, frozen=True, kw_only=True):
    """Somebody has acknowledged an alert."""

    by: str
    at: Time


class AlertEntry(Value, frozen=True, kw_only=True):
    """An alert as it stands. ``released``: the safeguarding contact lets family know what it is about."""

    alert: AlertId
    companion: str
    category: str
    level: int
    say: str
    at: Time
    acknowledged: tuple[AlertMark, ...] = ()
    released: bool = False


class AlertAcknowledged(Numbered, frozen=True, kw_only=True, tag="alert.acknowledged"):
    """Somebody in the same role looks after it: the first one who said so."""

    alert: AlertId
    by: str
    at: Time


class CareChanged(Numbered, frozen=True, kw_only=True, tag="care.changed"):
    """What may be seen has changed: a consent was given, was taken back or has run out. Ask anew for what is shown."""

    reason: Id


FOR_ALERTED: Final = (CareEscalations, CareAcknowledge, CareRelease)
"""What nobody may ask but who holds a grant."""
