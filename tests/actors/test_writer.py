"""Group commit: what queued while a batch was written is the next batch; nothing is lost, all in order."""

from collections.abc import Sequence

import anyio
import pytest

from actors.runtime import Address, Reply, running
from actors.writer import Refusing, Write, Writer
from companions.changes import (
    AnyChange,
    ConversationClosed,
    Deferred,
    Landed,
    Outcome,
    Refused,
    SettingSet,
)
from tests import clock


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


def change(number: int) -> SettingSet:
    return SettingSet(user="ann", companion="c", at=number, key=str(number), value="x")


class Disk:
    """Keeps a record of its batches; each commit waits until it is let go."""

    def __init__(self, *, slow: bool = False) -> None:
        self.batches: list[list[int]] = []
        self.slow = slow
        self.go = anyio.Event()
        self.fails = 0

    async def __call__(self, groups: Sequence[tuple[AnyChange, ...]]) -> Sequence[Outcome]:
        if self.fails:
            self.fails -= 1
            raise RuntimeError("the thread died")
        if self.slow and not self.batches:
            self.batches.append([each.at for group in groups for each in group])
            await self.go.wait()
            return [Landed()] * len(groups)
        self.batches.append([each.at for group in groups for each in group])
        return [Landed()] * len(groups)


async def test_what_queued_meanwhile_is_one_batch() -> None:
    disk = Disk(slow=True)
    landed: list[int] = []

    def noting(number: int) -> Reply[Outcome]:
        return lambda _: landed.append(number)

    async with running(Writer(disk), name="writer", capacity=100, grace=5) as writer:
        await writer.send(Write((change(0),), noting(0)))
        while not disk.batches:
            await anyio.lowlevel.checkpoint()
        for number in range(1, 6):
            await writer.send(Write((change(number),), noting(number)))
        assert landed == []
        disk.go.set()
    assert disk.batches == [[0], [1, 2, 3, 4, 5]]
    assert landed == [0, 1, 2, 3, 4, 5]


async def test_who_fails_at_being_told_keeps_it_from_nobody_else() -> None:
    disk = Disk(slow=True)
    landed: list[int] = []

    def telling(number: int) -> Reply[Outcome]:
        def reply(_: Outcome) -> None:
            if number == 1:
                raise RuntimeError("gone")
            landed.append(number)

        return reply

    async with running(Writer(disk), name="writer", capacity=100, grace=5) as writer:
        for number in range(3):
            await writer.send(Write((change(number),), telling(number)))
        disk.go.set()
    assert landed == [0, 2]


async def test_a_batch_has_a_most() -> None:
    disk = Disk(slow=True)
    async with running(Writer(disk, most=2), name="writer", capacity=100, grace=5) as writer:
        for number in range(6):
            await writer.send(Write((change(number),), lambda _: None))
        disk.go.set()
    assert [len(batch) for batch in disk.batches] == [2, 2, 2] or max(map(len, disk.batches)) <= 2
    assert [number for batch in disk.batches for number in batch] == list(range(6))


async def test_what_was_read_lands_after_a_crash_of_the_writer() -> None:
    disk, landed = Disk(), list[Outcome]()
    disk.fails = 1
    async with running(Writer(disk), name="writer", capacity=100, grace=5) as writer:
        await writer.send(Write((change(1),), landed.append))
    assert disk.batches == [[1]]
    assert landed == [Landed()]


async def test_debounced_writes_wait_for_company_but_not_for_a_close() -> None:
    disk = Disk()
    close = ConversationClosed(user="ann", companion="c", at=9, conversation="cnv", reason="asked")
    with anyio.fail_after(5):
        async with running(Writer(disk, delay=60.0), name="writer", capacity=100, grace=1) as writer:
            await writer.send(Write((change(1),), lambda _: None))
            await writer.send(Write((change(2),), lambda _: None))
            closed = anyio.Event()
            await writer.send(Write((close,), lambda _: closed.set()))
            await closed.wait()
    assert [number for batch in disk.batches for number in batch] == [1, 2, 9]
    assert len(disk.batches) == 1


async def test_debounced_writes_land_when_the_writer_is_stopped() -> None:
    disk = Disk()
    with anyio.fail_after(5):
        async with running(Writer(disk, delay=60.0), name="writer", capacity=100, grace=3) as writer:
            await writer.send(Write((change(1),), lambda _: None))
            await anyio.lowlevel.checkpoint()
    assert disk.batches == [[1]]


class Moody:
    """A store that refuses so many times with a code, then takes everything."""

    def __init__(self, code: str, times: int) -> None:
        self.code = code
        self.times = times
        self.tries = 0
        self.landed: list[int] = []

    async def __call__(self, groups: Sequence[tuple[AnyChange, ...]]) -> Sequence[Outcome] | Refusing:
        self.tries += 1
        if self.tries <= self.times:
            return Refusing(self.code)
        self.landed.extend(each.at for group in groups for each in group)
        return [Landed()] * len(groups)


