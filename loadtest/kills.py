"""``python -m loadtest.kills``: a server is killed again and again while people talk; nothing may be lost.

A real process, real connections, people who resend what has no durable ack. Each life ends by SIGKILL at a moment
the seed chooses: some acknowledgements later, while it still starts, or while it drains. Every so often, and at the
end, the file is held against what people were promised. The control must fail: with ``--control`` the server
acknowledges what it received and flushes later (durability ``debounced``), and the people take that for a promise.

Example:
    python -m loadtest.kills --kills 30 --seed 7
"""

import random
import signal
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import anyio
import cyclopts
import msgspec
from cyclopts import Parameter

from loadtest.figures import spread, table
from loadtest.keeping_on import Ledger, Person
from loadtest.kept import Findings, findings, waiting_jobs, without_summary
from loadtest.model_script import Script
from loadtest.model_server import model_server
from loadtest.nursery import nursery
from loadtest.process import Launch, server_process

Durability = Literal["acked", "process", "debounced"]
COMPANIONS = ("serenity", "clara", "extremis", "serenity")
AT_START = 0.1  # of the lives end before the server is ready, or just then
MOST_START_SECONDS = 1.5  # a whole start takes half a second to one
MOST_FORKED_START_SECONDS = 0.2
AT_STOP = 0.1  # and so many while it stops: a polite signal first, the kill into its drain
MOST_STOP_SECONDS = 0.3
MOST_SECONDS = 0.05  # between the last ack that is waited for and the kill
MOST_ACKS = 12
LIFE_SECONDS = 60.0
JOBS_SECONDS = 120.0


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How much, and which protection is on."""

    kills: int = 30
    seed: int = 1
    people: int = 4
    durability: Durability = "acked"
    trusting: bool = False
    check_every: int = 50
    wait_for_jobs: bool = True
    most_start_seconds: float = MOST_START_SECONDS


@dataclass
class Killing:
    """A run: what was promised, what was found, how long each life needed to serve."""

    plan: Plan
    folder: Path
    launch: Launch
    ledger: Ledger = field(default_factory=Ledger)
    ready: list[float] = field(
        default_factory=list[float]
    )  # seconds from a kill until the port answers again
    back: list[float] = field(default_factory=list[float])  # and to the next welcome
    at_start: int = 0
    at_stop: int = 0
    slow: int = 0  # lives in which too little was acknowledged in a minute
    kills: int = 0
    jobs_left: int = 0
    unsummed: int = 0

    @property
    def store(self) -> Path:
        """The database file."""
        return self.folder / "data" / "fireside.db"

    def findings(self) -> Findings:
        """The file against the promises."""
        return findings(self.store, self.ledger)


async def run(plan: Plan, folder: Path, launch: Launch = server_process) -> Killing:
    """Kill so often; the run as it was. Randomness comes from the seed alone."""
    killing = Killing(plan, folder, launch)
    chance = random.Random(plan.seed)
    people = [
        Person(
            name=f"p{number}",
            companion=COMPANIONS[number % len(COMPANIONS)],
            ledger=killing.ledger,
            chance=random.Random(plan.seed * 1_009 + number),
            trusting=plan.trusting,
        )
        for number in range(plan.people)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "settings.toml"
    settings.write_text(
        f'[data]\ndurability = "{plan.durability}"\n[limits]\ncommands_per_second = 1000.0\n',
        encoding="utf-8",
    )
    async with model_server(Script(tokens=6)) as model:
        arguments = ["--model", f"openai:m@{model.url}/v1", "--config", str(settings)]
        killed_at: float | None = None
        while killing.kills < plan.kills:
            if chance.random() < AT_START:
                await _killed_at_start(killing, arguments, chance.uniform(0, plan.most_start_seconds))
                killing.at_start += 1
                killed_at = None  # this one served nobody: the next is measured from its own start
            else:
                killed_at = await _life(killing, people, arguments, chance, killed_at)
            killing.kills += 1
            if killing.kills % plan.check_every == 0:
                print(progress(killing), flush=True)
                killed_at = None  # what the look at the file took is no part of a start
        if plan.wait_for_jobs:
            await _until_handed_over(killing, arguments)
    return killing


async def _forked(plan: Plan, folder: Path) -> Killing:
    with nursery() as born:
        return await run(plan, folder, born.server_process)


async def _killed_at_start(killing: Killing, arguments: list[str], seconds: float) -> None:
    with anyio.move_on_after(seconds):
        async with killing.launch(killing.folder, arguments):
            await anyio.sleep_forever()


async def _life(
    killing: Killing,
    people: list[Person],
    arguments: list[str],
    chance: random.Random,
    killed_at: float | None,
) -> float:
    """One life of the server; when it was killed."""
    began = time.perf_counter() if killed_at is None else killed_at
    async with killing.launch(killing.folder, arguments) as server:
        killing.ready.append(time.perf_counter() - began)
        welcomed = anyio.Event()
        async with _talking(people, server.url, welcomed) as talk:
            acks = killing.ledger.acks
            enough = acks.count + chance.randint(1, MOST_ACKS)
            with anyio.move_on_after(LIFE_SECONDS) as slow:
                await welcomed.wait()
                killing.back.append(time.perf_counter() - began)
                await acks.wait(enough)
            killing.slow += slow.cancelled_caught
            await anyio.sleep(chance.uniform(0, MOST_SECONDS))
            if chance.random() < AT_STOP:
                server.process.send_signal(signal.SIGTERM)
                await anyio.sleep(chance.uniform(0, MOST_STOP_SECONDS))
                killing.at_stop += 1
            killed = time.perf_counter()
            if server.process.returncode is None:
                await server.kill()
            talk.cancel()
    return killed


@asynccontextmanager
async def _talking(
    people: list[Person], url: str, welcomed: anyio.Event
) -> AsyncGenerator[anyio.CancelScope]:
    async with anyio.create_task_group() as tasks:
        for person in people:
            tasks.start_soon(person.keep_on, url, welcomed)
        yield tasks.cancel_scope


async def _until_handed_over(killing: Killing, arguments: list[str]) -> None:
    """A last life in peace: every job that the kills left behind is done."""
    async with killing.launch(killing.folder, arguments) as server:
        with anyio.move_on_after(JOBS_SECONDS):
            while waiting_jobs(killing.store):  # noqa: ASYNC110  # another process does them
                await anyio.sleep(0.1)
        killing.jobs_left = waiting_jobs(killing.store)
        killing.unsummed = without_summary(killing.store)
        await server.stop()


def progress(killing: Killing) -> str:
    """One line: how far it is and what was found."""
    found, ledger = killing.findings(), killing.ledger
    return (
        f"kills {killing.kills} ({killing.at_start} at start, {killing.at_stop} in a drain)  acknowledged "
        f"{len(ledger.messages)}  answers {len(ledger.answers)}  resent {ledger.resent}  closed {ledger.closed}\n"
        f"  lost {found.lost}  twice {found.doubled}  gaps {found.gaps}  reordered {found.reordered}  answered twice "
        f"{found.answered_twice}  refused but stored {found.refused_but_stored}  summed up twice "
        f"{found.handed_over_twice}  broken on the wire {len(ledger.broken)}\n"
        f"  slow lives {killing.slow}  late {dict(ledger.late)}"
    )


app = cyclopts.App(name="kills", help="Kill a server again and again; nothing acknowledged may be lost.")


@app.default
def kills(
    *,
    kills: int = 30,
    seed: int | None = None,
    people: int = 4,
    durability: Durability = "acked",
    control: Annotated[bool, Parameter(help="Take the protection away; the run must fail.")] = False,
    forked: Annotated[
        bool, Parameter(help="Fork each life from a process that has imported everything: ten times as fast.")
    ] = False,
) -> None:
    """Kill the server ``kills`` times. Exit code 0 when every promise held; with ``--control`` when one broke."""
    chosen = random.SystemRandom().randrange(1_000_000) if seed is None else seed
    plan = Plan(
        kills=kills,
        seed=chosen,
        people=people,
        durability="debounced" if control else durability,
        trusting=control,
        most_start_seconds=MOST_FORKED_START_SECONDS if forked else MOST_START_SECONDS,
    )
    print(
        f"seed {chosen}, {kills} kills, durability {plan.durability}{', control' if control else ''}",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as name:
        killing = anyio.run(_forked if forked else run, plan, Path(name))
        found = killing.findings()
        print(progress(killing))
        shown = [("from kill to port", killing.ready), ("from kill to welcome", killing.back)]
        print(table([(name, spread(seconds)) for name, seconds in shown]))
        within = sum(each <= 2.0 for each in killing.back)
        print(f"within 2 s: {within} of {len(killing.back)}; refusals {dict(killing.ledger.refusals)}")
        print(f"jobs left {killing.jobs_left}; closed without a summary {killing.unsummed}")
        for each in [*found.examples, *killing.ledger.broken[:5]]:
            print(f"  {each}")
        broken = found.broken + len(killing.ledger.broken) + killing.jobs_left + killing.unsummed
    raise SystemExit((0 if found.lost else 1) if control else (1 if broken else 0))


if __name__ == "__main__":
    app()
