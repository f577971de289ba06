"""One life of the server on a simulated machine: the real parts from the store to the door, put together as
``server.app`` does, over a disk, lines and a model of the simulation."""

import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import anyio
from anyio.abc import TaskGroup

from actors.aftermath import Channel
from actors.landing import land
from actors.mail import Mail
from actors.ports import Cast, Services
from actors.runtime import Address, kept_running, running
from actors.sessions import Sessions
from actors.writer import Commit, Write, Writer
from companions.changes import AnyChange, Landed, Outcome
from companions.companion import Companion
from companions.ports import LanguageModel
from companions.state import Who
from companions.unsaying import Unsaid
from server.aftercare import aftercare
from server.attending import Attending
from server.care import Care
from server.casting import casts, companions
from server.committing import committing
from server.connection import Connection, Door
from server.desk import StoreDesk
from server.entrance import Entrance
from server.erasing import Erasures
from server.host import host
from server.ids import mint, new_id, now_ms
from server.indexer import Indexer
from server.metrics import Metrics
from server.ordering import Ordering
from server.pace import Pace
from server.pairing import Pairing
from server.pins import Pins
from server.presence import Presence
from server.scrubber import Scrubber
from server.settings import Limits
from server.spilling import brought_in, replayed
from server.sweeper import Sweeper
from server.tickets import Tickets
from storage.erased import LEDGER_FILE, erased_before
from storage.order import epoch
from storage.patience import Patient
from storage.recovery import recover
from storage.refusals import StoreRefused
from storage.spill import Group, Spill, spill
from tests.simulation.disk import Aside, Disk, Weather
from tests.simulation.fate import Fate
from tests.simulation.network import Line
from tests.storage.fresh import placed

FILE = "fireside.db"
SPILL_BYTES = 256 * 1024
MOST_LINES = 1_000


@cache
def everybody() -> dict[str, Companion]:
    """The companions that ship."""
    return companions("")


@cache
def rules() -> dict[str, Cast]:
    """Their rules."""
    return casts(everybody())


Protection = Callable[[Commit], Commit]
"""What the writer's commit goes through: itself, or a wrong double for a control."""


class House:
    """A server that lives: lines may be opened to it."""

    def __init__(
        self, folder: Path, fate: Fate, disk: Disk, tasks: TaskGroup, stop: Callable[[], None]
    ) -> None:
        self.folder = folder
        self.fate = fate
        self.disk = disk
        self.killed = False
        self._tasks = tasks
        self._stop = stop
        self._lines: list[Line] = []
        self.door: Door | None = None
        self.sessions: Sessions | None = None
        self.channels: tuple[Channel, ...] = ()

    def open_line(self) -> Line | None:
        """A line to the door; None while nobody is there."""
        if self.killed or self.door is None:
            return None
        line = Line(self.fate)
        self._lines = [*self._lines, line][-MOST_LINES:]
        connection = Connection(line.for_the_door, self.door)
        self._tasks.start_soon(self._serve, connection, line, name="connection")
        return line

    async def _serve(self, connection: Connection, line: Line) -> None:
        try:
            await connection.serve()
        finally:
            await line.server.close()

    def kill(self) -> None:
        """As ``kill -9``: from this moment on nothing of it reaches the disk or a client."""
        self.killed = True
        self.disk.kill()
        for line in self._lines:
            line.cut()
        self._stop()

    def cancel(self) -> None:
        """As a host that is cancelled: every task is, wherever it waits; the disk finishes what it has."""
        self.killed = True
        for line in self._lines:
            line.cut()
        self._stop()

    async def drain(self) -> None:
        """As SIGTERM: clients are told, open answers finish or are cut."""
        assert self.sessions is not None
        await self.sessions.drain([700, 1_500, 3_000], 10.0)
        for channel in self.channels:
            channel.close()


@dataclass(frozen=True, kw_only=True)
class Made:
    """What a life is made with."""

    folder: Path
    fate: Fate
    weather: Weather
    model: LanguageModel
    protection: Protection = lambda commit: commit


def nobody_told(*_: object) -> None:
    """What goes to logs and to those who care for somebody: nobody is there."""


@asynccontextmanager
async def living(made: Made) -> AsyncGenerator[House]:
    """A life of the server on the file that is there. However it ends, none of its tasks is left."""
    path = placed(made.folder / FILE)
    disk = Disk(path, made.fate, made.weather)
    with spill(made.folder / "spill", SPILL_BYTES) as spill_file:
        async with anyio.create_task_group() as machine:  # which works on while the process is cancelled
            machine.start_soon(disk.run, name="disk")
            async with anyio.create_task_group() as life:
                house = House(made.folder, made.fate, disk, life, life.cancel_scope.cancel)
                try:
                    async with AsyncExitStack() as stack:
                        await _started(house, made, spill_file, stack)
                        yield house
                        if not house.killed:
                            await house.drain()
                finally:
                    house.door = None
                    for channel in house.channels:
                        channel.closed()
                life.cancel_scope.cancel()
            machine.cancel_scope.cancel()
    if not disk.killed:
        if disk.db.in_transaction:
            raise AssertionError("a transaction is open after the end")
        disk.db.close()


