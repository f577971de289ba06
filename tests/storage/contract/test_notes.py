"""Notes to the parents in the store: in any order of consent, withdrawal and work there is one only where it may be."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from companions.care_changes import ConsentDecided, NoteMade, NoteRead, ScopeSet
from companions.changes import (
    NOTHING,
    AnyChange,
    ConversationDeleted,
    ExtractMade,
    JobsQueued,
    Landed,
    MessagesRemoved,
    Outcome,
    Refused,
)
from companions.consenting import DAY_MS
from storage.apply import apply_all
from storage.connection import inline
from storage.jobs import claim_job, due_jobs
from storage.learnings import learnings_noted
from storage.notes import notes_of
from tests.storage.fresh import placed
from tests.storage.making import ANNA, answered, begins, job, raw, said

NOW = 1_767_344_400_000
MATHS = "maestro/mathematics"
COUNT = iter(range(10_000_000))


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with inline(tmp_path / "fireside.db") as store:
        yield store.db


def apply(db: sqlite3.Connection, change: AnyChange) -> Outcome:
    return apply_all(db, [change])[0]


def consent(
    *, allow: bool, at: int = NOW, user: str = ANNA, days: int = 30, basis: str = "parent"
) -> ConsentDecided:
    return ConsentDecided(
        user=user,
        companion="maestro",
        at=at,
        giver="grt_m",
        name="Maria",
        basis="parent" if basis == "parent" else "legal_representative",
        allow=allow,
        scopes=(ScopeSet(f"cns_{next(COUNT)}", "notes"),),
        review_at=at + days * DAY_MS if allow else None,
    )


def lesson(
    db: sqlite3.Connection, name: str, *, at: int = NOW, user: str = ANNA, parent_mode: bool = False
) -> None:
    """A lesson that ends, and its note is asked for."""
    new = begins(parent_mode=parent_mode)
    apply(db, said(name, 1, user=user, companion=MATHS, at=at, new=new))
    apply(db, answered(name, 2, user=user, companion=MATHS))
    queue(db, name, at=at, user=user)


def queue(db: sqlite3.Connection, name: str, *, at: int = NOW, user: str = ANNA) -> None:
    asked = (job(f"job_{name}", "parent_note"), job(f"job_l_{name}", "learnings"))
    apply(db, JobsQueued(user=user, companion=MATHS, at=at, conversation=name, jobs=asked))
    learned = raw(f'[{{"topic":"fractions","learned":"in {name}","evidence":["msg_{name}_1"]}}]')
    apply(
        db,
        ExtractMade(
            user=user,
            companion=MATHS,
            at=at,
            job=f"job_l_{name}",
            conversation=name,
            kind="learnings",
            content=learned,
        ),
    )


def queued(db: sqlite3.Connection, at: int = NOW) -> list[str]:
    return [each.conversation for each in due_jobs(db, at, kinds=["parent_note"])]


def made(
    db: sqlite3.Connection, name: str, *, at: int = NOW, user: str = ANNA, content: bool = True
) -> Outcome:
    return apply(
        db,
        NoteMade(
            user=user,
            companion=MATHS,
            at=at,
            job=f"job_{name}",
            note=f"nte_{next(COUNT)}",
            conversation=name,
            subject="Mathematics",
            minutes=3,
            content=raw('{"summary":"ok"}') if content else NOTHING,
            made_by="extract",
        ),
    )


def learned(db: sqlite3.Connection) -> list[str]:
    return [each.learned for each in learnings_noted(db, user=ANNA, companion="maestro/history")]


def seen(db: sqlite3.Connection, at: int = NOW, user: str = ANNA, *, unread: bool = False) -> int | None:
    found = notes_of(db, user=user, companion="maestro/history", at=at, limit=50, unread=unread)
    return None if found is None else len(found)


def test_a_note_is_made_shown_and_read_only_with_the_parents_consent(db: sqlite3.Connection) -> None:
    lesson(db, "before")
    assert queued(db) == []
    apply(db, consent(allow=True, basis="legal"))
    lesson(db, "another_basis")
    assert queued(db) == []
    apply(db, consent(allow=True))
    assert seen(db) == 0
    lesson(db, "with_consent")
    assert queued(db) == ["with_consent"]
    assert made(db, "with_consent") == Landed()
    assert (seen(db), seen(db, unread=True)) == (1, 1)
    found = notes_of(db, user=ANNA, companion=MATHS, at=NOW, limit=5)
    assert found is not None
    (note,) = found
    apply(db, NoteRead(user=ANNA, companion=MATHS, at=NOW + 7, note=note.id))
    assert (seen(db), seen(db, unread=True)) == (1, 0)
    assert learned(db) == ["in with_consent"], "of the lesson on which there is a note, and no other"
    assert seen(db, NOW + 30 * DAY_MS) is None
    apply(db, consent(allow=False))
    assert seen(db) is None
    apply(db, consent(allow=True))
    assert seen(db) == 0, "what was made is gone, not hidden"
    assert learned(db) == []


def test_withdrawn_in_mid_job_nothing_lands_and_consent_given_anew_does_not_revive_it(
    db: sqlite3.Connection,
) -> None:
    apply(db, consent(allow=True))
    lesson(db, "c")
    assert claim_job(db, "job_c", worker="w", at=NOW, lease_ms=10) is not None
    apply(db, consent(allow=False))
    assert queued(db) == []
    apply(db, consent(allow=True))
    assert made(db, "c") == Refused("state.conflict")
    assert seen(db) == 0


def test_expired_in_mid_job_the_job_ends_without_a_note(db: sqlite3.Connection) -> None:
    apply(db, consent(allow=True, days=1))
    lesson(db, "c")
    assert made(db, "c", at=NOW + 2 * DAY_MS) == Landed()
    assert queued(db, NOW + 2 * DAY_MS) == []
    apply(db, consent(allow=True, at=NOW + 2 * DAY_MS))
    assert seen(db, NOW + 2 * DAY_MS) == 0


def test_talks_with_parents_and_erased_ones_have_no_note(db: sqlite3.Connection) -> None:
    apply(db, consent(allow=True))
    lesson(db, "theirs", parent_mode=True)
    assert queued(db) == []
    lesson(db, "one")
    lesson(db, "two")
    made(db, "one")
    made(db, "two")
    assert seen(db) == 2
    assert learned(db) == ["in one", "in two"]
    apply(db, ConversationDeleted(user=ANNA, companion=MATHS, at=NOW, conversation="one"))
    assert seen(db) == 1
    assert learned(db) == ["in two"]
    apply(
        db, MessagesRemoved(user=ANNA, companion=MATHS, at=NOW, conversation="two", messages=("msg_two_1",))
    )
    assert seen(db) == 0
    assert learned(db) == []
    assert made(db, "two") == Refused("state.conflict"), "it read what was removed"


class AnyOrder(RuleBasedStateMachine):
    """Against a model: a lesson's note is there while consent has held without a break since it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.context = inline(placed(Path(f"{FOLDER[0]}/{next(COUNT)}.db")))
        self.db = self.context.__enter__().db
        self.at = NOW
        self.until: int | None = None  # when the consent that stands expires
        self.open: dict[str, bool] = {}  # lessons whose note was asked for and may still come
        self.notes = 0

    def teardown(self) -> None:
        self.context.__exit__(None, None, None)

    def live(self) -> bool:
        return self.until is not None and self.at < self.until

    @rule(days=st.integers(1, 5))
    def consents(self, days: int) -> None:
        apply(self.db, consent(allow=True, at=self.at, days=days))
        self.until = self.at + days * DAY_MS

    @rule()
    def withdraws(self) -> None:
        apply(self.db, consent(allow=False, at=self.at))
        self.until, self.open, self.notes = None, {}, 0

    @rule(days=st.integers(1, 3))
    def time_goes_by(self, days: int) -> None:
        self.at += days * DAY_MS
        apply(self.db, said(f"t{next(COUNT)}", 1, user="usr_other", at=self.at))

    @rule()
    def ends_a_lesson(self) -> None:
        name = f"c{next(COUNT)}"
        lesson(self.db, name, at=self.at)
        if self.live():
            self.open[name] = True

    @precondition(lambda self: bool(self.open))
    @rule(back=st.booleans(), content=st.booleans())
    def lands_a_note(self, back: bool, content: bool) -> None:
        name = min(self.open)
        del self.open[name]
        assert made(self.db, name, at=0 if back else self.at, content=content) == Landed()
        self.notes += self.live() and content

    @rule()
    def lands_what_was_never_asked_for(self) -> None:
        assert made(self.db, f"x{next(COUNT)}", at=self.at) == Refused("state.conflict")

    @invariant()
    def exactly_the_notes_that_may_be_are_seen(self) -> None:
        expected = self.notes if self.live() else None
        assert seen(self.db, self.at) == expected
        assert seen(self.db, 0) == expected, "whatever the clock says"
        if expected is not None:
            assert len(learned(self.db)) == expected


FOLDER: list[str] = []


def test_in_any_order_of_consent_withdrawal_time_and_work(tmp_path: Path) -> None:
    FOLDER[:] = [str(tmp_path)]
    machine = AnyOrder.TestCase
    machine.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
    machine().runTest()
    assert list(tmp_path.glob("*.db"))
