"""Group commit: what queued while a batch was written is the next batch; nothing is lost, all in order."""

from collections.abc import Sequence

import anyio

from actors.runtime import Reply, running
from actors.writer import Write, Writer
from companions.changes import AnyChange, ConversationClosed, Landed, Outcome, SettingSet


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