async def _started(house: House, made: Made, spill_file: Spill, stack: AsyncExitStack) -> None:
    """Everything from the store to the door, to be stopped by ``stack``."""
    disk = house.disk
    aside = Aside(spill_file, disk)
    left = await replayed(spill_file, disk, port=aside)
    indexer, scrubber = Indexer(disk), Scrubber(disk, made.folder)
    writing = Writer(
        made.protection(committing(disk, scrubber.committed)),
        measure=lambda _: indexer.committed(),
        spill=aside,
        mend=disk.mend,
    )
    writing.first(left)
    writer = await stack.enter_async_context(running(writing, name="writer", capacity=1_000, grace=10.0))
    tasks = await stack.enter_async_context(anyio.create_task_group())
    stack.callback(tasks.cancel_scope.cancel)
    await _served(house, made, disk, indexer, scrubber, writing, writer, tasks, left)


async def _kept(work: Callable[[], Awaitable[None]], name: str) -> None:
    await kept_running(work, name=name)


async def _once_taken(disk: Disk, function: Callable[[sqlite3.Connection], object]) -> None:
    """A start that is refused begins again, as often as it takes."""
    while True:
        try:
            await disk.transact(function)
        except StoreRefused:
            await anyio.sleep(1.0)
        else:
            return


async def _served(
    house: House,
    made: Made,
    disk: Disk,
    indexer: Indexer,
    scrubber: Scrubber,
    writing: Writer,
    writer: Address[Write],
    tasks: TaskGroup,
    waits: Sequence[Group],
) -> None:
    """Everything between the writer and the door."""
    ledger = tuple(erased_before(made.folder / LEDGER_FILE))
    await _once_taken(disk, lambda db: brought_in(db, waits, ledger))
    await _once_taken(disk, lambda db: recover(db, now_ms()))
    this_epoch = await disk.read(epoch)
    patient = Patient(disk)
    found, cast = everybody(), rules()
    metrics = Metrics()
    erasures = Erasures(disk, made.folder, scrubber, cool_down=60.0, now_ms=now_ms)

    async def kept(who: Who, change: AnyChange) -> Outcome:
        outcome = await land(writer, (change,))
        if isinstance(outcome, Landed):
            sessions.refresh(who.user, companion=who.companion, items=())
        return outcome

    desk = StoreDesk(patient, cast, this_epoch, erasures, Tickets(), kept, waiting=writing.waiting)
    sessions = Sessions(tasks, cast, desk)
    attending = Attending(disk, now_ms)
    unsay = attending.hushed(sessions.unsay)
    channels = (Channel(), Channel(), Channel())

    def nudge(conversation: str) -> None:
        for channel in channels:
            channel.nudge(conversation)

    async def unsaid(who: Who, what: Unsaid, by: Address[Mail] | None = None) -> None:
        sessions.unsaid(who, what, by)
        if what.conversation is not None:
            await scrubber.now(what.texts)
            nudge(what.conversation)

    services = Services(
        writer=writer,
        model=made.model,
        desk=desk,
        now_ms=now_ms,
        mint=mint,
        aside=host().aside,
        new_ref=lambda: new_id("ref"),
        hand_over=nudge,
        take_over=sessions.take_over,
        holds=sessions.holds,
        alert=nobody_told,
        report=nobody_told,
        measure=metrics,
        trouble=lambda: writing.refusing,
        unsay=unsay,
        unsaid=unsaid,
        memory_changed=lambda who, items: sessions.refresh(
            who.user, companion=who.companion, edited=True, items=items
        ),
    )
    takers = aftercare(disk, found, made.model, writer, channels, sessions, metrics)
    sweeper = Sweeper(disk, writer, sessions, cast, services)
    work: dict[str, Callable[[], Awaitable[None]]] = {taker.name: taker for taker in takers}
    work |= {"sweeper": sweeper, "indexer": indexer, "scrubber": scrubber}
    for name, each in work.items():
        tasks.start_soon(_kept, each, name, name=name)
    care = Care(
        patient,
        lambda change: land(writer, (change,)),
        erasures,
        changed=lambda user: sessions.refresh(user, edited=True),
        unsay=lambda who, what: unsay(who, what, None),
        unsaid=unsaid,
        attending=attending,
        talks=sessions,
    )
    presence, pairing = Presence(tasks), Pairing(anyio.current_time)
    entrance = Entrance(patient, pairing, kiosk=False)
    await entrance.look()
    house.sessions, house.channels = sessions, channels
    house.door = Door(
        care=care,
        presence=presence,
        pace=Pace(Limits(commands_per_second=1_000.0)),
        entrance=entrance,
        pairing=pairing,
        pins=Pins(patient, anyio.current_time),
        do=Ordering(patient, presence, entrance, pairing, lambda: "", nobody_told),
        sessions=sessions,
        services=services,
        limits=Limits(commands_per_second=1_000.0),
        metrics=metrics,
        epoch=this_epoch,
        default_companion="serenity",
    )
