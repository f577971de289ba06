"""Consent: what of a person's talks may be seen by those who care for them, decided in one place (decision D27).

A consent says who gave it, on what basis, for what, from when and until when it is to be looked at again. One that
has expired, was withdrawn, or was given on a basis that does not reach so far, is none. A no by the person stops
transcripts and watching, whatever others granted, until the person takes it back.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

Role: TypeAlias = Literal["device", "person", "caregiver", "safeguarding", "admin"]
Basis: TypeAlias = Literal["self", "parent", "legal_representative", "best_interest"]
Scope: TypeAlias = Literal["notes", "summaries", "trends", "transcripts", "watching"]

DAY_MS = 24 * 3_600_000
LONGEST_DAYS = 366  # by then a consent is looked at again, or it is none

REACH: dict[Scope, frozenset[Basis]] = {
    "notes": frozenset({"parent"}),  # the tutor's document: the parent's consent, and no other
    "summaries": frozenset({"self", "parent", "legal_representative", "best_interest"}),
    "trends": frozenset({"self", "parent", "legal_representative", "best_interest"}),
    "transcripts": frozenset({"self", "parent", "legal_representative"}),
    "watching": frozenset({"self", "parent", "legal_representative"}),
}
"""On which bases each may be consented to. What somebody holds to be in a person's interest opens no word of theirs."""

STOPPED_BY_A_NO: frozenset[Scope] = frozenset({"transcripts", "watching"})

GIVES: dict[Role, frozenset[Basis]] = {
    "device": frozenset(),
    "person": frozenset({"self"}),
    "caregiver": frozenset({"parent", "legal_representative", "best_interest"}),
    "safeguarding": frozenset(),
    "admin": frozenset(),
}
"""On which bases each role may consent. A caregiver's grant names the one that holds for them, or none."""


class Consent(msgspec.Struct, frozen=True, kw_only=True):
    """A consent (or, where not ``allowed``, a no) that was not withdrawn. Times are milliseconds since 1970.

    ``giver`` is empty for the person, else the grant of whoever gave it.
    """

    id: str
    giver: str
    name: str
    basis: Basis
    scope: Scope
    allowed: bool
    since: int
    review_at: int | None = None  # a no has none: it stands until it is taken back


def live(consent: Consent, at: int) -> bool:
    """Whether ``consent`` holds at ``at``; one without a date to look at it again never does."""
    return (
        consent.allowed
        and consent.basis in REACH[consent.scope]
        and consent.review_at is not None
        and consent.since <= at < consent.review_at
    )


def refused(scope: Scope, consents: Iterable[Consent]) -> bool:
    """Whether the person's own no stands against ``scope``."""
    return scope in STOPPED_BY_A_NO and any(
        not each.allowed and each.giver == "" and each.scope == scope for each in consents
    )


def granted(scope: Scope, consents: Iterable[Consent], at: int) -> bool:
    """Whether a live consent covers ``scope`` at ``at``, and no no of the person stands against it."""
    known = tuple(consents)
    return not refused(scope, known) and any(each.scope == scope and live(each, at) for each in known)


def watched_until(consents: Iterable[Consent], at: int) -> int | None:
    """Until when somebody may look on at a talk as consent stands at ``at``; None where they may not."""
    known = tuple(consents)
    if not granted("watching", known, at):
        return None
    return max(each.review_at or at for each in known if each.scope == "watching" and live(each, at))


def may_give(role: Role, basis: Basis, scope: Scope, own: Basis | None) -> bool:
    """Whether ``role``, whose grant names the basis ``own``, may consent to ``scope`` on ``basis``."""
    if basis not in GIVES[role] or basis not in REACH[scope]:
        return False
    return role == "person" or basis == own


def family(companion: str) -> str:
    """For whom consent is given: all members of a family of companions alike."""
    return companion.partition("/")[0]
