"""Full text finds what was said, within one person, and nothing of it is left after a removal."""

from functools import partial

import pytest

from companions.changes import ConversationDeleted
from storage.connection import Store
from storage.fulltext import Found, index_pending, search
from tests.storage.contract.landing import land
from tests.storage.making import ANNA, BERT, answered, begins, closed, said


async def found(store: Store, query: str, user: str = ANNA, **more: object) -> list[Found]:
    question = partial(search, user=user, query=query, limit=10, **more)  # type: ignore[arg-type] # keywords of a question
    return list(await store.read(question))


async def ids(store: Store, query: str, user: str = ANNA, **more: object) -> list[str]:
    return [one.message for one in await found(store, query, user, **more)]


async def talk(store: Store, name: str, *texts: str, user: str = ANNA) -> None:
    for position, text in enumerate(texts, start=1):
        if position % 2:
            await land(store, said(name, position, text, user=user))
        else:
            await land(store, answered(name, position, text, user=user))


async def close(store: Store, name: str, user: str = ANNA) -> None:
    await land(store, closed(name, user=user))
    await store.transact(index_pending)


async def words_left(store: Store) -> str:
    rows = await store.read(lambda db: db.execute("SELECT * FROM search").fetchall())
    return str(rows)


async def test_a_message_is_found_once_its_successor_is_stored_or_its_talk_ended(store: Store) -> None:
    await talk(store, "c", "My violin is broken", "That is sad", "I like trees")
    assert await store.transact(index_pending) == 2
    assert (await ids(store, "violin"))[0] == "msg_c_1"
    assert "msg_c_3" not in await ids(store, "tree"), "its row comes with its successor"
    await close(store, "c")
    assert (await ids(store, "tree"))[0] == "msg_c_3"
    assert await store.transact(index_pending) == 0


async def test_what_is_found_says_where_it_stands(store: Store) -> None:
    await talk(store, "c", "My violin is broken")
    await close(store, "c")
    (one,) = await found(store, "violins")
    assert (one.message, one.conversation, one.position, one.text, one.at) == (
        "msg_c_1",
        "c",
        1,
        "My violin is broken",
        1_000,
    )
    assert one.score > 0


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("I went to the sea", "where did you go"),
        ("She bought two bicycles", "buying a bike"),
        ("我对花生过敏", "花生"),
        ("我每天早上喝茶", "茶"),
        ("ピーナッツアレルギーがあります", "アレルギー"),
        ("저는 땅콩을 못 먹어요", "땅콩"),
        ("Ich habe eine Erdnussallergie", "Allergie"),
        ("Ich habe eine Erdnussallergie", "Hat er eine Allergie?"),
        ("Wir sehen uns beim Zahnarzttermin", "Termin"),
        ("Der Kühlschrank ist leer", "kuhlschrank"),
        ("J'ai perdu l'horloge de mon père", "horloge"),
    ],
)
async def test_words_are_found_in_other_forms_and_inside_longer_ones(
    store: Store, text: str, query: str
) -> None:
    await talk(store, "c", text, "Nothing of the kind here")
    await close(store, "c")
    assert (await ids(store, query))[0] == "msg_c_1"


async def test_a_bare_answer_is_found_by_what_was_asked(store: Store) -> None:
    await talk(
        store, "c", "Hello there", "Is there any food that makes you ill, an allergy?", "Yes, peanuts."
    )
    await talk(store, "d", *["The bus was late again", "Oh dear"] * 20)
    await close(store, "c")
    assert "msg_c_3" in (await ids(store, "food allergy"))[:2]


async def test_a_search_stays_with_its_person_its_companion_and_its_mode(store: Store) -> None:
    await talk(store, "a", "a canary sings")
    await talk(store, "b", "a canary sings", user=BERT)
    await land(store, said("p", 1, "a canary sings", new=begins(parent_mode=True)))
    await land(store, said("k", 1, "a canary sings", companion="coach"))
    for name, user in (("a", ANNA), ("b", BERT), ("p", ANNA)):
        await close(store, name, user)
    await land(store, said("k", 2, "next", companion="coach"))
    await store.transact(index_pending)
    assert set(await ids(store, "canary")) == {"msg_a_1", "msg_k_1"}
    assert await ids(store, "canary", companion="clara") == ["msg_a_1"]
    assert await ids(store, "canary", user=BERT) == ["msg_b_1"]
    assert await ids(store, "canary", parent_mode=True) == ["msg_p_1"]
    assert await ids(store, "canary", user="usr_nobody") == []


async def test_one_word_of_many_is_enough_and_what_is_newer_counts_no_more(store: Store) -> None:
    quiet = ["It rained", "So it did"] * 20
    await talk(
        store, "c", "My sister keeps bees", "Lovely", *quiet, "Bees came to the window", "Oh", "Fine", "Yes"
    )
    await close(store, "c")
    assert (await ids(store, "bees zeppelin xylophone"))[0] in ("msg_c_1", "msg_c_43")
    assert (await ids(store, "Which bees does my sister keep?"))[0] == "msg_c_1"


async def test_a_named_speaker_counts_a_little_more(store: Store) -> None:
    await talk(store, "c", "I play chess", "I play chess")
    await close(store, "c")
    names = {"user": "Anna", "assistant": "Sam"}
    assert (await ids(store, "Does Anna play chess?", speakers=names))[0] == "msg_c_1"
    assert (await ids(store, "Does Sam play chess?", speakers=names))[0] == "msg_c_2"


@pytest.mark.parametrize(
    "query", ["", " ", "?!", "the of and", 'a" OR "b', "NEAR(", "x*", "-", "own : y", "\x00", "a" * 9_999]
)
async def test_any_text_may_be_asked(store: Store, query: str) -> None:
    await talk(store, "c", "words")
    await close(store, "c")
    assert isinstance(await ids(store, query), list)


async def test_deleting_takes_the_words_from_rows_and_from_their_neighbours(store: Store) -> None:
    await talk(store, "c", "one", "two", "three", "canary", "five")
    await store.transact(index_pending)
    assert "canari" in await words_left(store) or "canary" in await words_left(store)
    await land(store, answered("c", 6, "quiet", to=3, replaces_from=4))
    assert "canary" not in await words_left(store)
    await store.transact(index_pending)
    assert "canary" not in await words_left(store)
    assert await ids(store, "canary") == []
    assert (await ids(store, "three"))[0] == "msg_c_3"
    await land(store, ConversationDeleted(user=ANNA, companion="clara", at=9, conversation="c"))
    assert await words_left(store) == "[]"


async def test_rows_come_in_batches_and_the_same_in_any_size(store: Store) -> None:
    texts = [f"word{number} thing{number % 3}" for number in range(30)]
    await talk(store, "a", *texts)
    await talk(store, "b", *texts)
    await land(store, closed("a"), closed("b"))
    await store.transact(lambda db: index_pending(db, 1_000))
    whole = await store.read(lambda db: db.execute("SELECT rowid, * FROM search ORDER BY rowid").fetchall())
    assert len(whole) == 60
    await store.transact(lambda db: db.execute("DELETE FROM search").rowcount)
    await store.transact(lambda db: db.execute("UPDATE conversations SET indexed = 0").rowcount)
    while await store.transact(lambda db: index_pending(db, 7)):
        pass
    again = await store.read(lambda db: db.execute("SELECT rowid, * FROM search ORDER BY rowid").fetchall())
    assert again == whole
