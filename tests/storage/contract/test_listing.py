"""Conversations are listed, found, named and put away without reading what was said in them."""

import sqlite3
from functools import partial

import pytest

from companions.changes import (
    ConversationArchived,
    ConversationDeleted,
    ConversationOpened,
    ConversationRenamed,
    Landed,
    MoodCheckedIn,
    Refused,
    Repeated,
)
from storage.connection import Store
from storage.conversations import (
    BadCursor,
    Metrics,
    archived_before,
    conversation,
    last_conversation,
    list_conversations,
    metrics,
)
from storage.messages import history
from storage.talk import load_talk
from tests.storage.contract.landing import land
from tests.storage.making import ANNA, BERT, answered, begins, closed, said


async def ids(store: Store, **asked: object) -> list[str]:
    question = partial(list_conversations, **({"user": ANNA} | asked))  # type: ignore[arg-type] # keywords of a question
    return [one.id for one in (await store.read(question)).conversations]


async def test_a_list_shows_each_conversation_the_newest_activity_first(store: Store) -> None:
    await land(store, said("a", 1), said("b", 1), answered("b", 2), said("a", 2), closed("b"))
    page = await store.read(partial(list_conversations, user=ANNA))
    a, b = page.conversations
    assert (a.id, a.title, a.preview, a.message_count, a.open) == (
        "a",
        "A title",
        "A title and more",
        2,
        True,
    )
    assert (b.id, b.message_count, b.open, b.created_at, b.updated_at) == ("b", 2, False, 1_000, 2_000)
    assert page.next is None


async def test_pages_hold_every_conversation_once(store: Store) -> None:
    await land(store, *(said(f"c{n}", 1) for n in range(7)))
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = await store.read(partial(list_conversations, user=ANNA, limit=3, cursor=cursor))
        found += [one.id for one in page.conversations]
        cursor = page.next
        if cursor is None:
            break
    assert found == [f"c{n}" for n in range(6, -1, -1)]


@pytest.mark.parametrize("cursor", ["", "x", "b%", "YQ", "é", "YWFh", "A" * 400])
async def test_a_cursor_that_no_listing_gave_is_refused(store: Store, cursor: str) -> None:
    with pytest.raises(BadCursor):
        await store.read(partial(list_conversations, user=ANNA, cursor=cursor))


async def test_titles_are_found_as_they_stand_and_in_any_case(store: Store) -> None:
    await land(
        store,
        said("a", 1, new=begins("100% Überraschung")),
        said("b", 1, new=begins("1000 things")),
        said("c", 1, new=begins("snake_case")),
        said("d", 1, new=begins("snakeXcase")),
    )
    assert await ids(store, query="100%") == ["a"]
    assert await ids(store, query="ÜBER") == ["a"]
    assert await ids(store, query="e_c") == ["c"]
    assert await ids(store, query="' OR 1=1 --") == []
    assert await ids(store, query="  ") == ["d", "c", "b", "a"]


async def test_archived_ones_are_listed_apart_and_come_back(store: Store) -> None:
    await land(store, said("a", 1), said("b", 1))
    away = ConversationArchived(user=ANNA, companion="clara", at=7_000, conversation="a", archived=True)
    assert await land(store, away, away) == [Landed(), Landed()]
    assert (await ids(store), await ids(store, archived=True)) == (["b"], ["a"])
    assert await store.read(lambda db: archived_before(db, 7_001)) == ((ANNA, "clara", "a"),)
    assert await store.read(lambda db: archived_before(db, 7_000)) == ()
    back = ConversationArchived(user=ANNA, companion="clara", at=8_000, conversation="a", archived=False)
    await land(store, back)
    assert (await ids(store), await ids(store, archived=True)) == (["b", "a"], [])


async def test_a_list_may_be_of_one_companion_and_is_always_of_one_person(store: Store) -> None:
    await land(store, said("a", 1), said("b", 1, companion="coach"), said("c", 1, user=BERT))
    assert await ids(store) == ["b", "a"]
    assert await ids(store, companion="coach") == ["b"]
    assert await ids(store, user=BERT) == ["c"]


async def test_a_given_title_stays(store: Store) -> None:
    await land(store, said("a", 1))
    renamed = ConversationRenamed(user=ANNA, companion="clara", at=5, conversation="a", title="Garden")
    assert await land(store, renamed) == [Landed()]
    found = await store.read(partial(conversation, user=ANNA, id="a"))
    assert found is not None
    assert (found.title, found.title_given, found.first_request) == ("Garden", True, "hello")
    assert await ids(store, query="garden") == ["a"]


async def test_deleting_takes_everything_of_a_conversation_and_nothing_else(store: Store) -> None:
    first = said("a", 1, "canary")
    await land(store, first, answered("a", 2, "canary too"), said("b", 1))
    gone = ConversationDeleted(user=ANNA, companion="clara", at=9, conversation="a")
    assert await land(store, gone, gone) == [Landed(), Refused("conversation.unknown")]
    assert await ids(store) == ["b"]
    assert await store.read(partial(history, user=ANNA, conversation="a")) == ()
    assert await store.read(partial(load_talk, user=ANNA, conversation_id="a")) is None
    assert await land(store, first) == [Repeated("msg_a_1", "a")], "a resent message does not bring it back"
    assert "canary" not in await store.read(everything)


def everything(db: sqlite3.Connection) -> str:
    """Every row of every table."""
    tables = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    return str([db.execute(f"SELECT * FROM {table}").fetchall() for (table,) in tables])


async def test_the_last_conversation_is_the_one_turned_to(store: Store) -> None:
    last = partial(last_conversation, user=ANNA, companion="clara")
    assert await store.read(last) is None
    await land(store, said("a", 1), said("b", 1), said("c", 1, companion="coach"))
    found = await store.read(last)
    assert found is not None
    assert found.id == "b"
    await land(store, ConversationOpened(user=ANNA, companion="clara", at=3, conversation="a"))
    found = await store.read(last)
    assert found is not None
    assert found.id == "a"
    await land(store, ConversationDeleted(user=ANNA, companion="clara", at=9, conversation="a"))
    found = await store.read(last)
    assert found is not None
    assert found.id == "b"


async def test_the_figures_of_a_conversation(store: Store) -> None:
    await land(
        store,
        said("a", 1),
        answered("a", 2, processing_ms=100),
        said("a", 3),
        answered("a", 4, processing_ms=300),
        *(
            MoodCheckedIn(user=ANNA, companion="clara", at=5, check_in=f"k{n}", conversation="a", mood=mood)
            for n, mood in enumerate([3, None, 7])
        ),
    )
    assert await store.read(partial(metrics, user=ANNA, conversation="a")) == Metrics(
        message_count=4, user_message_count=2, average_response_ms=200.0, mood_at_start=3, mood_at_end=7
    )
    assert await store.read(partial(metrics, user=BERT, conversation="a")) is None
