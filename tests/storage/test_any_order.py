"""Whatever comes, in whatever order and how often: positions have no gap, answers are single, owners stay apart."""

from hypothesis import given, settings
from hypothesis import strategies as st

from companions.changes import AnyChange, ConversationDeleted
from storage.apply import apply_all
from storage.connection import InlineStore, transacted
from storage.conversations import list_conversations
from storage.fulltext import index_pending, search
from storage.messages import history
from tests.storage.fresh import empty_store
from tests.storage.making import ANNA, BERT, answered, checkpointed, closed, emotion, said

TALKS = ("a", "b")
places = st.integers(1, 6)
talks = st.sampled_from(TALKS)
users = st.sampled_from((ANNA, BERT))


@st.composite
def changes(draw: st.DrawFn) -> AnyChange:
    talk, place, user = draw(talks), draw(places), draw(users)
    words = f"{user} {draw(st.sampled_from(('sun', 'rain')))}"
    match draw(
        st.sampled_from(("said", "said", "answered", "regenerated", "checkpointed", "closed", "deleted"))
    ):
        case "said":
            return said(talk, place, words, user=user)
        case "answered":
            row = emotion(f"msg_{talk}_{place - 1}")
            return answered(talk, place, words, user=user, emotion=row if place > 1 else None)
        case "regenerated":
            first = draw(st.integers(1, 6))
            return answered(talk, place, words, to=min(first, place), user=user, replaces_from=first + 1)
        case "checkpointed":
            return checkpointed(talk, place, words, user=user)
        case "closed":
            return closed(talk, user=user)
        case _:
            return ConversationDeleted(user=user, companion="clara", at=1, conversation=talk)


def state(store: InlineStore) -> list[str]:
    """All that is stored, but for counters that say how often something was tried."""
    return [line for line in store.db.iterdump() if 'INSERT INTO "store"' not in line]


@settings(max_examples=40, deadline=None)
@given(st.lists(changes(), max_size=25))
def test_what_is_stored_is_in_order_and_its_owners(given_changes: list[AnyChange]) -> None:
    with empty_store() as store:
        transacted(store.db, lambda db: apply_all(db, given_changes))
        for talk in TALKS:
            rows = store.db.execute(
                "SELECT position, answers FROM messages WHERE conversation = ? ORDER BY position", (talk,)
            ).fetchall()
            assert [position for position, _ in rows] == list(range(1, len(rows) + 1))
            answers = [answer for _, answer in rows if answer is not None]
            assert len(answers) == len(set(answers))
            counted = store.db.execute(
                "SELECT message_count, last_position FROM conversations WHERE id = ?", (talk,)
            ).fetchone()
            kept = store.db.execute(
                "SELECT COUNT(*) FROM messages WHERE conversation = ? AND removed = 0", (talk,)
            ).fetchone()
            assert counted is None or counted == (kept[0], len(rows))
        transacted(store.db, lambda db: index_pending(db, 1_000))
        for user, other in ((ANNA, BERT), (BERT, ANNA)):
            for talk in TALKS:
                assert all(other not in one.text for one in history(store.db, user=user, conversation=talk))
            found = search(store.db, user=user, query="sun rain", limit=50)
            assert all(other not in one.text for one in found)
            mine = {one.id for one in list_conversations(store.db, user=user).conversations}
            theirs = {one.id for one in list_conversations(store.db, user=other).conversations}
            assert not mine & theirs


@settings(max_examples=30, deadline=None)
@given(st.lists(changes(), max_size=15))
def test_a_batch_that_comes_again_changes_nothing_it_had_landed(given_changes: list[AnyChange]) -> None:
    kept = [one for one in given_changes if not isinstance(one, ConversationDeleted)]
    with empty_store() as store:
        for one in kept:
            transacted(store.db, lambda db, one=one: apply_all(db, [one]))  # type: ignore[misc] # bound here
            before = state(store)
            transacted(store.db, lambda db, one=one: apply_all(db, [one]))  # type: ignore[misc] # as above
            assert state(store) == before
