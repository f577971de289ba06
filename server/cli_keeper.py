"""``fireside date show|confirm`` and ``fireside storage``: the clock that removal goes by, and the room taken up."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import cyclopts
from cyclopts import Parameter

from server.ids import now_ms
from server.keys import make_key, unlocked
from server.order_line import STORE_FILE
from server.plain_words import said_plainly
from server.retention import say_date, today
from server.settings import load
from storage import encrypting
from storage.backups import backups
from storage.connection import inline, read_only, transacted
from storage.engine import WrongKey
from storage.lock import FolderHeld, held
from storage.order import Rest, date_confirmed, last_purge, newest_time, purge_rests
from storage.sizes import sizes, sizes_by_kind

date_app = cyclopts.App(name="date", help="The clock that removal by age goes by.")

ConfigFile = Annotated[Path | None, Parameter(name="--config", help="A TOML file with settings.")]
Data = Annotated[Path | None, Parameter(help="The data folder.")]
WHY: dict[Rest, str] = {
    "clock_behind": "the clock is before the newest time in the store",
    "long_since": "more than 7 days passed since it was last looked for what is old",
}
MIB = 1_048_576


def _store(config: Path | None, data: Path | None) -> Path:
    given = {"data.folder": str(data) if data is not None else None}
    settings = load(config, os.environ, given).settings
    file = settings.folder / STORE_FILE
    if not file.exists():
        raise SystemExit(f"There is no store at {file}.")
    with said_plainly():
        unlocked(settings)
    return file


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000, UTC).strftime("%Y-%m-%d %H:%M UTC")


def rests_words(rests: Rest | None) -> str:
    """Whether removal by age goes on, and why not."""
    if rests is None:
        return "the clock is believed"
    return f"nothing is removed by its age: {WHY[rests]}; when the date is right: fireside date confirm DATE"


@date_app.command
def show(*, config: ConfigFile = None, data: Data = None) -> None:
    """The clock here, the newest time in the store, and whether what is old is removed. A server may be running.

    For example:

        fireside date show --data /var/lib/fireside
    """
    file, at = _store(config, data), now_ms()
    with said_plainly(file.parent), read_only(file) as db:
        newest, last, rests = newest_time(db), last_purge(db), purge_rests(db, at)
    print(f"the clock here     {_day(at)} (today is {today(at)} here)")
    print(f"newest stored      {_day(newest) if newest else 'nothing yet'}")
    print(f"last looked        {_day(last) if last is not None else 'never'}")
    print(f"removal by age     {rests_words(rests)}")


@date_app.command
def confirm(date: str, *, config: ConfigFile = None, data: Data = None) -> None:
    """Say that today is DATE (YYYY-MM-DD) and that this machine's clock is right: removal by age goes on from here.

    Look at a calendar, not at this machine. It is refused when the clock here says another date: set the clock first.

    For example:

        fireside date confirm 2026-01-31 --data /var/lib/fireside
    """
    file, at = _store(config, data), now_ms()
    if date != today(at):
        raise SystemExit(f"The clock here says {today(at)}. Set it right first; nothing was changed.")
    with said_plainly(file.parent):
        try:
            with held(file.parent), inline(file, at=at) as store:
                transacted(store.db, lambda db: date_confirmed(db, at))
            print("It is believed; what is old is removed when the server runs.")
        except FolderHeld:
            say_date(file.parent, date)
            print("The running server was told; it goes on removing what is old within seconds.")


def storage(*, config: ConfigFile = None, data: Data = None) -> None:
    """How much room everything takes up, by file and by kind of data. A server may be running.

    For example:

        fireside storage --data /var/lib/fireside
    """
    file = _store(config, data)
    found = sizes(file)
    for name in ("database", "log", "backups", "set_aside", "other", "total"):
        print(f"{name:<14}{getattr(found, name) / MIB:>10.2f} MiB")
    print(f"{'left on disk':<14}{found.free / MIB:>10.2f} MiB")
    with said_plainly(file.parent), read_only(file) as db:
        kinds = sizes_by_kind(db)
    print("\nin the database" if kinds else "\nThis SQLite does not tell what is in the database.")
    for kind, size in sorted(kinds.items(), key=lambda each: -each[1]):
        print(f"{kind:<14}{size / MIB:>10.2f} MiB")
    copies = backups(file.parent)
    print(f"\n{len(copies)} copies" + (f", the last of {_day(copies[-1].at)}" if copies else ""))


def encrypt(key_file: Path, *, config: ConfigFile = None, data: Data = None) -> None:
    """Encrypt the store and its copies under the key in KEY_FILE, which is made where there is none.

    The server must be stopped. Keep the file apart from the data, and a copy of it in another house: without it
    nothing can be read again. Then name it to the server: data.key_file.

    For example:

        fireside encrypt /etc/fireside/key --data /var/lib/fireside
    """
    given = {"data.folder": str(data) if data is not None else None}
    folder = load(config, os.environ, given).settings.folder
    with said_plainly(folder), held(folder):
        if key_file.absolute().is_relative_to(folder.absolute()):
            raise SystemExit("The key must lie outside of the data folder.")
        key = make_key(key_file)
        try:
            files = encrypting.encrypt(folder / STORE_FILE, key, now_ms())
        except WrongKey as wrong:
            raise SystemExit(f"The key in {key_file} {wrong}.") from None
    print(f'{files} files encrypted. Name the key to the server: data.key_file = "{key_file.absolute()}"')
    print("What the disk itself keeps of the old files is out of reach.")
