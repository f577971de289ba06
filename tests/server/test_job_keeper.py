"""Work that failed for good is in sight of staff, and tried again when they say so, with a server or without."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from loadtest.client import connected
from protocol.conversation_frames import ConversationClose
from server.cli_jobs import list_, retry
from server.job_keeper import RETRY_FILE, archived
from storage.apply import apply_all
from storage.connection import inline
from tests.companions.library import shipped
from tests.server.jobs_stage import Jobs, playing, until
from tests.server.serving import serving, settings
from tests.server.test_pages_and_door import asked
from tests.storage.making import ANNA, closed, said


def park(store: Path) -> None:
    """Every job has failed for good."""
    with closing(sqlite3.connect(store)) as db:
        db.execute("UPDATE jobs SET state = 'parked', reason = 'model.stalled', ended_at = 5, attempts = 3")
        db.commit()


def states(store: Path) -> list[str]:
    with closing(sqlite3.connect(store)) as db:
        return [state for (state,) in db.execute("SELECT state FROM jobs")]


async def test_parked_jobs_are_listed_and_retried_without_a_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann-secret")
        await talker.talk("My secret is plum jam.")
        await talker.ask(ConversationClose(id=talker.new_id()))
    park(tmp_path / "fireside.db")
    list_(data=tmp_path)
    told = capsys.readouterr().out
    assert "2 given up" in told
    assert "model.stalled" in told
    assert "plum" not in told
    assert "ann-secret" not in told
    retry(data=tmp_path)
    assert "2 will be tried again" in capsys.readouterr().out
    assert states(tmp_path / "fireside.db") == ["waiting", "waiting"]


async def test_a_running_server_takes_the_request_up_and_does_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with playing(tmp_path, Jobs()) as stage, stage.greeted(companion="serenity") as talker:
        await talker.talk("Work keeps me awake.")
        await talker.ask(ConversationClose(id=talker.new_id()))
        await until(lambda: states(stage.store) == ["done", "done"])
        park(stage.store)
        port = int(stage.url.rsplit(":", 1)[1].partition("/")[0])
        retry(data=tmp_path)
        assert "running server" in capsys.readouterr().out
        await until(lambda: states(stage.store) == ["done", "done"])
        assert not (tmp_path / RETRY_FILE).exists()
        health = json.loads((await asked(port, "/healthz")).body)
    assert set(health["jobs"]) == {"waiting", "running", "parked"}


async def test_summaries_are_put_away_when_pushed_out_and_after_ninety_days(tmp_path: Path) -> None:
    (serenity,) = shipped("serenity")
    day = 24 * 3_600_000
    with inline(tmp_path / "fireside.db") as store:
        for number in range(7):
            name = f"c{number}"
            put(store.db, name, at=(100 + number) * day if number != 5 else day)
        assert await archived(store, serenity, ANNA, at=500 * day) == 2, (
            "a clock that jumped puts nothing away by age"
        )
        store.db.execute("UPDATE store SET newest_at = ?", (105 * day,))
        assert await archived(store, serenity, ANNA, at=106 * day) == 1
        kept = store.db.execute(
            "SELECT conversation FROM summaries WHERE archived_at IS NULL ORDER BY conversation"
        )
        assert [name for (name,) in kept] == ["c2", "c3", "c4", "c6"], "two were pushed out, one was too old"
        assert await archived(store, serenity, ANNA, at=106 * day) == 0


def put(db: sqlite3.Connection, name: str, *, at: int) -> None:
    """A closed conversation of Anna's with a summary made ``at``."""
    apply_all(db, [said(name, 1, companion="serenity"), closed(name, companion="serenity")])
    db.execute(
        "INSERT INTO summaries VALUES (?, ?, 'serenity', ?, 'job', ?, ?, X'7B7D', 1, 1, 0, 'extract', 1, NULL)",
        (f"sum_{name}", ANNA, name, 10_000 + int(name[1:]), at),
    )
    db.commit()
