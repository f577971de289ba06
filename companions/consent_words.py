"""Consent in plain words, for the person it is about: what is shared, with whom, by whose leave, until when."""

from collections.abc import Sequence
from datetime import UTC, datetime

from companions.consenting import Basis, Consent, Scope, granted, live, refused

_WHAT: dict[Scope, str] = {
    "notes": "Short notes about the lessons",
    "summaries": "Short summaries of our talks",
    "trends": "How you have been feeling, and what comes up often, as an overview",
    "transcripts": "What we say to each other, word for word",
    "watching": "Our talks, while we have them",
}
_AS: dict[Basis, str] = {
    "self": "You allowed it",
    "parent": "{name}, as your parent, allowed it",
    "legal_representative": "{name}, who acts for you in law, allowed it",
    "best_interest": "{name}, who cares for you, allowed it",
}
_BY: dict[Basis, str] = {
    "self": "You",
    "parent": "{name}, as your parent,",
    "legal_representative": "{name}, who acts for you in law,",
    "best_interest": "{name}, who cares for you,",
}
_SHORT: dict[Scope, str] = {
    "notes": "short notes about our lessons",
    "summaries": "short summaries of our talks",
    "trends": "how you have been feeling",
    "transcripts": "what we say to each other",
    "watching": "our talks while we have them",
}
_GIVEN = {
    "caregiver": "{name} is one of those who look after you here.",
    "safeguarding": "{name} is there for you here if somebody ever does you harm.",
}
_NOTHING = "Nothing from our talks is shared with anyone."
_NO = "{what}: you said no, so nobody sees this."


def told(consents: Sequence[Consent], readers: Sequence[str], at: int) -> tuple[str, ...]:
    """What is shared at ``at``; ``readers`` are those who may read what is consented to, by name."""
    lines = [_line(scope, consents, readers, at) for scope in _WHAT if granted(scope, consents, at)]
    said_no = [_NO.format(what=what) for scope, what in _WHAT.items() if refused(scope, consents)]
    return (*(lines or [_NOTHING]), *said_no)


def news(consents: Sequence[Consent], grants: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """What the companion tells the person of what others decided: ``grants`` are pairs of role and name.

    Each consent of the same person on the same basis is one sentence.
    """
    lines = [_GIVEN[role].format(name=name) for role, name in grants]
    given: dict[tuple[str, Basis, str], None] = {
        (each.giver, each.basis, each.name): None for each in consents
    }
    for giver, basis, name in given:
        scopes = {each.scope for each in consents if (each.giver, each.basis) == (giver, basis)}
        what = [_SHORT[scope] for scope in _WHAT if scope in scopes]
        lines.append(
            f"{_BY[basis].format(name=name)} said that those who look after you may see {_listed(what)}."
        )
    return tuple(lines)


def _line(scope: Scope, consents: Sequence[Consent], readers: Sequence[str], at: int) -> str:
    by = next(each for each in reversed(consents) if each.scope == scope and live(each, at))
    whom = (
        f"can be seen by {_listed(readers)}" if readers else "could be shared; at present nobody can see it"
    )
    return f"{_WHAT[scope]}: {whom}. {_AS[by.basis].format(name=by.name)}, until {_day(by.review_at or at)}."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _day(at: int) -> str:
    day = datetime.fromtimestamp(at / 1_000, UTC)
    return f"{day.day} {day:%B %Y}"
