"""Getting to know a person over the wire: what is known, what is asked next, and an answer or a word to leave it out.

Which questions were answered or left out is kept with the settings, so that it goes on where it was left.
"""

import sqlite3

import msgspec
from msgspec import UNSET

from actors.ports import CommandRefused, Done
from companions.changes import ProfileSet, SettingSet
from companions.companion import Companion
from companions.policy import ProfileField
from companions.state import Who
from companions.welcoming import CHOICES, kind_of, still_open
from protocol import person_frames as people
from protocol.values import JsonObject
from storage.people import profile, settings

SEEN = "welcome.seen"


def _known(db: sqlite3.Connection, who: Who) -> JsonObject:
    raw = profile(db, user=who.user, companion=who.companion)
    return {} if raw is None else msgspec.json.decode(raw, type=JsonObject)


def _seen(db: sqlite3.Connection, who: Who) -> tuple[str, ...]:
    kept = settings(db, user=who.user, companion=who.companion).get(SEEN)
    return () if kept is None else tuple(kept.split())


def profile_now(db: sqlite3.Connection, companion: Companion, who: Who) -> people.ProfileNow:
    """The profile, and what is asked next."""
    return _now(companion, _known(db, who), _seen(db, who))


def _now(companion: Companion, known: JsonObject, seen: tuple[str, ...]) -> people.ProfileNow:
    asks, words = companion.policy.welcome.asks, companion.texts.welcome
    left = still_open(asks, known, seen)
    asked = None
    if left:
        field = left[0]
        asked = people.ProfileAsk(
            field=field, say=words[field], kind=kind_of(field), choices=CHOICES.get(field, ())
        )
    begins = bool(left) and not seen
    return people.ProfileNow(
        profile=msgspec.convert(known, people.Profile),
        missing=left,
        ask=asked,
        say=words["begin"] if begins else words["done"] if asks and not left else None,
    )


def profile_answered(
    db: sqlite3.Connection, companion: Companion, who: Who, command: people.ProfileAnswer, at: int
) -> Done:
    """One answer, or a word to leave the question out; raises ``CommandRefused`` where it does not fit."""
    if command.field not in companion.policy.welcome.asks:
        raise CommandRefused("policy.refused", "This companion does not ask that.")
    known, seen = _known(db, who), _seen(db, who)
    seen = tuple(dict.fromkeys((*seen, command.field)))
    noted = SettingSet(user=who.user, companion=who.companion, at=at, key=SEEN, value=" ".join(seen))
    if command.value is UNSET:
        return Done(result=_now(companion, known, seen), changes=(noted,))
    known = msgspec.json.decode(
        msgspec.json.encode(_with(known, command.field, command.value)), type=JsonObject
    )
    raw = msgspec.Raw(msgspec.json.encode(known))
    kept = ProfileSet(user=who.user, companion=who.companion, at=at, profile=raw)
    return Done(result=_now(companion, known, seen), changes=(kept, noted))


def _with(known: JsonObject, field: ProfileField, value: str | int | tuple[str, ...]) -> people.Profile:
    try:
        return msgspec.convert({**known, field: value}, people.Profile)
    except msgspec.ValidationError:
        raise CommandRefused("frame.invalid", "The answer is not of the kind that was asked for.") from None
