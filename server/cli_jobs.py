"""``fireside jobs list|retry``: work that failed for good, in sight of staff. No text, no name of a person."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import cyclopts
from cyclopts import Parameter

from server.job_keeper import KINDS, ask_for_retry
from server.keys import unlocked
from server.settings import load
from storage.connection import inline, read_only, transacted
from storage.jobs import Parked, count_jobs, parked_jobs, retry_jobs
from storage.lock import FolderHeld, held

STORE_FILE = "fireside.db"

app = cyclopts.App(name="jobs", help="Work after the talks: what failed for good, and another try for it.")

ConfigFile = Annotated[Path | None, Parameter(name="--config", help="A TOML file with settings.")]
Data = Annotated[Path | None, Parameter(help="The data folder.")]


def _folder(config: Path | None, data: Path | None) -> Path:
    given = {"data.folder": str(data) if data is not None else None}
    settings = load(config, os.environ, given).settings
    unlocked(settings)
    return settings.folder


@app.command(name="list")
def list_(*, config: ConfigFile = None, data: Data = None) -> None:
    """The jobs that failed for good, and how many wait. A server may be running.

    For example:

        fireside jobs list --data /var/lib/fireside
    """
    file = _folder(config, data) / STORE_FILE
    if not file.exists():
        raise SystemExit(f"There is no store at {file}.")
    with read_only(file) as db:
        counts, parked = count_jobs(db, KINDS), parked_jobs(db)
    print(f"{counts.waiting} waiting, {counts.running} running, {counts.parked} given up")
    for each in parked:
        print(_line(each))


def _line(parked: Parked) -> str:
    job = parked.job
    at = datetime.fromtimestamp(parked.at / 1_000, UTC).strftime("%Y-%m-%d %H:%M")
    what = f"{job.kind:<9}  {job.companion:<20}  {job.conversation}"
    return f"{job.id}  {what}  {job.attempts} attempts  {parked.reason}  {at}"


@app.command
def retry(*jobs: str, config: ConfigFile = None, data: Data = None) -> None:
    """Let jobs that were given up be tried again, all of them unless named.

    For example:

        fireside jobs retry --data /var/lib/fireside
        fireside jobs retry job_01a2... --data /var/lib/fireside
    """
    folder = _folder(config, data)
    if not (folder / STORE_FILE).exists():
        raise SystemExit(f"There is no store at {folder / STORE_FILE}.")
    try:
        with held(folder), inline(folder / STORE_FILE) as store:
            again = transacted(store.db, lambda db: retry_jobs(db, jobs or None))
        print(f"{again} will be tried again when the server starts.")
    except FolderHeld:
        ask_for_retry(folder, jobs)
        print("The running server was asked to try them again; it does so within seconds.")
