"""Indexes match the reads: nothing that is asked or written goes through a whole table."""

import re
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from companions.care_changes import (
    AlertAcknowledged,
    AlertReleased,
    CareContextGiven,
    ConsentDecided,
    NoteMade,
    NoteRead,
    PersonTold,
    ScopeSet,
)
from companions.changes import (
    AlertRaised,
    AnyChange,
    CommandDone,
    CommandId,
    ConversationArchived,
    ConversationDeleted,
    ConversationOpened,
    ConversationRenamed,
    FeedbackGiven,
    JobFailed,
    JobsQueued,
    MoodCheckedIn,
    ProfileSet,
    SessionContinued,
    SettingSet,
    SummaryMade,
    UserStatusSet,
)
from companions.fact_changes import (
    Denial,
    FactAdded,
    FactEdited,
    FactPinned,
    FactsForgotten,
    FactsProposed,
    Keeping,
    MemorySwitched,
    MemoryUndone,
    Proposal,
    SummaryEdited,
    SummaryForgotten,
)
from memory.statements_kinds import Statement
from memory.vectors import Meaning, pressed
from storage.alerts import alert_for, alerts_told, released_in
from storage.apply import apply_all
from storage.audit import acts_about, all_acts
from storage.care_contexts import care_context
from storage.commands import prune_results, retained
from storage.connection import inline
from storage.consents import standing
from storage.conversations import (
    archived_before,
    conversation,
    last_conversation,
    list_conversations,
    metrics,
    open_conversations,
)
from storage.facts import count_facts, present_form, told_facts
from storage.facts_removed import facts_without
from storage.fulltext import index_pending, search
from storage.grants import Grant, grant_of, grants_for
from storage.jobs import claim_job, due_jobs, parked_jobs, release_jobs
from storage.learnings import learnings_noted, said_in_lesson
from storage.memories import prune_undo
from storage.messages import history, message
from storage.notes import companion_of, notes_of
from storage.order import epoch, may_purge, newest_time
from storage.people import alerts, check_ins, feedback, profile, settings, user
from storage.persons import is_known, pin_of
from storage.readings import chronic_since, narratives_told, questions_since
from storage.recovery import recover
from storage.sessions import session_left
from storage.spent import spent_between
from storage.summaries import recent_summaries, summary_of
from storage.talk import load_talk
from storage.timeline import feelings, questions, talk_summaries, transcript
from storage.tokens import token_of
from storage.untold import untold
from storage.vectors import Due, due, keep, near, open_space, vectors_of, vectors_of_person
from tests.storage.making import (
    ANNA,
    answered,
    checkpointed,
    closed,
    emotion,
    job,
    narrative,
    raw,
    repetition,
    said,
)

OWNER: dict[str, Any] = {  # Any: keywords of structs
    "user": ANNA,
    "companion": "clara",
    "at": 5,
}
GRANT = Grant(id="g", name="Maria", role="caregiver", user=ANNA, companion="", basis=None)
KEY = CommandId(space="s", id="k", digest="d")

