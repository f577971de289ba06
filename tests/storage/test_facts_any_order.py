"""Whatever is said, found, deleted, put right and taken back, in whatever order: one value holds where one can.

The properties are those of the guarantees 3 to 5, 9 and 19: at most one active value for an attribute that holds
one; every extracted fact rests on a message of its person that is there; what was deleted is in no row; taking the
last change back restores what there was.
"""

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from companions.changes import AnyChange, MessagesRemoved
from companions.fact_changes import (
    FactAdded,
    FactEdited,
    FactsForgotten,
    Keeping,
    MemoryUndone,
)
from storage.apply import apply_all
from storage.connection import InlineStore
from storage.facts import Fact, facts_of, told_facts
from tests.storage.facts_making import COMPANION, OWNER, likes, proposal, proposed, queued, residence
from tests.storage.fresh import empty_store
from tests.storage.making import ANNA, said

PLACES: tuple[str, ...] = ("Lisbon", "Berlin", "Rome")
TALKS: tuple[str, ...] = ("a", "b", "c", "d")
talks = st.sampled_from(TALKS)
places = st.sampled_from(PLACES)
ids = st.sampled_from([f"fct_{talk}" for talk in TALKS] + ["new_1", "new_2", "add_1", "add_2"])


@st.composite
def changes(draw: st.DrawFn) -> AnyChange:
    talk, place, id_ = draw(talks), draw(places), draw(ids)
    negated = draw(st.integers(0, 4)) == 0
    kind = draw(
        st.sampled_from(("found", "found", "found", "edited", "added", "forgotten", "removed", "undone"))
    )
    match kind:
        case "found":
            statement = residence(place, negated=negated) if draw(st.booleans()) else likes(place)
            return proposed(f"job_{talk}", talk, proposal(f"fct_{talk}", statement, f"msg_{talk}_1"))
        case "edited":
            into = draw(st.sampled_from(("new_1", "new_2")))
            return FactEdited(**OWNER, fact=id_, into=into, source=into, text=f"{place}town")
        case "added":
            new = draw(st.sampled_from(("add_1", "add_2")))
            return added(new, place)
        case "forgotten":
            return FactsForgotten(**OWNER, facts=(id_,))
        case "removed":
            return MessagesRemoved(**OWNER, conversation=talk, messages=(f"msg_{talk}_1",))
        case _:
            return MemoryUndone(**OWNER)


def added(id_: str, place: str) -> FactAdded:
    return FactAdded(
        **OWNER,
        fact=id_,
        text=f"My home is {place}",
        statement=residence(place),
        category="identity",
        language="",
        keeping=Keeping(),
        source=id_,
    )


def spoken(store: InlineStore) -> None:
    """Each talk has one message, and a job that has not been done."""
    for talk in TALKS:
        message = said(talk, 1, f"words of {talk}", user=ANNA, companion=COMPANION)
        apply_all(store.db, [message, queued(f"job_{talk}", talk, 1)])


def kept(store: InlineStore) -> tuple[Fact, ...]:
    return facts_of(store.db, user=ANNA, companion=COMPANION, history=True)


def sound(store: InlineStore) -> None:
    facts = kept(store)
    active = Counter(fact.attribute for fact in facts if fact.status == "active")
    assert active["residence"] <= 1
    here = {row[0] for row in store.db.execute("SELECT id FROM messages WHERE removed = 0").fetchall()}
    for fact in facts:
        assert set(fact.sources) <= here
        assert fact.origin != "extracted" or fact.sources
        assert (fact.status in ("superseded", "retracted")) == (fact.valid_to is not None)
        assert fact.status != "proposed" or fact.against
    told = Counter(fact.attribute for fact in told_facts(store.db, user=ANNA, companion=COMPANION))
    assert told["residence"] <= 1
    assert store.db.execute("PRAGMA foreign_key_check").fetchall() == []


@settings(max_examples=150, deadline=None)
@given(st.lists(changes(), max_size=14))
def test_one_value_holds_and_every_fact_has_its_source(history: list[AnyChange]) -> None:
    with empty_store() as store:
        spoken(store)
        for change in history:
            apply_all(store.db, [change])
            sound(store)


@settings(max_examples=80, deadline=None)
@given(st.permutations(TALKS), st.lists(places, min_size=4, max_size=4))
def test_in_whatever_order_jobs_end_what_was_said_last_holds(
    order: list[str], said_places: list[str]
) -> None:
    with empty_store() as store:
        spoken(store)
        of = dict(zip(TALKS, said_places, strict=True))
        for talk in order:
            one = proposal(f"fct_{talk}", residence(of[talk]), f"msg_{talk}_1")
            apply_all(store.db, [proposed(f"job_{talk}", talk, one)])
        assert [fact.value for fact in kept(store) if fact.status == "active"] == [said_places[-1]]


@settings(max_examples=80, deadline=None)
@given(st.lists(places, min_size=4, max_size=4), st.sets(talks))
def test_deleting_messages_leaves_what_the_others_say(said_places: list[str], gone: set[str]) -> None:
    with empty_store() as store:
        spoken(store)
        of = dict(zip(TALKS, said_places, strict=True))
        for talk in TALKS:
            one = proposal(f"fct_{talk}", residence(of[talk]), f"msg_{talk}_1")
            apply_all(store.db, [proposed(f"job_{talk}", talk, one)])
        for talk in gone:
            removed = MessagesRemoved(**OWNER, conversation=talk, messages=(f"msg_{talk}_1",))
            apply_all(store.db, [removed])
            sound(store)
        left = [talk for talk in TALKS if talk not in gone]
        active = [fact.value for fact in kept(store) if fact.status == "active"]
        assert active == ([of[left[-1]]] if left else [])
        assert {fact.value for fact in kept(store)} <= {of[talk] for talk in left}


@settings(max_examples=80, deadline=None)
@given(st.lists(changes(), max_size=8), changes())
def test_the_persons_last_change_can_be_taken_back(history: list[AnyChange], last: AnyChange) -> None:
    if not isinstance(last, FactEdited | FactAdded | FactsForgotten):
        return
    with empty_store() as store:
        spoken(store)
        apply_all(store.db, history)
        before = state(store)
        apply_all(store.db, [last])
        if state(store) != before:
            apply_all(store.db, [MemoryUndone(**OWNER)])
        assert state(store) == before


def state(store: InlineStore) -> list[tuple[Any, ...]]:  # Any: fields of a fact
    """What a person sees of their facts."""
    return [
        (fact.id, fact.value, fact.status, fact.sources, fact.mentions, fact.superseded_by, fact.against)
        for fact in kept(store)
    ]
