"""Consents in the store: what stands, what ends what, and what a wrong clock may not bring about."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companions.care_changes import ConsentDecided, ScopeSet
from companions.changes import Landed, Refused
from companions.consenting import DAY_MS, Basis, Scope
from storage.apply import apply_all
from storage.connection import inline, transacted
from storage.consents import believed, standing
from storage.erased import LEDGER_FILE, erased_before
from storage.erasing import hold_against
from storage.grants import BothRoles, Grant, digest_of, end, give, grant_of, holders
from tests.storage.making import ANNA, BERT, said

NOW = 1_767_344_400_000
SCOPES: tuple[Scope, ...] = ("trends", "transcripts")
COUNT = iter(range(10_000_000))


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with inline(tmp_path / "fireside.db") as store:
        yield store.db


def decided(
    *scopes: Scope,
    allow: bool = True,
    giver: str = "grt_m",
    basis: Basis = "legal_representative",
    at: int = NOW,
    days: int = 30,
    user: str = ANNA,
) -> ConsentDecided:
    return ConsentDecided(
        user=user,
        companion="clara",
        at=at,
        giver=giver,
        name="Maria" if giver else "",
        basis=basis,
        allow=allow,
        scopes=tuple(ScopeSet(f"cns_{next(COUNT)}", scope) for scope in scopes),
        review_at=at + days * DAY_MS if allow else None,
    )


def by_person(*scopes: Scope, allow: bool, at: int = NOW) -> ConsentDecided:
    return decided(*scopes, allow=allow, giver="", basis="self", at=at)


def seen(
    db: sqlite3.Connection,
    scope: Scope,
    at: int = NOW + 1,
    *,
    companion: str = "clara",
    user: str = ANNA,
) -> bool:
    return standing(db, user=user, companion=companion, at=at).granted(scope)


def test_consent_appears_expires_and_is_withdrawn(db: sqlite3.Connection) -> None:
    assert not seen(db, "trends")
    assert apply_all(db, [decided("trends", "summaries")]) == [Landed()]
    assert seen(db, "trends")
    assert seen(db, "summaries")
    assert not seen(db, "transcripts")
    assert not standing(db, user=BERT, companion="clara", at=NOW + 1).granted("trends")
    assert not seen(db, "trends", NOW + 30 * DAY_MS)
    apply_all(db, [decided("trends", allow=False)])
    assert not seen(db, "trends")
    assert seen(db, "summaries")


def test_a_consent_is_for_the_whole_family_of_companions(db: sqlite3.Connection) -> None:
    apply_all(db, [decided("trends")])
    assert seen(db, "trends", companion="clara/of_the_garden")
    assert not seen(db, "trends", companion="serenity")


@pytest.mark.parametrize("days", [0, -1, 367])
def test_a_consent_that_is_not_looked_at_again_within_a_year_is_refused(
    db: sqlite3.Connection, days: int
) -> None:
    assert apply_all(db, [decided("trends", days=days)]) == [Refused("policy.refused")]
    assert not seen(db, "trends")


def test_a_basis_that_does_not_reach_so_far_opens_nothing(db: sqlite3.Connection) -> None:
    wide = decided("summaries", "transcripts", basis="best_interest")
    assert apply_all(db, [wide]) == [Refused("policy.refused")]
    assert not seen(db, "summaries")


def test_a_clock_that_goes_back_revives_no_consent(db: sqlite3.Connection) -> None:
    apply_all(db, [decided("trends", days=1)])
    apply_all(db, [said("c", 1, at=NOW + 2 * DAY_MS)])
    assert not seen(db, "trends", NOW + 1)
    assert not seen(db, "trends", 0)


def test_the_persons_no_ends_what_others_granted_and_stands_against_what_comes(
    db: sqlite3.Connection,
) -> None:
    apply_all(db, [decided("transcripts", "watching", "trends")])
    apply_all(db, [by_person("transcripts", "watching", allow=False)])
    assert not seen(db, "transcripts")
    assert seen(db, "trends")
    apply_all(db, [decided("transcripts")])
    assert not seen(db, "transcripts")
    apply_all(db, [by_person("transcripts", allow=True)])
    assert seen(db, "transcripts")
    assert not seen(db, "watching")


def test_a_withdrawn_consent_stays_withdrawn_when_an_older_copy_comes_back(tmp_path: Path) -> None:
    with inline(tmp_path / "fireside.db") as store, inline(tmp_path / "old" / "copy.db") as copy:
        mine, theirs = decided("trends"), decided("transcripts")
        transacted(store.db, lambda db: apply_all(db, [mine, theirs]))
        transacted(copy.db, lambda db: apply_all(db, [mine, theirs]))
        transacted(store.db, lambda db: apply_all(db, [decided("trends", allow=False, at=NOW + 5)]))
        transacted(store.db, lambda db: apply_all(db, [by_person("transcripts", allow=False, at=NOW + 6)]))
        assert seen(copy.db, "trends")
        transacted(copy.db, lambda db: hold_against(db, erased_before(tmp_path / LEDGER_FILE)))
        assert not seen(copy.db, "trends")
        assert not seen(copy.db, "transcripts")


def grant(name: str, role: str = "caregiver", *, companion: str = "", user: str = ANNA) -> Grant:
    return Grant(
        id=f"grt_{name}_{role}",
        name=name,
        role="safeguarding" if role == "safeguarding" else "caregiver",
        user=user,
        companion=companion,
        basis=None,
    )


def test_a_token_shows_a_grant_until_it_ends(db: sqlite3.Connection) -> None:
    give(db, grant("Maria", companion="clara"), digest=digest_of("a token"), at=1)
    assert grant_of(db, "a token") == grant("Maria", companion="clara")
    assert grant_of(db, digest_of("a token")) is None
    assert grant_of(db, "A token") is None
    assert [each.name for each in holders(db, user=ANNA, companion="clara", role="caregiver")] == ["Maria"]
    assert not holders(db, user=ANNA, companion="serenity", role="caregiver")
    assert not holders(db, user=BERT, companion="clara", role="caregiver")
    assert end(db, "grt_Maria_caregiver", at=2)
    assert grant_of(db, "a token") is None
    assert not holders(db, user=ANNA, companion="clara", role="caregiver")


def test_with_a_grant_ends_what_its_holder_consented_to(db: sqlite3.Connection) -> None:
    give(db, grant("Maria"), digest="d", at=1)
    apply_all(db, [decided("trends", giver="grt_Maria_caregiver")])
    end(db, "grt_Maria_caregiver", at=NOW + 2)
    assert not seen(db, "trends")


def test_a_caregiver_is_not_the_safeguarding_contact_too(db: sqlite3.Connection) -> None:
    give(db, grant("Maria"), digest="one", at=1)
    with pytest.raises(BothRoles):
        give(db, grant("maria", "safeguarding", companion="clara"), digest="two", at=1)
    give(db, grant("Maria", "safeguarding", user=BERT), digest="three", at=1)


decisions = st.lists(
    st.tuples(
        st.sampled_from(["grt_m", "grt_o", ""]),
        st.sampled_from(["trends", "transcripts"]),
        st.booleans(),
        st.integers(1, 40),
    ),
    max_size=12,
)


@given(decisions)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_after_any_order_of_decisions_only_what_stands_opens_anything(
    db: sqlite3.Connection, taken: list[tuple[str, Scope, bool, int]]
) -> None:
    """Against a model that holds the last decision of each; every example is about somebody else."""
    user, at = f"usr_{next(COUNT)}", believed(db, NOW)
    last: dict[tuple[str, Scope], tuple[bool, int]] = {}
    for giver, scope, allow, days in taken:
        at += DAY_MS
        basis: Basis = "legal_representative" if giver else "self"
        apply_all(db, [decided(scope, allow=allow, giver=giver, basis=basis, at=at, days=days, user=user)])
        if scope == "transcripts" and not giver and not allow:
            last = {key: value for key, value in last.items() if key[1] != scope}
        last[giver, scope] = (allow, at + days * DAY_MS)
    for scope in SCOPES:
        no = scope == "transcripts" and ("", scope) in last and not last["", scope][0]
        held = any(allow and at < until for (_, each), (allow, until) in last.items() if each == scope)
        assert seen(db, scope, at, user=user) == (held and not no)
