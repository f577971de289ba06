"""What the person decides about who may see what, and what they are told of it."""

import sqlite3

from msgspec import UNSET

from actors.ports import CommandRefused, Done
from companions.care_changes import ConsentDecided, ScopeSet
from companions.consent_words import told
from companions.consenting import DAY_MS, Basis, Role, family, live, may_give
from companions.state import Who
from protocol import results
from protocol.care_frames import ConsentEntry, ConsentSet
from protocol.times import milliseconds, rfc3339
from server.ids import new_id
from storage.consents import standing
from storage.grants import holders

YEAR_DAYS = 365


def decided_by_person(who: Who, command: ConsentSet, at: int) -> Done:
    """The person's own decision about what is seen of their talks."""
    return decided(who, command, at, role="person", own="self", giver="", name="")


def decided(
    who: Who, command: ConsentSet, at: int, *, role: Role, own: Basis | None, giver: str, name: str
) -> Done:
    """A decision of ``giver``, whose grant names the basis ``own``; raises ``CommandRefused`` without a basis."""
    scopes = tuple(dict.fromkeys(command.scopes))
    if command.allow and not all(may_give(role, command.basis, scope, own) for scope in scopes):
        raise CommandRefused("policy.refused", "Nobody may consent to that on this basis.")
    if command.basis != own:
        raise CommandRefused("policy.refused", "This is not the basis on which you decide.")
    change = ConsentDecided(
        user=who.user,
        companion=family(who.companion),
        at=at,
        giver=giver,
        name=name,
        basis=command.basis,
        allow=command.allow,
        scopes=tuple(ScopeSet(new_id("cns"), scope) for scope in scopes),
        review_at=_review(command, at),
    )
    return Done(result=results.Done(), changes=(change,))


def _review(command: ConsentSet, at: int) -> int | None:
    if not command.allow:
        return None
    if command.review is UNSET:
        return at + YEAR_DAYS * DAY_MS
    try:
        return milliseconds(command.review)
    except ValueError:
        raise CommandRefused("frame.invalid", "There is no such day - at `$.review`") from None


def consents_told(db: sqlite3.Connection, who: Who, at: int) -> results.Consents:
    """What stands, and what it comes to."""
    now = standing(db, user=who.user, companion=who.companion, at=at)
    readers = holders(db, user=who.user, companion=who.companion, role="caregiver")
    entries = tuple(
        ConsentEntry(
            consent=each.id,
            scope=each.scope,
            basis=each.basis,
            by=each.name or who.user,
            allowed=each.allowed,
            live=live(each, now.at),
            since=rfc3339(each.since),
            review=None if each.review_at is None else rfc3339(each.review_at),
        )
        for each in now.consents
    )
    return results.Consents(consents=entries, say=told(now.consents, [each.name for each in readers], now.at))
