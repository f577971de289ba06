"""The person's hold on what is kept of them: add, put right, pin, forget, take back (guarantees 9 and 19, D19, D21)."""

import sqlite3
from typing import Any

from companions.changes import CommandDone, CommandId, Landed, Refused
from companions.fact_changes import (
    FactAdded,
    FactEdited,
    FactPinned,
    FactsForgotten,
    Keeping,
    MemorySwitched,
    MemoryUndone,
)
from memory.statements_kinds import Statement
from storage.connection import Store
from storage.facts import lasting_facts, present_form, told_facts
from storage.facts_removed import facts_without
from tests.storage.contract.landing import land
from tests.storage.facts_making import (
    COMPANION,
    OWNER,
    found,
    holds,
    kept,
    likes,
    proposal,
    proposed,
    queued,
    residence,
    saying,
)
from tests.storage.making import ANNA, raw, said

SURE = Keeping()


def added(
    fact: str, text: str, statement: Statement | None = None, **more: Any
) -> FactAdded:  # Any: keywords
    fields: dict[str, Any] = {  # Any: as above
        **OWNER,
        "fact": fact,
        "text": text,
        "statement": statement,
        "category": "identity",
        "language": "",
        "keeping": SURE,
        "source": f"cmd_{fact}",
    }
    return FactAdded(**(fields | more))


def edited(fact: str, text: str | None = None, into: str = "new", **more: Any) -> FactEdited:  # Any: as above
    return FactEdited(**OWNER, fact=fact, into=into, source=f"cmd_{into}", text=text, **more)


async def told(store: Store) -> list[str]:
    facts = await store.read(lambda db: told_facts(db, user=ANNA, companion=COMPANION))
    return sorted(fact.value for fact in facts)


async def test_what_is_said_to_be_remembered_is_sure_at_once_and_no_duplicate(store: Store) -> None:
    assert await land(store, added("f1", "I take my tea black"), added("f2", "i take my TEA black")) == [
        Landed(),
        Landed(),
    ]
    (tea,) = await kept(store)
    assert (tea.confidence, tea.origin, tea.sources) == (1.0, "said", ())


