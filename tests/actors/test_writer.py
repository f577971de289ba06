"""Group commit: what queued while a batch was written is the next batch; nothing is lost, all in order."""

from collections.abc import Sequence

import anyio

from actors.runtime import Reply, running
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