CHANGES: Sequence[AnyChange] = (
    said("c", 1),
    checkpointed("c", 2, "so"),
    answered(
        "c",
        2,
        emotion=emotion("msg_c_1"),
        repetition=repetition("msg_c_1"),
        narrative=narrative(),
        anchors=("cup",),
    ),
    said("c", 3),
    answered("c", 4, to=1, replaces_from=2),
    JobsQueued(
        **OWNER, conversation="c", jobs=(job("one"), job("two", "facts"), job("four", "facts", last=1))
    ),
    SummaryMade(
        **OWNER,
        job="one",
        summary="s",
        conversation="c",
        content=raw("{}"),
        covers_first=1,
        covers_last=2,
        partial=True,
        made_by="extract",
        tokens=1,
    ),
    JobFailed(**OWNER, job="two", reason="x", again_at=None),
    MoodCheckedIn(**OWNER, check_in="k", conversation="c", mood=3),
    AlertRaised(
        **OWNER, alert="a", conversation="c", message="msg_c_1", category="abuse", level=1, recipients=()
    ),
    PersonTold(**OWNER, consents=("n",), grants=("g",)),
    AlertAcknowledged(**OWNER, alert="a", grant="g", role="caregiver", name="Maria"),
    AlertReleased(**OWNER, release="r", alert="a", grant="g", name="Ms Okafor", allow=True),
    AlertReleased(**OWNER, release="r2", alert="a", grant="g", name="Ms Okafor", allow=False),
    FeedbackGiven(**OWNER, response="rsp_c_4", value=1),
    ProfileSet(**OWNER, profile=raw("{}")),
    SettingSet(**OWNER, key="pace", value="slow"),
    SettingSet(**OWNER, key="pace", value=None),
    UserStatusSet(**OWNER, status="inactive"),
    CommandDone(**OWNER, command=KEY, result=raw("{}")),
    SessionContinued(**OWNER, session="x", space="s", conversation="c"),
    FactsProposed(
        **OWNER,
        job="four",
        conversation="c",
        made_by="statements",
        keeping=Keeping(),
        proposals=(
            Proposal(
                fact="f",
                statement=Statement(kind="place", value="Rome", attribute="residence"),
                category="identity",
                evidence=("msg_c_1",),
            ),
        ),
        denials=(Denial(message="msg_c_1", claim="x"),),
    ),
    FactAdded(
        **OWNER,
        fact="g",
        text="Oslo",
        statement=Statement(kind="place", value="Oslo", attribute="residence"),
        category="identity",
        language="",
        keeping=Keeping(),
        source="k",
    ),
    MemoryUndone(**OWNER),
    FactEdited(**OWNER, fact="f", into="h", source="k", text="Bern"),
    FactPinned(**OWNER, fact="h", pinned=True),
    FactsForgotten(**OWNER, facts=("h",), category="x", words="my home", message="msg_c_1"),
    SummaryEdited(**OWNER, summary="s", text="new"),
    SummaryForgotten(**OWNER, summary="s"),
    MemorySwitched(**OWNER, enabled=False),
    ConversationOpened(**OWNER, conversation="c"),
    ConversationRenamed(**OWNER, conversation="c", title="new"),
    ConversationArchived(**OWNER, conversation="c", archived=False),
    closed("c", job("three")),
    ConversationDeleted(**OWNER, conversation="c"),
    NoteMade(
        **OWNER,
        job="five",
        note="n",
        conversation="c",
        subject="s",
        minutes=1,
        content=raw("{}"),
        made_by="extract",
    ),
    NoteRead(**OWNER, note="n"),
    CareContextGiven(**OWNER, name="Maria", context=raw("{}")),
    ConsentDecided(
        **OWNER, giver="", name="", basis="self", allow=False, scopes=(ScopeSet("n", "watching"),)
    ),
)


def notes_asked(db: sqlite3.Connection) -> object:
    consent = ConsentDecided(
        user=ANNA,
        companion="clara",
        at=9_000,
        giver="g",
        name="Maria",
        basis="parent",
        allow=True,
        scopes=(ScopeSet("p", "notes"),),
        review_at=90_000,
    )
    apply_all(db, [consent])
    found = notes_of(db, user=ANNA, companion="clara", at=9_001, limit=5, before=3)
    assert found is not None
    return found