async def test_while_the_store_refuses_writes_wait_are_told_so_once_and_land_in_order() -> None:
    store = Moody("storage.full", times=2)
    told: list[Outcome] = []
    done = anyio.Event()

    def last(outcome: Outcome) -> None:
        told.append(outcome)
        if isinstance(outcome, Landed):
            done.set()

    async with running(Writer(store), name="writer", capacity=100, grace=5) as writer:
        await writer.send(Write((change(1),), told.append))
        await writer.send(Write((change(2),), last))
        with anyio.fail_after(10):
            await done.wait()
    assert store.landed == [1, 2]
    assert told.count(Deferred("storage.full")) == 2
    assert told.count(Landed()) == 2


async def test_the_waiting_room_is_bounded_and_beyond_it_a_write_is_refused() -> None:
    store = Moody("storage.busy", times=1_000_000)
    told: list[Outcome] = []
    refused = anyio.Event()

    def last(outcome: Outcome) -> None:
        told.append(outcome)
        refused.set()

    async with running(Writer(store, most_waiting=3), name="writer", capacity=100, grace=5) as writer:
        await writer.send(Write((change(0),), told.append))
        await anyio.sleep(0.05)
        for number in range(1, 3):
            await writer.send(Write((change(number),), told.append))
        await writer.send(Write((change(9),), last))
        with anyio.fail_after(10):
            await refused.wait()
    assert told[-1] == Refused("storage.busy")
    assert told[:3] == [Deferred("storage.busy")] * 3


async def test_after_a_broken_fsync_nothing_is_tried_and_nothing_acknowledged() -> None:
    store = Moody("storage.failed", times=1)
    told: list[Outcome] = []
    async with running(Writer(store), name="writer", capacity=100, grace=5) as writer:
        await writer.send(Write((change(1),), told.append))
        await anyio.sleep(0.6)  # longer than the first pause: a store that is tried again would have taken it
        await writer.send(Write((change(2),), told.append))
        await anyio.sleep(0.1)
    assert store.tries == 1
    assert told == [Deferred("storage.failed")] * 2


class Aside:
    """A spill that keeps a record; it has room for so many groups."""

    def __init__(self, room: int = 1_000) -> None:
        self.room = room
        self.kept: list[int] = []
        self.cleared: list[list[int]] = []

    async def keep(self, groups: Sequence[tuple[AnyChange, ...]]) -> int:
        fitting = groups[: self.room - len(self.kept)]
        self.kept.extend(each.at for group in fitting for each in group)
        return len(fitting)

    async def clear(self) -> None:
        self.cleared.append(self.kept)
        self.kept = []


async def told_by(writer: Address[Write], numbers: Sequence[int]) -> list[Outcome]:
    """Send changes of those numbers, and wait until the last has landed."""
    told: list[Outcome] = []
    done = anyio.Event()

    def last(outcome: Outcome) -> None:
        told.append(outcome)
        if isinstance(outcome, Landed):
            done.set()

    for number in numbers[:-1]:
        await writer.send(Write((change(number),), told.append))
    await writer.send(Write((change(numbers[-1]),), last))
    with anyio.fail_after(10):
        await done.wait()
    return told


async def test_what_the_store_refuses_is_kept_aside_once_until_all_of_it_has_landed() -> None:
    store, aside = Moody("storage.full", times=3), Aside()
    async with running(Writer(store, spill=aside), name="writer", capacity=100, grace=5) as writer:
        await told_by(writer, [1, 2, 3])
    assert store.landed == [1, 2, 3]
    assert aside.cleared == [[1, 2, 3]]


async def test_behind_one_that_has_no_room_aside_none_is_kept_so_that_their_order_holds() -> None:
    store, aside = Moody("storage.full", times=3), Aside(room=1)
    async with running(Writer(store, spill=aside), name="writer", capacity=100, grace=5) as writer:
        await told_by(writer, [1, 2, 3])
    assert store.landed == [1, 2, 3]
    assert aside.cleared == [[1]]


async def test_what_an_earlier_run_kept_lands_before_all_else() -> None:
    store, aside = Moody("storage.full", times=1), Aside()
    writing = Writer(store, spill=aside)
    writing.first([(change(1),), (change(2),)])
    async with running(writing, name="writer", capacity=100, grace=5) as writer:
        await told_by(writer, [3])
    assert store.landed == [1, 2, 3]
    assert aside.cleared == [[3]]  # the first two were in it already


async def test_what_has_not_landed_when_the_server_stops_stays_aside() -> None:
    store, aside, told = Moody("storage.full", times=1_000_000), Aside(), list[Outcome]()
    async with running(Writer(store, spill=aside), name="writer", capacity=100, grace=5) as writer:
        await writer.send(Write((change(1),), told.append))
        await anyio.sleep(0.05)
    assert (aside.kept, aside.cleared) == ([1], [])
    assert told == [Deferred("storage.full")]


async def test_after_a_broken_fsync_everything_lands_once_the_store_was_opened_anew() -> None:
    store = Moody("storage.failed", times=1)
    mended = iter([False, True])
    told: list[Outcome] = []

    async def mend() -> bool:
        assert Landed() not in told  # nothing is acknowledged before
        return next(mended)

    async with running(Writer(store, mend=mend), name="writer", capacity=100, grace=5) as writer:
        told.extend(await told_by(writer, [1, 2]))
    assert next(mended, None) is None
    assert store.landed == [1, 2]
    assert store.tries == 2
