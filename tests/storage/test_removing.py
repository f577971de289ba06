"""What is removed leaves a position and no word: in no row, in no index, in no byte of the store's files."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from companions.changes import (
    AnyChange,
    ConversationDeleted,
    ExtractMade,
    Landed,
    MessagesRemoved,
    SummaryMade,
)
from storage.apply import apply, apply_all
from storage.connection import InlineStore, inline, tended, transacted
from storage.conversations import conversation
from storage.erased import LEDGER_FILE, erased_before, note
from storage.erased import Erased as ErasedLine
from storage.fulltext import index_pending, search
from storage.jobs import due_jobs
from storage.messages import history
from storage.scrubbing import found_in, pieces_of, scrub
from tests.storage.facts_making import found, kept, residence
from tests.storage.making import ANNA, answered, closed, emotion, job, narrative, raw, repetition, said

CANARY = "the zanzibar quince stands behind the house"
MAKES: dict[str, Any] = {"user": ANNA, "companion": "clara", "at": 9}


def removed(*messages: str) -> MessagesRemoved:
    return MessagesRemoved(user=ANNA, companion="clara", at=9, conversation="a", messages=messages)


def land(store: InlineStore, *changes: AnyChange) -> None:
    transacted(store.db, lambda db: apply_all(db, changes))


def told(store: InlineStore) -> None:
    """A talk in which the canary is said at position 3 and everything is made of it that can be."""
    rows: dict[str, Any] = {
        "emotion": emotion("msg_a_3"),
        "repetition": repetition("msg_a_3"),
        "narrative": narrative(),
    }
    land(
        store,
        said("a", 1, "good morning"),
        answered("a", 2),
        said("a", 3, CANARY, statements=raw(f'["{CANARY}"]'), context=raw(f'{{"from":"{CANARY}"}}')),
        answered("a", 4, f"so {CANARY}", anchors=(CANARY,), **rows),
        said("a", 5, "and now"),
        answered("a", 6, "now then"),
    )
    transacted(store.db, lambda db: index_pending(db, 100))


def finished(store: InlineStore) -> None:
    """The talk is over and was worked through."""
    jobs = (job("sum", last=6), job("fct", "facts", last=6), job("lrn", "learnings", last=6))
    summary = SummaryMade(
        **MAKES, job="sum", summary="s", conversation="a", content=raw(f'{{"quote":"{CANARY}"}}'),
        covers_first=1, covers_last=6, partial=False, made_by="m", tokens=1,
    )  # fmt: skip
    extract = ExtractMade(**MAKES, job="fct", conversation="a", kind="facts", content=raw(f'["{CANARY}"]'))
    told = raw(f'[{{"topic":"trees","learned":"{CANARY}","evidence":["msg_a_1"]}}]')
    learned = ExtractMade(**MAKES, job="lrn", conversation="a", kind="learnings", content=told)
    land(store, closed("a", *jobs), summary, extract, learned)
    transacted(store.db, lambda db: index_pending(db, 100))


def in_files(folder: Path) -> bool:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return bool(found_in(files, pieces_of("zanzibar quince")))


def everything(store: InlineStore) -> str:
    return "\n".join(store.db.iterdump())


@pytest.mark.parametrize("over", [False, True])
def test_a_removed_message_is_in_no_row_and_no_byte_and_its_place_is_kept(tmp_path: Path, over: bool) -> None:
    with inline(tmp_path / "d" / "s.db") as store:
        told(store)
        if over:
            finished(store)
        assert in_files(tmp_path)  # the scan finds what is there
        land(store, removed("msg_a_3"))
        assert "quince" not in everything(store)
        assert scrub(store.db, (CANARY,)).clean
        assert not in_files(tmp_path)
        places = store.db.execute("SELECT position, removed FROM messages ORDER BY position").fetchall()
        assert places == [(1, 0), (2, 0), (3, 1), (4, 1), (5, 0), (6, 0)]
        talk = conversation(store.db, user=ANNA, id="a")
        assert talk is not None
        assert (talk.message_count, talk.user_message_count, talk.last_position) == (4, 2, 6)


def test_without_the_scrub_the_scan_finds_it(tmp_path: Path) -> None:
    with inline(tmp_path / "d" / "s.db") as store:
        told(store)
        land(store, removed("msg_a_3"))
        assert in_files(tmp_path)


def test_a_neighbour_is_no_longer_found_by_the_removed_words_and_still_by_its_own(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        told(store)
        finished(store)
        assert search(store.db, user=ANNA, query="quince", limit=9)
        land(store, removed("msg_a_3"))
        transacted(store.db, lambda db: index_pending(db, 100))
        assert search(store.db, user=ANNA, query="quince", limit=9) == ()
        own = [each.message for each in search(store.db, user=ANNA, query="morning", limit=9)]
        assert own[0] == "msg_a_1"


def test_what_was_made_of_it_is_withdrawn_and_made_again(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        told(store)
        finished(store)
        land(store, removed("msg_a_3"))
        assert [each.kind for each in due_jobs(store.db, 10)] == ["summary", "learnings"]
        assert store.db.execute("SELECT COUNT(*) FROM summaries").fetchone() == (0,)
        assert store.db.execute("SELECT COUNT(*) FROM extracts").fetchone() == (0,)
        assert store.db.execute("SELECT COUNT(*) FROM learnings").fetchone() == (0,)


def test_a_late_result_about_a_removed_message_is_refused(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        told(store)
        land(store, closed("a", job("fct", "facts", last=6)), removed("msg_a_3"))
        late = ExtractMade(**MAKES, job="fct", conversation="a", kind="facts", content=raw(f'["{CANARY}"]'))
        outcome = transacted(store.db, lambda db: apply(db, late))
        assert not isinstance(outcome, Landed)
        assert "quince" not in everything(store)


def test_a_title_made_of_a_removed_message_is_made_of_what_is_left(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        land(
            store, said("a", 1, CANARY), answered("a", 2), said("a", 3, "and the tomatoes"), answered("a", 4)
        )
        land(store, removed("msg_a_1"))
        talk = conversation(store.db, user=ANNA, id="a")
        assert talk is not None
        assert (talk.title, talk.preview) == ("and the tomatoes", "and the tomatoes")


def test_removing_again_another_persons_or_an_answer_alone(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        told(store)
        land(store, removed("msg_a_4"))
        texts = [each.text for each in history(store.db, user=ANNA, conversation="a")]
        assert texts == ["good morning", "an answer", CANARY, "and now", "now then"]
        before = everything(store)
        land(store, removed("msg_a_4"))
        assert everything(store).replace("newest_at", "") == before.replace("newest_at", "")
        other = MessagesRemoved(
            user="usr_bert", companion="clara", at=9, conversation="a", messages=("msg_a_1",)
        )
        assert not isinstance(transacted(store.db, lambda db: apply(db, other)), Landed)


def test_the_ledger_names_what_went_without_a_word_and_only_once_it_went(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        told(store)
        land(store, removed("msg_a_3"), ConversationDeleted(**MAKES, conversation="a"))

        def breaks(db: sqlite3.Connection) -> None:
            note(db, ErasedLine(at=1, user="never", companion="clara", items=("x",)))
            raise RuntimeError("undone")

        with pytest.raises(RuntimeError):
            transacted(store.db, breaks)
        land(store, said("b", 1, "hello"))
    ledger = tmp_path / LEDGER_FILE
    lines = list(erased_before(ledger))
    assert [line.messages for line in lines] == [(("msg_a_3", 3), ("msg_a_4", 4)), ()]
    assert lines[1].conversations == ("a",)
    assert b"quince" not in ledger.read_bytes()
    assert ledger.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("seed", range(3))
def test_no_old_copy_of_a_row_is_left_where_pages_were_parted(tmp_path: Path, seed: int) -> None:
    """Rows that moved between pages leave copies behind: among many messages, of all sizes, none may stay."""
    chance = random.Random(seed)
    with inline(tmp_path / "d" / "s.db") as store:
        marked: list[tuple[str, str]] = []
        for place in range(1, 160):
            marks = chance.random() < 0.3
            words = chance.choices(
                ("sun", "rain", "garden", "bread", "morning"), k=chance.choice((2, 9, 99, 900))
            )
            text = f"{'zanzibar quince ' if marks else ''}{place} {' '.join(words)}"
            land(store, said("a", place, text))
            if marks:
                marked.append((f"msg_a_{place}", text))
            if chance.random() < 0.2:
                transacted(store.db, lambda db: index_pending(db, 50))
        assert in_files(tmp_path)
        for name, text in marked:
            land(store, removed(name))
            assert tended(store.db, lambda db, text=text: scrub(db, (text,))).clean  # type: ignore[misc] # bound here
        assert not in_files(tmp_path)
        with closing(sqlite3.connect(tmp_path / "d" / "s.db")) as other:
            assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def words_in(folder: Path, word: bytes) -> bool:
    return any(word in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_the_index_keeps_no_term_of_a_removed_message(tmp_path: Path) -> None:
    with inline(tmp_path / "d" / "s.db") as store:
        told(store)
        finished(store)
        assert words_in(tmp_path, b"zanzibar")
        land(store, removed("msg_a_3"))
        tended(store.db, scrub)  # not told what to look for
        assert not words_in(tmp_path, b"zanzibar")


def test_an_old_copy_that_the_database_left_behind_is_found_and_the_file_written_anew(tmp_path: Path) -> None:
    with inline(tmp_path / "d" / "s.db") as store:
        told(store)
        store.db.execute("PRAGMA secure_delete = OFF")  # freed cells keep their bytes
        land(store, removed("msg_a_3"))
        store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert in_files(tmp_path)
        done = tended(store.db, lambda db: scrub(db, (CANARY,)))
        assert (done.clean, done.rewritten) == (True, True)
        assert not in_files(tmp_path)


async def test_removing_the_newer_message_lets_the_older_fact_hold_again(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
        await found(store, "b", ("I moved to Berlin", residence("Berlin")))
        owner = store.db.execute("SELECT user_id, companion FROM facts LIMIT 1").fetchone()
        gone = MessagesRemoved(
            user=owner[0], companion=owner[1], at=9, conversation="b", messages=("msg_b_1",)
        )
        land(store, gone)
        assert [(fact.value, fact.status) for fact in await kept(store)] == [("Lisbon", "active")]
