"""Who may see what: the one table, tried whole (decision D27, guarantee 16)."""

from itertools import product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companions.consent_words import told
from companions.consenting import (
    GIVES,
    REACH,
    STOPPED_BY_A_NO,
    Basis,
    Consent,
    Role,
    Scope,
    granted,
    live,
    may_give,
)
from protocol.access import ACCESS

ROLES: tuple[Role, ...] = get_args(Role)
BASES: tuple[Basis, ...] = get_args(Basis)
SCOPES: tuple[Scope, ...] = get_args(Scope)
TIMES = st.integers(0, 20)
OVERVIEW = "How you have been feeling, and what comes up often, as an overview"

# As the decision says it, written down by hand: role, basis and scope that together open something.
OPENED = {
    ("caregiver", "self", "summaries"),
    ("caregiver", "self", "trends"),
    ("caregiver", "self", "transcripts"),
    ("caregiver", "self", "watching"),
    ("caregiver", "parent", "notes"),
    ("caregiver", "parent", "summaries"),
    ("caregiver", "parent", "trends"),
    ("caregiver", "parent", "transcripts"),
    ("caregiver", "parent", "watching"),
    ("caregiver", "legal_representative", "summaries"),
    ("caregiver", "legal_representative", "trends"),
    ("caregiver", "legal_representative", "transcripts"),
    ("caregiver", "legal_representative", "watching"),
    ("caregiver", "best_interest", "summaries"),
    ("caregiver", "best_interest", "trends"),
}


def consent(
    scope: Scope = "trends",
    basis: Basis = "legal_representative",
    *,
    allowed: bool = True,
    since: int = 5,
    review: int | None = 10,
) -> Consent:
    return Consent(
        id="cns_1",
        giver="" if basis == "self" else "grt_1",
        name="" if basis == "self" else "Maria",
        basis=basis,
        scope=scope,
        allowed=allowed,
        since=since,
        review_at=review if allowed else None,
    )


def may_see(role: Role, scope: Scope, known: list[Consent], at: int) -> bool:
    """Whether a frame that needs ``scope`` is open to ``role`` at all, and consent covers it: as the server asks."""
    needs = {roles[role] for roles in ACCESS.values() if role in roles}
    return scope in needs and granted(scope, known, at)


consents = st.builds(
    consent,
    st.sampled_from(SCOPES),
    st.sampled_from(BASES),
    allowed=st.booleans(),
    since=TIMES,
    review=st.none() | TIMES,
)


@pytest.mark.parametrize(("role", "basis", "scope"), list(product(ROLES, BASES, SCOPES)))
def test_a_consent_opens_what_the_decision_says_and_nothing_else(
    role: Role, basis: Basis, scope: Scope
) -> None:
    given_one = [consent(scope, basis)]
    for seen in SCOPES:
        expected = seen == scope and (role, basis, scope) in OPENED
        assert may_see(role, seen, given_one, 7) is expected


@pytest.mark.parametrize(("role", "basis", "scope"), list(product(ROLES, BASES, SCOPES)))
def test_nobody_consents_without_the_basis(role: Role, basis: Basis, scope: Scope) -> None:
    for own in (None, *BASES):
        may = may_give(role, basis, scope, own)
        assert not may or (basis in GIVES[role] and basis in REACH[scope])
        if role in ("device", "safeguarding", "admin"):
            assert not may
        if role == "caregiver":
            assert may == (own == basis and basis != "self" and basis in REACH[scope])


@pytest.mark.parametrize(("at", "holds"), [(4, False), (5, True), (9, True), (10, False), (11, False)])
def test_a_consent_holds_from_its_beginning_until_its_review(at: int, holds: bool) -> None:
    assert live(consent(), at) is holds


def test_a_consent_that_nobody_will_look_at_again_is_none() -> None:
    assert not live(consent(review=None), 7)


@given(st.lists(consents, max_size=6), st.sampled_from(SCOPES), TIMES)
def test_a_no_of_the_person_stops_words_and_watching_whatever_others_granted(
    known: list[Consent], scope: Scope, at: int
) -> None:
    with_no = [*known, consent(scope, "self", allowed=False)]
    if scope in STOPPED_BY_A_NO:
        assert not granted(scope, with_no, at)
    else:
        assert granted(scope, with_no, at) == granted(scope, known, at)


@given(st.lists(consents, max_size=6), st.sampled_from(SCOPES), TIMES)
def test_without_the_consents_that_hold_nothing_is_seen(known: list[Consent], scope: Scope, at: int) -> None:
    dead = [each for each in known if not live(each, at)]
    assert not any(may_see(role, scope, dead, at) for role in ROLES)


def test_a_persons_no_is_theirs_alone() -> None:
    no_of_another = Consent(
        id="x", giver="grt_1", name="Maria", basis="parent", scope="transcripts", allowed=False, since=1
    )
    assert granted("transcripts", [consent("transcripts", "self"), no_of_another], 7)


def test_the_person_is_told_in_plain_words() -> None:
    at, until = 1_767_344_400_000, 1_783_000_000_000
    given_ones = [
        consent("summaries", "self", since=at, review=until),
        consent("trends", since=at, review=until),
        consent("transcripts", "self", allowed=False),
    ]
    assert told(given_ones, ["Maria", "Otto"], at) == (
        "Short summaries of our talks: can be seen by Maria and Otto. You allowed it, until 2 July 2026.",
        f"{OVERVIEW}: can be seen by Maria and Otto. Maria, who acts for you in law, allowed it, until 2 July 2026.",
        "What we say to each other, word for word: you said no, so nobody sees this.",
    )
    assert told([], [], at) == ("Nothing from our talks is shared with anyone.",)
    assert "at present nobody can see it" in told(given_ones[:1], [], at)[0]