QUESTIONS: dict[str, Callable[[sqlite3.Connection], object]] = {
    "apply": lambda db: apply_all(db, CHANGES),
    "list_conversations": lambda db: list_conversations(db, user=ANNA, query="a"),
    "list_of_companion": lambda db: list_conversations(db, user=ANNA, companion="clara"),
    "conversation": lambda db: conversation(db, user=ANNA, id="c"),
    "last_conversation": lambda db: last_conversation(db, user=ANNA, companion="clara"),
    "open_conversations": open_conversations,
    "metrics": lambda db: metrics(db, user=ANNA, conversation="c"),
    "archived_before": lambda db: archived_before(db, 5),
    "history": lambda db: history(db, user=ANNA, conversation="c"),
    "message": lambda db: message(db, user=ANNA, id="m"),
    "load_talk": lambda db: load_talk(db, user=ANNA, conversation_id="z"),
    "narratives_told": lambda db: narratives_told(db, user=ANNA, companion="clara"),
    "chronic_since": lambda db: chronic_since(db, user=ANNA, companion="clara", since=0, repeats=5),
    "questions_since": lambda db: questions_since(db, user=ANNA, companion="clara", since=0),
    "retained": lambda db: retained(db, KEY),
    "told_facts": lambda db: told_facts(db, user=ANNA, companion="clara"),
    "present_form": lambda db: present_form(db, user=ANNA, companion="clara", id="f"),
    "count_facts": lambda db: count_facts(db, user=ANNA, companion="clara"),
    "facts_without": lambda db: facts_without(db, said("c", 1), ["msg_c_1"]),
    "prune_undo": lambda db: prune_undo(db, 10),
    "prune_results": lambda db: prune_results(db, 10),
    "due_jobs": lambda db: due_jobs(db, 5),
    "claim_job": lambda db: claim_job(db, "one", worker="w", at=5, lease_ms=5),
    "parked_jobs": parked_jobs,
    "release_jobs": release_jobs,
    "recover": lambda db: recover(db, 5),
    "session_left": lambda db: session_left(db, user=ANNA, session="s"),
    "summary_of": lambda db: summary_of(db, user=ANNA, conversation="c"),
    "recent_summaries": lambda db: recent_summaries(db, user=ANNA, companion="clara", limit=5),
    "index_pending": index_pending,
    "search": lambda db: search(db, user=ANNA, query="hello answer", limit=5),
    "near": lambda db: near(
        db, user=ANNA, companion="clara", conversation="z", meaning=Meaning(model="m", vector=(1.0,)), limit=5
    ),
    "vectors_due": lambda db: due(db, 1, {"clara"}, 0),
    "vectors_kept": lambda db: keep(
        db, open_space(db, model="m", dimension=1), [(Due(1, "hello"), pressed((1.0,)))]
    ),
    "vectors_of": lambda db: vectors_of(db, "z"),
    "vectors_of_person": lambda db: vectors_of_person(db, user=ANNA, companion="clara"),
    "user": lambda db: user(db, user=ANNA, companion="clara"),
    "profile": lambda db: profile(db, user=ANNA, companion="clara"),
    "check_ins": lambda db: check_ins(db, user=ANNA, companion="clara", limit=5),
    "settings": lambda db: settings(db, user=ANNA, companion="clara"),
    "alerts": lambda db: alerts(db, user=ANNA, companion="clara", limit=5),
    "alerts_told": lambda db: alerts_told(db, GRANT, companion="clara", only_open=True, limit=5),
    "acts_about": lambda db: acts_about(db, person=ANNA, before=None, limit=5),
    "all_acts": lambda db: all_acts(db, before=None, limit=5),
    "token_of": lambda db: token_of(db, "token"),
    "pin_of": lambda db: pin_of(db, ANNA),
    "is_known": lambda db: is_known(db, ANNA),
    "untold": lambda db: untold(db, user=ANNA, companion="clara", at=5),
    "alert_for": lambda db: alert_for(db, GRANT, "a"),
    "released_in": lambda db: released_in(db, "c"),
    "feedback": lambda db: feedback(db, user=ANNA, response="r"),
    "care_context": lambda db: care_context(db, user=ANNA, companion="clara"),
    "notes_of": notes_asked,
    "learnings_noted": lambda db: learnings_noted(db, user=ANNA, companion="clara"),
    "said_in_lesson": lambda db: said_in_lesson(db, user=ANNA, conversation="z"),
    "feelings": lambda db: feelings(db, user=ANNA, companion="clara", since=0, until=9, before=None, limit=5),
    "questions": lambda db: questions(db, user=ANNA, companion="clara", since=0),
    "talk_summaries": lambda db: talk_summaries(db, user=ANNA, companion="clara", before=None, limit=5),
    "transcript": lambda db: transcript(db, user=ANNA, companion="clara", conversation="z"),
    "note_companion": lambda db: companion_of(db, user=ANNA, note="n"),
    "standing": lambda db: standing(db, user=ANNA, companion="clara", at=5),
    "grants_for": lambda db: grants_for(db, user=ANNA),
    "grant_of": lambda db: grant_of(db, "token"),
    "epoch": epoch,
    "newest_time": newest_time,
    "spent_between": lambda db: spent_between(db, 0, 9_999),
    "may_purge": lambda db: may_purge(db, 5),
}

# The open answers are read whole at a start: there are as many as sessions were talking when it ended.
WHOLE = {"open_responses", "o"}
# Full text by a match or by a row's number, its own few settings, and indexes of what is due, or open, alone.
_SMALL = re.compile(
    r"SCAN (search VIRTUAL TABLE INDEX \d+:.|main\.search_config"
    r"|conversations USING INDEX conversations_(unindexed|open))"
)
_VERB = re.compile(r"\s*(SELECT|UPDATE|DELETE|INSERT|WITH)\b", re.IGNORECASE)


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_table_is_gone_through(tmp_path: Path, name: str) -> None:
    with inline(tmp_path / "fireside.sqlite3") as store:
        db = store.db
        apply_all(db, [said("z", 1), answered("z", 2), said("z", 3), checkpointed("z", 4, "so")])
        if name == "search":
            index_pending(db)
        if name == "near":
            open_space(db, model="m", dimension=1)
        asked: list[str] = []
        db.set_trace_callback(asked.append)
        QUESTIONS[name](db)
        db.set_trace_callback(None)
        statements = [statement for statement in asked if _VERB.match(statement)]
        assert statements
        for statement in statements:
            scanned = [step for step in plan(db, statement) if step.startswith("SCAN ")]
            scanned = [step for step in scanned if not _SMALL.match(step)]
            assert not [step for step in scanned if step.split()[1] not in WHOLE | {"CONSTANT"}], statement


def plan(db: sqlite3.Connection, statement: str) -> list[str]:
    return [str(row[3]) for row in db.execute(f"EXPLAIN QUERY PLAN {statement}")]


def test_a_question_without_an_index_would_be_seen(tmp_path: Path) -> None:
    with inline(tmp_path / "fireside.sqlite3") as store:
        assert plan(store.db, "SELECT * FROM messages WHERE text = 'x'") == ["SCAN messages"]