async def test_what_is_added_ends_what_it_contradicts(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    await land(store, added("f", "I live in Rome now", residence("Rome")))
    assert await holds(store) == ["I live in Rome now"]


async def test_an_edit_is_a_new_version_and_the_second_device_learns_of_it(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    assert await land(store, edited("fct_a_1", "Sintra", into="e1")) == [Landed()]
    assert await land(store, edited("fct_a_1", "Porto", into="e2")) == [Refused("state.conflict")]
    now = await store.read(lambda db: present_form(db, user=ANNA, companion=COMPANION, id="fct_a_1"))
    assert now is not None
    assert (now.id, now.value, now.origin, now.replaces, now.confidence) == (
        "e1",
        "Sintra",
        "edited",
        "fct_a_1",
        1.0,
    )


async def test_a_change_that_expects_another_state_is_refused(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    assert await land(store, edited("fct_a_1", "Sintra", expects=0)) == [Refused("state.conflict")]
    assert await holds(store) == ["Lisbon"]


async def test_nothing_extracted_overwrites_an_edit_and_neither_is_told_until_they_decide(
    store: Store,
) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    await land(store, edited("fct_a_1", "Sintra", into="e1"))
    await found(store, "b", ("I moved to Rome", residence("Rome")))
    facts = {fact.value: fact for fact in await kept(store)}
    assert (facts["Rome"].status, facts["Rome"].against) == ("proposed", ("e1",))
    assert facts["Sintra"].status == "active"
    assert await told(store) == []
    await land(store, edited("fct_b_1", enabled=True))
    assert await holds(store) == ["Rome"]
    assert await told(store) == ["Rome"]


async def test_forgetting_a_proposal_leaves_what_was_edited(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    await land(store, edited("fct_a_1", "Sintra", into="e1"))
    await found(store, "b", ("I moved to Rome", residence("Rome")))
    await land(store, FactsForgotten(**OWNER, facts=("fct_b_1",)))
    assert await told(store) == ["Sintra"]


async def test_putting_an_edited_fact_right_again_answers_the_proposal(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    await land(store, edited("fct_a_1", "Sintra", into="e1"))
    await found(store, "b", ("I moved to Rome", residence("Rome")))
    await land(store, edited("e1", "Cascais", into="e2"))
    assert await told(store) == ["Cascais"]


async def test_deleting_the_message_keeps_the_edit_and_not_the_text_it_came_from(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    await land(store, edited("fct_a_1", "Sintra", into="e1"))
    await store.transact(lambda db: facts_without(db, said("a", 1, **OWNER), ["msg_a_1"]))
    (sintra,) = await kept(store)
    assert (sintra.value, sintra.replaces) == ("Sintra", None)
    await land(store, MemoryUndone(**OWNER))
    assert [fact.value for fact in await kept(store)] == ["Sintra"]


async def test_what_is_forgotten_is_not_found_again_in_what_was_said_before(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    await land(store, FactsForgotten(**OWNER, facts=("fct_a_1",)))
    later = said("a", 2, "good night", companion=COMPANION)
    await land(store, later, queued("again", "a", 2))
    again = proposal("fct_again", residence("Lisbon"), "msg_a_1")
    assert await land(store, proposed("again", "a", again)) == [Landed()]
    assert await kept(store) == ()
    await found(store, "b", ("I live in Lisbon", residence("Lisbon")))
    assert await holds(store) == ["Lisbon"]


async def test_a_mark_holds_no_word(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    await land(store, FactsForgotten(**OWNER, facts=("fct_a_1",)))

    def rows(db: sqlite3.Connection) -> list[tuple[Any, ...]]:  # Any: a row
        return db.execute("SELECT * FROM forgotten").fetchall()

    (row,) = await store.read(rows)
    assert "lisbon" not in str(row).lower()


async def test_forgetting_a_fact_does_not_bring_back_what_it_had_ended(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    await found(store, "b", ("I moved to Berlin", residence("Berlin")))
    await land(store, FactsForgotten(**OWNER, facts=("fct_b_1",)))
    assert await holds(store) == []
    assert [fact.status for fact in await kept(store)] == ["superseded"]


async def test_a_category_is_forgotten_whole(store: Store) -> None:
    await found(store, "a", ("I like jazz", likes("jazz")), ("and tea", likes("tea")))
    await land(store, added("f", "My code is 4711", category="other"))
    await land(store, FactsForgotten(**OWNER, category="identity"))
    assert await holds(store) == ["My code is 4711"]


async def test_the_last_change_is_taken_back_once(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    before = await kept(store)
    for change in (
        FactsForgotten(**OWNER, facts=("fct_a_1",)),
        FactsForgotten(**OWNER, category="identity"),
        edited("fct_a_1", "Sintra"),
        edited("fct_a_1", category="event", enabled=False),
        added("f", "I live in Rome", residence("Rome")),
        FactPinned(**OWNER, fact="fct_a_1", pinned=True),
    ):
        assert await land(store, change) == [Landed()]
        assert await kept(store) != before
        await land(store, MemoryUndone(**OWNER))
        assert await kept(store) == before
        await land(store, MemoryUndone(**OWNER))
        assert await kept(store) == before


async def test_taking_back_never_lets_two_values_hold(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    await land(store, FactsForgotten(**OWNER, facts=("fct_a_1",)))
    await found(store, "b", ("I moved to Rome", residence("Rome")))
    await land(store, MemoryUndone(**OWNER))
    assert await holds(store) == ["Rome"]


async def test_what_is_forgotten_is_out_of_the_kept_results_too(store: Store) -> None:
    kept_result = CommandDone(
        **OWNER,
        command=CommandId(space="s", id="cmd_f", digest="d"),
        result=raw('{"fact": {"fact": "f", "text": "canary"}}'),
    )
    await land(store, added("f", "canary"), kept_result)
    await land(store, FactsForgotten(**OWNER, facts=("f",)))

    def results(db: sqlite3.Connection) -> list[tuple[bytes | None]]:
        return db.execute("SELECT result FROM commands").fetchall()

    assert await store.read(results) == [(None,)]


async def test_at_the_hard_limit_nothing_new_is_kept_and_a_change_of_mind_is(store: Store) -> None:
    few = Keeping(hard_limit=1)
    await land(store, added("f1", "I live in Lisbon", residence("Lisbon"), keeping=few))
    assert await land(store, added("f2", "I like tea", likes("tea"), keeping=few)) == [
        Refused("policy.refused")
    ]
    assert await land(store, added("f3", "I live in Rome", residence("Rome"), keeping=few)) == [Landed()]
    assert await holds(store) == ["I live in Rome"]


async def test_while_it_is_switched_off_nothing_is_kept_and_nothing_told(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    await land(store, MemorySwitched(**OWNER, enabled=False), *saying("b", "I moved to Rome"))
    assert await land(store, added("f", "tea")) == [Refused("policy.refused")]
    assert await told(store) == []
    await land(store, MemorySwitched(**OWNER, enabled=True), queued("j", "b", 1))
    await land(store, proposed("j", "b", proposal("f", residence("Rome"), "msg_b_1")))
    assert await told(store) == ["Lisbon"]


async def test_a_pinned_and_a_disabled_fact_are_kept_and_the_disabled_one_is_not_told(store: Store) -> None:
    await found(store, "a", ("I like jazz", likes("jazz")), ("and tea", likes("tea")))
    await land(store, FactPinned(**OWNER, fact="fct_a_1", pinned=True), edited("fct_a_2", enabled=False))
    jazz, tea = await kept(store)
    assert (jazz.pinned, tea.enabled) == (True, False)
    assert await told(store) == ["jazz"]


async def test_another_persons_fact_is_unknown(store: Store) -> None:
    await found(store, "a", ("I like jazz", likes("jazz")))
    theirs: dict[str, Any] = OWNER | {"user": "usr_eve"}  # Any: keywords of structs
    for change in (
        FactEdited(**theirs, fact="fct_a_1", into="x", source="s", text="polka"),
        FactPinned(**theirs, fact="fct_a_1", pinned=True),
        FactsForgotten(**theirs, facts=("fct_a_1",)),
    ):
        assert await land(store, change) == [Refused("memory.unknown")]
    assert await holds(store) == ["jazz"]


async def test_what_rests_on_messages_alone_is_known_with_them(store: Store) -> None:
    await found(store, "a", ("I like jazz", likes("jazz")), ("and tea", likes("tea")))
    await found(store, "b", ("jazz again", likes("jazz")))
    await found(store, "c", ("I like my garden", likes("my garden")))
    await land(
        store, added("walks", "I like walks", likes("walks")), added("g", "my garden", likes("my garden"))
    )
    every = await kept(store)
    (garden,) = [each for each in every if each.value == "my garden" and each.status == "active"]
    assert garden.sources == ("msg_c_1",)  # and the command
    lasting = await store.read(lambda db: lasting_facts(db, user=ANNA, companion=COMPANION))
    grounds = {each.id: each.sources for each in every if each.id not in lasting}
    assert grounds == {"fct_a_1": ("msg_a_1", "msg_b_1"), "fct_a_2": ("msg_a_2",)}
    assert lasting == {garden.id, "walks"}, "the person asked for these"
    assert await store.read(lambda db: lasting_facts(db, user="bert", companion=COMPANION)) == frozenset()
