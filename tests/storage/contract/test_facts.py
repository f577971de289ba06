"""What a talk proposes becomes facts by code, on the facts that are there (guarantees 3 to 7, D19 to D21)."""

import sqlite3

import pytest

from companions.changes import Landed, Refused
from companions.fact_changes import Denial, Keeping
from storage.connection import Store
from storage.engine import errors
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
from tests.storage.making import ANNA, BERT, answered, emotion, said


async def test_a_move_ends_the_old_place_and_says_when(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    await found(store, "b", ("I moved to Berlin", residence("Berlin")))
    old, new = await kept(store)
    assert (old.value, old.status, old.superseded_by) == ("Lisbon", "superseded", new.id)
    assert (new.value, new.status, new.sources) == ("Berlin", "active", ("msg_b_1",))
    assert old.valid_to == new.valid_from


async def test_a_fact_has_the_language_of_the_message_it_rests_on(store: Store) -> None:
    await found(store, "a", ("Ich wohne in Berlin", residence("Berlin")))
    await found(store, "b", ("I like jazz", likes("jazz")))
    await found(store, "c", ("Jazz!", likes("swing")))
    assert [(fact.value, fact.language) for fact in await kept(store)] == [
        ("Berlin", "de"),
        ("jazz", "en"),
        ("swing", ""),
    ]


async def test_what_was_said_later_holds_in_whatever_order_jobs_end(store: Store) -> None:
    await land(store, *saying("a", "I live in Lisbon"), *saying("b", "I moved to Berlin"))
    await land(store, queued("ja", "a", 1), queued("jb", "b", 1))
    await land(store, proposed("jb", "b", proposal("f_b", residence("Berlin"), "msg_b_1")))
    await land(store, proposed("ja", "a", proposal("f_a", residence("Lisbon"), "msg_a_1")))
    assert await holds(store) == ["Berlin"]


async def test_several_likes_hold_at_once_and_a_mention_makes_sure(store: Store) -> None:
    await found(store, "a", ("I like jazz", likes("jazz")), ("and tea", likes("tea")))
    await found(store, "b", ("jazz again", likes("jazz")))
    jazz, tea = await kept(store)
    assert (jazz.confidence, jazz.mentions, jazz.sources) == (0.6, 2, ("msg_a_1", "msg_b_1"))
    assert (tea.confidence, tea.mentions) == (0.5, 1)


async def test_certainty_ends_at_the_most(store: Store) -> None:
    for talk in "abcdefgh":
        await found(store, talk, ("I like jazz", likes("jazz")))
    (jazz,) = await kept(store)
    assert (jazz.mentions, jazz.confidence) == (8, 0.95)


async def test_a_job_takes_effect_once(store: Store) -> None:
    await found(store, "a", ("I like jazz", likes("jazz")), name="j")
    again = proposed("j", "a", proposal("other", likes("tea"), "msg_a_1"))
    assert await land(store, again) == [Refused("state.conflict")]
    assert await holds(store) == ["jazz"]


async def test_what_was_taken_back_was_never_true(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    await found(store, "b", ("I moved to Berlin", residence("Berlin")))
    await land(store, *saying("c", "I never said that"), queued("jc", "c", 1))
    await land(store, proposed("jc", "c", denials=(Denial(message="msg_c_1", claim="You live in Berlin."),)))
    assert {fact.value: fact.status for fact in await kept(store)} == {
        "Lisbon": "active",
        "Berlin": "retracted",
    }


async def test_deleting_the_newer_message_opens_the_older_fact_again(store: Store) -> None:
    await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
    await found(store, "b", ("I moved to Berlin", residence("Berlin")))
    await store.transact(lambda db: facts_without(db, said("b", 1, **OWNER), ["msg_b_1"]))
    (lisbon,) = await kept(store)
    assert (lisbon.value, lisbon.status, lisbon.valid_to) == ("Lisbon", "active", None)


async def test_deleting_what_ended_a_fact_opens_it_again(store: Store) -> None:
    await found(store, "a", ("I like jazz", likes("jazz")))
    await found(store, "b", ("I do not like jazz any more", likes("jazz", negated=True)))
    assert await holds(store) == []
    await store.transact(lambda db: facts_without(db, said("b", 1, **OWNER), ["msg_b_1"]))
    assert await holds(store) == ["jazz"]


async def test_a_source_less_leaves_the_fact_and_the_last_takes_it(store: Store) -> None:
    await found(store, "a", ("I like jazz", likes("jazz")))
    await found(store, "b", ("jazz again", likes("jazz")))
    await store.transact(lambda db: facts_without(db, said("a", 1, **OWNER), ["msg_a_1"]))
    (jazz,) = await kept(store)
    assert (jazz.sources, jazz.mentions, jazz.confidence) == (("msg_b_1",), 1, 0.5)
    await store.transact(lambda db: facts_without(db, said("b", 1, **OWNER), ["msg_b_1"]))
    assert await kept(store) == ()


async def test_a_chain_closes_over_what_is_taken_out_of_it(store: Store) -> None:
    for talk, place in (("a", "Lisbon"), ("b", "Berlin"), ("c", "Rome")):
        await found(store, talk, (f"I live in {place}", residence(place)))
    await store.transact(lambda db: facts_without(db, said("b", 1, **OWNER), ["msg_b_1"]))
    lisbon, rome = await kept(store)
    assert (lisbon.superseded_by, rome.status) == (rome.id, "active")
    await store.transact(lambda db: facts_without(db, said("c", 1, **OWNER), ["msg_c_1"]))
    assert await holds(store) == ["Lisbon"]


@pytest.mark.parametrize("cited", ["msg_x_1", "msg_b_1", "msg_a_9", "nothing"])
async def test_a_proposal_that_cites_what_is_not_in_its_batch_is_refused(store: Store, cited: str) -> None:
    await land(store, *saying("a", "I like jazz"), *saying("b", "I like jazz"))
    await land(store, *saying("x", "I like jazz", user=BERT), queued("j", "a", 1))
    await land(store, proposed("j", "a", proposal("f", likes("jazz"), "msg_a_1", cited)))
    assert await kept(store) == ()


async def test_the_companions_words_ground_nothing(store: Store) -> None:
    await land(
        store,
        said("a", 1, "hello", companion=COMPANION),
        answered("a", 2, "you love jazz", companion=COMPANION),
        queued("j", "a", 2),
    )
    await land(store, proposed("j", "a", proposal("f", likes("jazz"), "msg_a_2"), made_by="a model"))
    assert await kept(store) == ()


async def test_words_about_abuse_and_self_harm_stay_out(store: Store) -> None:
    await land(store, said("a", 1, "I live with my uncle, he hits me", companion=COMPANION))
    row = emotion("msg_a_1", crisis_category="abuse", crisis_severity=2)
    await land(store, answered("a", 2, companion=COMPANION, emotion=row), queued("j", "a", 2))
    await land(store, proposed("j", "a", proposal("f", residence("uncle"), "msg_a_1")))
    assert await kept(store) == ()


async def test_the_database_itself_refuses_a_fact_without_words_of_its_person(store: Store) -> None:
    await found(store, "a", ("I like jazz", likes("jazz")))
    await land(store, *saying("x", "I like tea", user=BERT))
    for statement in (
        "UPDATE facts SET grounds = NULL",
        "UPDATE facts SET grounds = 'msg_x_1'",
        "UPDATE facts SET grounds = 'nothing'",
        "INSERT INTO fact_sources SELECT fact, user_id, companion, kind, 's', 'msg_x_1', said, at FROM fact_sources",
    ):

        def run(db: sqlite3.Connection, statement: str = statement) -> None:
            db.execute(statement)

        with pytest.raises(errors("IntegrityError")):
            await store.transact(run)


async def test_ten_thousand_proposals_are_not_listened_to_and_the_hard_limit_holds(store: Store) -> None:
    await land(store, *saying("a", " ".join(f"thing{at}" for at in range(300))), queued("j", "a", 1))
    many = [proposal(f"f{at}", likes(f"thing{at}"), "msg_a_1") for at in range(10_000)]
    await land(store, proposed("j", "a", *many, keeping=Keeping(hard_limit=100)))
    assert len(await kept(store)) == 100


@pytest.mark.parametrize(
    "statement",
    [
        likes("polka"),  # nobody said it
        likes("jazz", negated=True),  # nobody took it back
        likes("http://evil.example jazz"),
        likes("jazz", subject="Boris"),  # nobody spoke of him
        likes(""),
    ],
)
async def test_what_a_model_proposes_must_be_in_the_persons_words(store: Store, statement: object) -> None:
    await found(store, "a", ("I like jazz", likes("jazz")))
    await land(store, *saying("b", "jazz is on tonight http://evil.example"), queued("j", "b", 1))
    assert await land(
        store,
        proposed("j", "b", proposal("f", statement, "msg_b_1"), made_by="a model"),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]  # a parameter
    ) == [Landed()]
    assert [(fact.value, fact.status, fact.mentions) for fact in await kept(store)] == [("jazz", "active", 1)]


async def test_facts_of_two_people_stay_apart(store: Store) -> None:
    await found(store, "a", ("I like jazz", likes("jazz")))
    assert await holds(store, BERT) == []
    assert await holds(store, ANNA) == ["jazz"]
