"""What changes around a talk for those who care for the person: who may see what, and what they bring in."""

from typing import TypeAlias

import msgspec

from companions.change import Change
from companions.consenting import Basis, Scope
from companions.policy_safety import Recipient


class ScopeSet(msgspec.Struct, frozen=True):
    """One scope of a decision, and the id of the record of it."""

    record: str
    scope: Scope


class ConsentDecided(Change, frozen=True, kw_only=True, tag="consent_decided"):
    """Somebody consents, or takes it back. ``giver`` is empty for the person; ``companion`` is a whole family.

    A new decision of the same giver about the same scope ends the one before. The person's no to transcripts or
    watching ends what others had granted, and stands until they take it back (D27).
    """

    giver: str
    name: str
    basis: Basis
    allow: bool
    scopes: tuple[ScopeSet, ...]
    review_at: int | None = None


class CareContextGiven(Change, frozen=True, kw_only=True, tag="care_context_given"):
    """What a caregiver wants a companion to know of the person, whole, as JSON (dementia storage design, users)."""

    name: str
    context: msgspec.Raw


class NoteMade(Change, frozen=True, kw_only=True, tag="note_made"):
    """A note to the parents and the end of its job, in one transaction. A job that has ended takes no result.

    Where ``content`` is ``NOTHING`` there is none: nobody consented, or nothing may be told. Consent is looked at once
    more when it lands (guarantee 16).
    """

    job: str
    note: str
    conversation: str
    subject: str
    minutes: int
    content: msgspec.Raw
    made_by: str


class NoteRead(Change, frozen=True, kw_only=True, tag="note_read"):
    """Somebody it is for, by their grant, has read a note; the first time counts."""

    note: str
    holder: str = ""


class AlertAcknowledged(Change, frozen=True, kw_only=True, tag="alert_acknowledged"):
    """Who holds a grant looks after an alert. The first time counts; ``companion`` is the alert's own."""

    alert: str
    grant: str
    role: Recipient
    name: str


class AlertReleased(Change, frozen=True, kw_only=True, tag="alert_released"):
    """The safeguarding contact lets family know what an alert is about, or no longer (``allow`` false)."""

    release: str
    alert: str
    grant: str
    name: str
    allow: bool


class PersonTold(Change, frozen=True, kw_only=True, tag="person_told"):
    """The person was told that others consented for them, and who was given a role; by the ids of the records."""

    consents: tuple[str, ...] = ()
    grants: tuple[str, ...] = ()


CareChange: TypeAlias = (
    ConsentDecided | CareContextGiven | NoteMade | NoteRead | AlertAcknowledged | AlertReleased | PersonTold
)
