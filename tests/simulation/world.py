"""A whole world on virtual time, from one seed: people, lines, a model, a disk, and a server that dies and lives on.

Nothing waits in real time and no thread runs, so that hours pass in seconds and the same seed gives the same run.
"""

import asyncio
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import msgspec
import structlog
from structlog.typing import EventDict, WrappedLogger

from server.host import standing_in
from storage.refusals import StoreRefused
from tests import clock
from tests.simulation.disk import Weather
from tests.simulation.fate import Fate
from tests.simulation.house import FILE, House, Made, Protection, living
from tests.simulation.ledger import Ledger, findings, leaks
from tests.simulation.mind import Mind
from tests.simulation.network import Line
from tests.simulation.people import Person
from tests.simulation.steps import counting

COMPANIONS = ("serenity", "clara", "extremis", "coach", "maestro/mathematics")
LIFE_STEPS = (50, 12_000)  # of a life that is killed: how often its tasks have waited
LIFE_SECONDS = 300.0  # at most, then it is stopped kindly, or killed
HANDED_OVER_SECONDS = 7_200.0
OURS = frozenset({"actor.crashed", "session.lost"})  # log lines of a fault of our own


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is made of; all else comes from the seed."""

    seed: int
    seconds: float = 900.0
    people: int = 4
    kills: float = 0.7  # of the lives
    storms: float = 0.3  # how often the disk refuses
    trouble: float = 0.2  # of the requests, how many the model fails
    away: float = 0.0  # of the times that somebody is gone, how many are for a minute or some
    cancelled: str | None = None  # the name of a task: the server is cancelled once, where it waits
    cancelled_at: int = 0  # for the nth time


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a run."""

    seed: int
    trace: str
    noted: int
    lives: int
    killed: int
    commits: int
    counts: dict[str, int]
    broken: tuple[str, ...]
    places: dict[str, int]
    last: tuple[str, ...] = ()


