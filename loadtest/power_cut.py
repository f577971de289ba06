"""``python -m loadtest.power_cut``: the power goes; what was acknowledged is there, and nothing is broken.

A real server is recorded while people talk to it: every write, every fsync, and every promise made to a client, in
their order. Then the files are made as the disk may hold them after a cut anywhere in it, and opened by the real store.
Controls must fail: ``--durability process`` (SQLite's ``synchronous=NORMAL``) loses the last commits, ``--no-syncs``
(as with ``OFF``: the disk is told nothing) loses more, or the store itself.

Example:
    python -m loadtest.power_cut --states 2000 --seed 7
"""

import contextlib
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Final, Literal

import anyio
import cyclopts
import msgspec
from cyclopts import Parameter
from msgspec.structs import replace

from loadtest.client import connected
from loadtest.process import server_process
from loadtest.recorded import Disk, Event, acknowledged, events
from protocol.memory_frames import MemoryForget
from storage.connection import inline, transacted
from storage.damage import damage
from storage.recovery import recover
from storage.refusals import StoreRefused

STORE_FILE: Final = "fireside.db"
SHIM: Final = Path(__file__).with_name("recorder.c")
PEOPLE: Final = 3
FORGET_EVERY: Final = 8
WORDS: Final = "The garden was quiet and the roses were in bloom, and we spoke of the sea. "

Durability = Literal["acked", "process"]


class Promise(msgspec.Struct, frozen=True):
    """What a client was told: a message, or an answer, is durable; or gone. ``leaving``: it was asked to go."""

    id: str
    text: str
    state: Literal["kept", "leaving", "gone"] = "kept"


class Seen(msgspec.Struct, kw_only=True):
    """What came of the states that were opened."""

    states: int = 0
    promises: int = 0  # made before the cuts, summed up over the states
    lost: int = 0
    came_back: int = 0  # was said to be gone
    corrupt: int = 0
    unopened: int = 0
    cuts: Counter[str] = msgspec.field(default_factory=Counter)

    @property
    def broken(self) -> int:
        """States that break the promise."""
        return self.lost + self.came_back + self.corrupt + self.unopened


class NoCompiler(Exception):
    """There is no C compiler to make the recorder with."""


