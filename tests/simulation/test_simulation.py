"""Whole worlds from a seed: a server that is killed and lives on, people, lines, a model and a disk that fail.

More of it by hand: ``python -m tests.simulation --seed N --hours H``. A failure names its seed, which repeats it.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from actors.writer import Commit, Refusing
from companions.changes import AnyChange, CommandId, Landed, MessageSaid, Outcome
from companions.ports import Prompt, PromptMessage
from tests.simulation.house import Protection
from tests.simulation.ledger import Ledger, leaks, mark
from tests.simulation.world import Plan, simulate

Groups = Sequence[tuple[AnyChange, ...]]
SHORT = Plan(seed=0, seconds=50.0, people=4)


@pytest.mark.parametrize("seed", [11, 23])
def test_whatever_fails_every_promise_is_kept(tmp_path: Path, seed: int) -> None:
    report = simulate(replace(SHORT, seed=seed), tmp_path)
    assert not report.broken, f"seed {seed}: {report.broken} after {report.last}"
    assert report.counts["acks"] > 20
    assert report.counts["at length"] > 5  # what is read beside the loop
    assert report.commits > 50


def test_who_stays_away_for_minutes_finds_every_promise_kept(tmp_path: Path) -> None:
    """Until then the session has let go of what it read in the talk."""
    report = simulate(Plan(seed=3, seconds=600.0, people=3, kills=0.0, storms=0.0, away=0.4), tmp_path)
    assert not report.broken
    assert report.counts["long away"] > 5
    assert report.counts["acks"] > 10


def test_a_seed_repeats_its_run(tmp_path: Path) -> None:
    plan = Plan(seed=5, seconds=12.0, people=2)
    first, second = (simulate(plan, folder) for folder in folders(tmp_path, 2))
    assert first == second
    assert first.noted > 50


def folders(under: Path, count: int) -> list[Path]:
    made = [under / str(number) for number in range(count)]
    for folder in made:
        folder.mkdir()
    return made


# ------------------------------------------------------------ controls: without a protection the promise breaks


def acks_before_the_commit(commit: Commit) -> Commit:
    """A batch is acknowledged while it is held in memory, and lands with the next one."""
    held: list[tuple[AnyChange, ...]] = []

    async def acked(groups: Groups) -> Sequence[Outcome] | Refusing:
        late = list(held)
        held[:] = groups
        if late:
            await commit(late)
        return [Landed() for _ in groups]

    return acked


def forgets_ids(commit: Commit) -> Commit:
    """Every message that comes is taken for a new one, also one that comes again."""
    count = 0

    def fresh(change: AnyChange) -> AnyChange:
        nonlocal count
        if not isinstance(change, MessageSaid):
            return change
        count += 1
        return replace(change, command=CommandId(space=f"{change.command.space}!", id=str(count), digest=""))

    async def landed(groups: Groups) -> Sequence[Outcome] | Refusing:
        return await commit([tuple(map(fresh, group)) for group in groups])

    return landed


@pytest.mark.parametrize(
    ("protection", "breaks"), [(acks_before_the_commit, "lost"), (forgets_ids, "twice")], ids=["ack", "ids"]
)
def test_without_its_protection_a_promise_breaks(tmp_path: Path, protection: Protection, breaks: str) -> None:
    """The control: a wrong double in the writer's place is found out, within a few seeds."""
    for seed in range(6):
        folder = tmp_path / str(seed)
        folder.mkdir()
        report = simulate(Plan(seed=seed, seconds=90.0, people=3, kills=1.0), folder, protection)
        if any(breaks in each for each in report.broken):
            return
    pytest.fail(f"nothing was {breaks}")


def test_a_prompt_of_two_talks_or_two_people_is_found(tmp_path: Path) -> None:
    simulate(Plan(seed=1, seconds=10.0, people=2, kills=0.0, storms=0.0), tmp_path)
    ledger = Ledger(companions={"p0": "serenity", "p1": "clara"})
    both = f"{mark('p0', 1)} and {mark('p1', 1)}"
    prompt = Prompt(system=both, messages=(PromptMessage(role="user", text="hello"),), max_tokens=1)
    assert leaks(tmp_path / "fireside.db", ledger, [prompt])
    assert not leaks(tmp_path / "fireside.db", ledger, [replace(prompt, system=mark("p1", 1))])