class World:
    """The run while it lasts."""

    def __init__(self, plan: Plan, folder: Path, protection: Protection) -> None:
        self.plan = plan
        self.folder = folder
        self.fate = Fate(plan.seed)
        self.ledger = Ledger()
        self.mind = Mind(self.fate, plan.trouble)
        self.weather = Weather(self.fate, plan.seconds, plan.storms)
        self.made = Made(
            folder=folder, fate=self.fate, weather=self.weather, model=self.mind, protection=protection
        )
        self.over = False
        self.house: House | None = None
        self.lives = self.killed = self.commits = 0
        self.broken: list[str] = []
        self._steps = 0
        self.places: Counter[str] = Counter()  # where tasks waited, by their names
        self._kill_at: int | None = None

    def open_line(self) -> Line | None:
        """A line to the server that lives."""
        return self.house.open_line() if self.house is not None else None

    async def run(self) -> Report:
        """From the first start to the last stop."""
        chance = self.fate.chance("lives")
        with counting(self._step), standing_in(self.fate), watched_log(self.ledger):
            async with anyio.create_task_group() as tasks:
                for number in range(self.plan.people):
                    companion = COMPANIONS[number % len(COMPANIONS)]
                    person = Person(self, f"p{number}", companion, away=self.plan.away)
                    tasks.start_soon(person.live, name="person")
                while anyio.current_time() < self.plan.seconds and not self.broken:
                    killed = chance.random() < self.plan.kills
                    await self._life(
                        chance.randint(*LIFE_STEPS) if killed else None, chance.uniform(20, LIFE_SECONDS)
                    )
                    await anyio.sleep(chance.uniform(0.0, 2.0))
                    self._look()
                if not self.broken:
                    await self._peace(tasks)
                tasks.cancel_scope.cancel()
        return Report(
            seed=self.plan.seed,
            trace=self.fate.trace(),
            noted=self.fate.noted,
            lives=self.lives,
            killed=self.killed,
            commits=self.commits,
            counts=dict(sorted(self.ledger.counts.items())),
            broken=tuple(self.broken),
            places=dict(sorted(self.places.items())),
            last=tuple(self.fate.last) if self.broken else (),
        )

    async def _life(self, steps: int | None, seconds: float) -> None:
        """One life of the server: killed after so many steps, or stopped after so many seconds."""
        self.lives += 1
        while self.weather.now() is not None:  # noqa: ASYNC110  # whoever starts it tries again
            await anyio.sleep(1.0)
        try:
            async with living(self.made) as house:
                self.house = house
                self._kill_at = None if steps is None else self._steps + steps
                self.fate.note("life", self.lives)
                await anyio.sleep(seconds)
                self._kill_at = None
                self.house = None
            self._ended(house)
        except* StoreRefused:
            self.ledger.counts["starts refused"] += 1
            if self.house is not None:
                self.ledger.blame("a store that refused ended a life")
            self.house = None

    def _ended(self, house: House) -> None:
        self.house = None
        self._kill_at = None
        self.killed += house.killed
        self.commits += house.disk.commits
        self.fate.note("ended", house.killed)
        if self.mind.open:
            self.ledger.blame(f"{self.mind.open} requests to the model are open after the end")
        left = [task.get_name() for task in asyncio.all_tasks() if task.get_name() not in ("person", "main")]
        if left != ["main"] and [name for name in left if not name.startswith("Task-")]:
            self.ledger.blame(f"tasks are left: {left}")

    def _step(self, name: str) -> None:
        self._steps += 1
        self.places[name] += 1
        if (
            name == self.plan.cancelled
            and self.places[name] == self.plan.cancelled_at
            and self.house is not None
        ):
            self.house.cancel()
        if self._kill_at is not None and self._steps >= self._kill_at and self.house is not None:
            self._kill_at = None
            self.house.kill()

    def _look(self) -> None:
        """Hold the file and the prompts against what was promised."""
        store = self.folder / FILE
        self.broken = [*findings(store, self.ledger), *leaks(store, self.ledger, self.mind.prompts)]
        self.mind.prompts.clear()

    async def _peace(self, tasks: anyio.abc.TaskGroup) -> None:
        """A last life without trouble: everybody is heard, and every job is done."""
        self.over = True
        self.lives += 1
        async with living(self.made) as house:
            self.house = house
            with anyio.move_on_after(HANDED_OVER_SECONDS) as waited:
                while await self._waits(house):  # noqa: ASYNC110  # time is virtual, and what is waited for is many
                    await anyio.sleep(5)
            if waited.cancelled_caught:
                self.ledger.blame("people or jobs wait for ever")
            self.house = None
        self._ended(house)
        self._look()

    async def _waits(self, house: House) -> bool:
        people = any(task.get_name() == "person" for task in asyncio.all_tasks())
        jobs = await house.disk.read(
            lambda db: db.execute("SELECT 1 FROM jobs WHERE state IN ('waiting', 'running')").fetchone()
        )
        return people or jobs is not None


@contextmanager
def watched_log(ledger: Ledger) -> Generator[None]:
    """No line is written; one that tells of a fault of ours is a broken promise."""

    def listen(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        name = str(event.get("event"))
        ledger.counts[f"log: {name}"] += 1
        words = str(event.get("exception", ""))
        if (name in OURS or (name == "job.failed" and words)) and "StoreRefused" not in words:
            ledger.blame(f"{name}: {event}")
        raise structlog.DropEvent

    processors = structlog.get_config()["processors"]
    before = list(processors)
    processors[:] = [structlog.processors.format_exc_info, listen]
    try:
        yield
    finally:
        processors[:] = before


def simulate(plan: Plan, folder: Path, protection: Protection = lambda commit: commit) -> Report:
    """Run a world to its end."""

    async def run() -> Report:
        task = asyncio.current_task()
        assert task is not None
        task.set_name("main")
        return await World(plan, folder, protection).run()

    return clock.run(run)