def recorder(folder: Path) -> Path:
    """The library that records, made in ``folder``. Raises ``NoCompiler``."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        raise NoCompiler
    library = folder / "recorder.so"
    arguments = ["-shared", "-fPIC", "-O1", "-o", str(library), str(SHIM), "-ldl", "-lpthread"]
    subprocess.run([compiler, *arguments], check=True)  # noqa: S603  # our own file, by the system's compiler
    return library


async def record(folder: Path, messages: int, durability: Durability = "acked") -> Path:
    """Let people say ``messages`` things to a server that is recorded, from its first start; the record."""
    folder.mkdir(parents=True, exist_ok=True)
    written = folder / "record"
    (folder / "data").mkdir()
    environment = {
        "LD_PRELOAD": str(recorder(folder)),
        "RECORD": str(written),
        "RECORDED": str((folder / "data").absolute()),
        "FIRESIDE_DATA_DURABILITY": durability,
        "FIRESIDE_DATA_BACKUP_HOURS": "0",
    }
    async with server_process(folder, ["--model", "builtin"], environment=environment) as server:
        async with anyio.create_task_group() as tasks:
            for number in range(PEOPLE):
                tasks.start_soon(_talk, server.url, f"p{number}", messages // PEOPLE, written)
        await server.kill()
    return written


async def _talk(url: str, user: str, messages: int, written: Path) -> None:
    with written.open("ab", buffering=0) as promises:

        def told(*made: Promise) -> None:
            for promise in made:
                promises.write(acknowledged(msgspec.json.encode(promise)))

        async with connected(url) as talker:
            await talker.hello(companion="serenity", user=user)
            for number in range(messages):
                text = f"{user} says {number}. " + WORDS * (number % 40)
                ack = await talker.say(text)
                said = [Promise(str(ack.message), text)] if ack.durable else []
                told(*said)
                done = await talker.answer()
                if done.durable and done.answer is not None:
                    said.append(Promise(done.answer, done.text))
                    told(said[-1])
                if number % FORGET_EVERY == FORGET_EVERY - 1:  # and the answer to it goes with it
                    told(*(replace(each, state="leaving") for each in said))
                    await talker.ask(MemoryForget(id=talker.new_id(), item=str(ack.message)))
                    told(*(replace(each, state="gone") for each in said))


def judge(written: Path, states: int, seed: int, *, syncs: bool = True) -> Seen:
    """Make ``states`` files as cuts may leave them, open each, and hold it against what was promised before."""
    chance = random.Random(seed)
    found = list(events(written))
    cuts = sorted(chance.randrange(len(found)) for _ in range(states))
    seen, disk, promised = Seen(), Disk(syncs=syncs), dict[str, Promise]()
    place = 0
    root = Path(tempfile.mkdtemp(dir=_fast()))
    try:
        for cut in cuts:
            for event in found[place:cut]:
                _take(disk, promised, event)
            place = cut
            how, files = disk.cut(chance)
            seen.cuts[how] += 1
            _open(_laid_out(files, root), promised, seen)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return seen


def _fast() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108  # made private, and removed


def _take(disk: Disk, promised: dict[str, Promise], event: Event) -> None:
    if event.what != "A":
        disk.take(event)
        return
    promise = msgspec.json.decode(event.content, type=Promise)
    promised[promise.id] = promise


def _laid_out(files: dict[str, bytearray], root: Path) -> Path:
    shutil.rmtree(root)
    root.mkdir(mode=0o700)
    for path, content in files.items():
        name = Path(path).name
        if name.startswith(STORE_FILE):
            (root / name).write_bytes(content)
    return root / STORE_FILE


def _open(file: Path, promised: dict[str, Promise], seen: Seen) -> None:
    seen.states += 1
    seen.promises += len(promised)
    try:
        if damage(file) is not None:
            seen.corrupt += 1
            return
        with inline(file, "acked") as store:
            transacted(store.db, lambda db: recover(db, 0))
            if store.db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                seen.corrupt += 1
                return
            rows: dict[str, str | None] = dict(store.db.execute("SELECT id, text FROM messages"))
    except (StoreRefused, sqlite3.Error):
        seen.unopened += 1
        return
    states = [(each.state, rows.get(each.id), each.text) for each in promised.values()]
    seen.lost += any(state == "kept" and there != text for state, there, text in states)
    seen.came_back += any(state == "gone" and there is not None for state, there, _ in states)


app = cyclopts.App(help=__doc__, help_format="markdown")


@app.default
def main(
    *,
    states: Annotated[int, Parameter(help="How many states of the files are opened.")] = 2_000,
    seed: Annotated[
        int, Parameter(help="Chooses the cuts; the same one makes the same states of a record.")
    ] = 1,
    messages: Annotated[int, Parameter(help="How many are said while it is recorded.")] = 240,
    durability: Annotated[Durability, Parameter(help="process: a control, synchronous=NORMAL.")] = "acked",
    syncs: Annotated[bool, Parameter(help="--no-syncs: a control, as synchronous=OFF.")] = True,
    record_in: Annotated[
        Path | None, Parameter(name="--record", help="Keep the record in this new folder.")
    ] = None,
    again: Annotated[Path | None, Parameter(help="Judge this record in place of a new one.")] = None,
) -> None:
    """Record a run, cut the power in it, open what is left; exits with 1 where a promise is broken."""
    with contextlib.ExitStack() as stack:
        folder = record_in or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        began = time.monotonic()
        written = again or anyio.run(record, folder / "run", messages, durability)
        print(f"seed {seed}, durability {durability}, syncs {'on' if syncs else 'off'}: {_figures(written)}")
        seen = judge(written, states, seed, syncs=syncs)
        print(json.dumps(msgspec.to_builtins(seen) | {"broken": seen.broken}))
        print(f"{time.monotonic() - began:.0f} s")
    raise SystemExit(1 if seen.broken else 0)


def _figures(written: Path) -> str:
    kinds: Counter[str] = Counter(event.what for event in events(written))
    told = {"W": "writes", "S": "syncs", "T": "truncations", "A": "promises"}
    return ", ".join(f"{kinds[what]} {name}" for what, name in told.items())


if __name__ == "__main__":
    app()
