"""Stored vectors: of one embedder at a time, one person's alone, and gone from every byte with their message."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companions.changes import ConversationDeleted, MessagesRemoved, PersonErased
from loadtest.model_vectors import vector_of
from memory.vectors import Meaning, likeness, pressed
from storage.apply import apply_all
from storage.connection import InlineStore, inline, tended, transacted
from storage.fulltext import index_pending, search
from storage.nearest import (
    LEAST_LIKE,
    at_once,
    held,
    nearest,
    numpy_here,
    one_by_one,
)
from storage.portable import exported
from storage.scrubbing import found_in, pieces_of, scrub
from storage.vectors import Due, due, keep, near, open_space, vectors_of, vectors_of_person, vectors_told
from tests.storage.making import ANNA, BERT, answered, closed, said

DIMENSION = 384
CLARA = frozenset({"clara"})
TEXTS = ("Bees behind the orchard", "The soup was salty", "Trains to the sea", "My knee hurts")


def meaning(text: str, model: str = "m", dimension: int = DIMENSION) -> Meaning:
    numbers = vector_of(text, dimension)
    length = sum(number * number for number in numbers) ** 0.5
    return Meaning(model=model, vector=tuple(number / length for number in numbers))


def talk(store: InlineStore, name: str, *texts: str, user: str = ANNA) -> None:
    changes = [
        said(name, at, text, user=user) if at % 2 else answered(name, at, text, user=user)
        for at, text in enumerate(texts, start=1)
    ]
    transacted(store.db, lambda db: apply_all(db, changes))


def made(store: InlineStore, model: str = "m", dimension: int = DIMENSION) -> int:
    """Every vector that is due, made and kept; how many."""

    def make(message: Due) -> bytes:
        return pressed(meaning(message.text, model, dimension).vector)

    space = transacted(store.db, lambda db: open_space(db, model=model, dimension=dimension))
    found = due(store.db, space, CLARA, 0).due
    return transacted(store.db, lambda db: keep(db, space, [(each, make(each)) for each in found]))


def nearby(
    store: InlineStore, text: str, user: str = ANNA, **more: Any
) -> list[str]:  # Any: keywords of a meaning
    """The ids of the messages near ``text``."""
    meant = meaning(text, **more)
    numbers = near(store.db, user=user, companion="clara", meaning=meant, limit=3)
    rows = dict(store.db.execute("SELECT stored, id FROM messages").fetchall())
    return [rows[number] for number in numbers]


def test_every_message_has_its_vector_once_and_the_nearest_is_found(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        talk(store, "a", *TEXTS)
        assert made(store) == 4
        assert made(store) == 0
        assert nearby(store, "the orchard behind")[0] == "msg_a_1"
        told = vectors_told(store.db)
        assert told is not None
        assert (told.model, told.dimension, told.vectors, told.messages) == ("m", DIMENSION, 4, 4)


def test_a_person_finds_their_own_alone_and_in_one_conversation_where_that_is_asked(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        talk(store, "a", *TEXTS)
        talk(store, "b", *TEXTS, user=BERT)
        talk(store, "c", TEXTS[0])
        made(store)
        assert nearby(store, TEXTS[0], BERT)[0] == "msg_b_1"
        assert {each[:5] for each in nearby(store, TEXTS[0])} == {"msg_a", "msg_c"}
        numbers = near(
            store.db,
            user=ANNA,
            companion=None,
            conversation="c",
            meaning=meaning(TEXTS[0]),
            limit=9,
        )
        assert len(numbers) == 1


@pytest.mark.parametrize("change", [{"model": "other"}, {"dimension": 64}])
def test_vectors_of_another_embedder_are_passed_over_and_made_again(
    tmp_path: Path,
    change: dict[str, Any],  # Any: one of two keywords
) -> None:
    with inline(tmp_path / "s.db") as store:
        talk(store, "a", *TEXTS)
        made(store)
        assert nearby(store, TEXTS[0], **change) == []
        assert made(store, **change) == 4
        assert nearby(store, TEXTS[0], **change)[0] == "msg_a_1"
        assert nearby(store, TEXTS[0]) == []
        rows = store.db.execute("SELECT COUNT(*), COUNT(DISTINCT stored) FROM vectors").fetchone()
        assert rows == (4, 4)


def test_what_was_removed_or_replaced_meanwhile_is_not_kept(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        talk(store, "a", *TEXTS)
        space = transacted(store.db, lambda db: open_space(db, model="m", dimension=2))
        found = due(store.db, space, CLARA, 0).due
        transacted(store.db, lambda db: apply_all(db, [removed("msg_a_1")]))
        vectors = [(each, pressed((1.0, 0.0))) for each in found]
        assert transacted(store.db, lambda db: keep(db, space, vectors)) == 2  # its answer went too
        transacted(store.db, lambda db: open_space(db, model="m", dimension=3))
        assert transacted(store.db, lambda db: keep(db, space, vectors)) == 0


def test_only_companions_whose_talk_is_searched_are_due(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        talk(store, "a", *TEXTS)
        assert due(store.db, 1, {"coach"}, 0).due == ()
        stretch = due(store.db, 1, CLARA, 0)
        assert [each.text for each in stretch.due] == list(TEXTS)
        assert stretch.upto is not None
        assert due(store.db, 1, CLARA, stretch.upto).upto is None


def removed(message: str) -> MessagesRemoved:
    return MessagesRemoved(user=ANNA, companion="clara", at=9_000, conversation="a", messages=(message,))


def in_files(folder: Path, vectors: tuple[bytes, ...]) -> bool:
    pieces = [piece for vector in vectors for piece in pieces_of(vector)]
    assert pieces
    return bool(found_in([path for path in folder.rglob("*") if path.is_file()], pieces))


def crowd(store: InlineStore) -> None:
    """Enough for pages to part and to be joined again."""
    for number in range(30):
        talk(store, f"t{number}", *(f"{text} {number}" for text in TEXTS))


REMOVALS: dict[str, Callable[[InlineStore], tuple[bytes, ...]]] = {}


def removal(
    function: Callable[[InlineStore], tuple[bytes, ...]],
) -> Callable[[InlineStore], tuple[bytes, ...]]:
    """A way in which messages go; it gives the vectors that went."""
    REMOVALS[function.__name__] = function
    return function


@removal
def one_message(store: InlineStore) -> tuple[bytes, ...]:
    vectors = vectors_of(store.db, "a", ["msg_a_1", "msg_a_2"])
    transacted(store.db, lambda db: apply_all(db, [removed("msg_a_1")]))
    return vectors


@removal
def a_conversation(store: InlineStore) -> tuple[bytes, ...]:
    vectors = vectors_of(store.db, "a")
    change = ConversationDeleted(user=ANNA, companion="clara", at=9_000, conversation="a")
    transacted(store.db, lambda db: apply_all(db, [change]))
    return vectors


@removal
def a_person(store: InlineStore) -> tuple[bytes, ...]:
    vectors = vectors_of_person(store.db, user=ANNA, companion="clara")
    transacted(store.db, lambda db: apply_all(db, [PersonErased(user=ANNA, companion="clara", at=9_000)]))
    return vectors


@pytest.mark.parametrize("name", REMOVALS)
def test_what_is_removed_leaves_no_row_and_no_byte_of_its_vectors(tmp_path: Path, name: str) -> None:
    with inline(tmp_path / "d" / "s.db") as store:
        talk(store, "a", *TEXTS)
        talk(store, "b", *TEXTS[1:], user=BERT)  # says some of the same: its vectors stay
        crowd(store)
        made(store)
        vectors = REMOVALS[name](store)
        stay = {bytes(row[0][12:]) for row in store.db.execute("SELECT vector FROM vectors")}
        gone = tuple(vector for vector in vectors if vector not in stay)
        assert gone
        assert in_files(tmp_path, gone)  # the scan finds what the log still has
        assert tended(store.db, lambda db: scrub(db, vectors)).clean
        assert not in_files(tmp_path, gone)
        assert len(nearby(store, TEXTS[1], BERT)) == 1


def test_an_export_leaves_vectors_out(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        talk(store, "a", *TEXTS)
        made(store)
        tables = exported(store.db, user=ANNA, companion="clara", at="2026-01-01T00:00:00.000Z").tables
        assert "vectors" not in tables
        assert len(tables["messages"]) == 4


def test_words_and_meaning_are_joined_and_without_a_meaning_nothing_changes(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        talk(
            store,
            "a",
            "I keep bees",
            "Lovely",
            "The hives stand behind the orchard wall",
            "Nice",
            "Salty soup",
        )
        transacted(store.db, lambda db: apply_all(db, [closed("a")]))
        transacted(store.db, index_pending)
        made(store)

        def found(meant: Meaning | None) -> list[str]:
            rows = search(store.db, user=ANNA, companion="clara", query="bees", limit=5, meaning=meant)
            return [each.message for each in rows]

        plain = found(None)
        assert plain[0] == "msg_a_1"
        assert "msg_a_5" not in plain
        assert found(meaning("bees", model="unknown")) == plain
        joined = found(meaning("salty soup today"))
        assert joined[0] == "msg_a_1"
        assert "msg_a_5" in joined


def test_with_and_without_numpy_the_same_is_near() -> None:
    vectors = [pressed(meaning(text).vector) for text in TEXTS]
    rows = [held(7 + at, vector) for at, vector in enumerate(vectors)]
    wanted = meaning("salty trains to the sea").vector
    plain = {7 + at: likeness(wanted, vector) or 0.0 for at, vector in enumerate(vectors)}
    content = b"".join(rows)
    best = one_by_one(wanted, content, 4)
    assert best[0] == 9
    assert best == [at for at in sorted(plain, key=lambda at: -plain[at]) if plain[at] >= LEAST_LIKE]
    assert nearest(wanted, content, 4) == best
    assert nearest(wanted, content, 1) == best[:1]
    assert nearest(wanted, b"", 4) == []
    assert nearest((1.0, 0.0), content, 4) == [], "of another dimension"
    numpy = numpy_here()
    if numpy is not None:
        assert at_once(numpy, wanted, content, 4) == best
        many = b"".join(held(at, vectors[at % 3 == 0]) for at in range(1_000))
        assert at_once(numpy, wanted, many, 400) == one_by_one(wanted, many, 400), "of equal ones the first"
