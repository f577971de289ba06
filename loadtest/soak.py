"""``python -m loadtest.soak``: a steady load for a long time; memory must not grow.

A handful of people talk, think, drop the line in mid-answer and come back, and close conversations, which hands them
to the jobs. The server's resident memory, without the pages of files, is read every ten seconds; after a warm-up a line
through it tells how fast it grows. In the end the file is held against what people were promised.

Sessions wait for half an hour, so that it takes 35 minutes until as many end as begin. What is kept of what was counted
before fills with the messages, in an hour: at the beginning of the warm-up people write ten times as much.

Example:
    python -m loadtest.soak --minutes 60
"""

import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated

import anyio
import cyclopts
import msgspec
from cyclopts import Parameter

from loadtest.keeping_on import Ledger, Person
from loadtest.kept import Findings, findings
from loadtest.model_script import Script
from loadtest.model_server import model_server
from loadtest.process import ServerProcess, server_process

COMPANIONS = ("serenity", "clara", "extremis", "coach", "maestro/mathematics", "serenity")
THINK_SECONDS = 8.0
IN_A_RUSH = 0.1  # of it
LEAVES = 0.1
SAMPLE_SECONDS = 10.0
MOST_MIB_AN_HOUR = 1.0
NEWCOMERS_SECONDS = 300.0  # so often one of them gives place to somebody new


class Sample(msgspec.Struct, frozen=True):
    """Resident memory, without the pages of files, at a moment."""

    seconds: float
    mib: float


class Soaked(msgspec.Struct, frozen=True, kw_only=True):
    """A run: what was measured, and what was found in the file."""

    samples: tuple[Sample, ...]
    warm_seconds: float
    cpu_seconds: float
    messages: int
    answers: int
    found: Findings
    broken: tuple[str, ...]

    @property
    def warm(self) -> list[Sample]:
        """The samples after the warm-up."""
        return [each for each in self.samples if each.seconds >= self.warm_seconds]


def least_squares(samples: Sequence[Sample]) -> float:
    """The slope of the line through the samples, in MiB an hour; 0 for fewer than two."""
    if len(samples) < 2:
        return 0.0
    line = statistics.linear_regression([each.seconds for each in samples], [each.mib for each in samples])
    return line.slope * 3_600


def theil_sen(samples: Sequence[Sample]) -> float:
    """The median of the slopes between any two samples, in MiB an hour: single jumps do not move it."""
    slopes = [
        (after.mib - before.mib) / (after.seconds - before.seconds)
        for before, after in combinations(samples, 2)
        if after.seconds > before.seconds
    ]
    return statistics.median(slopes) * 3_600 if slopes else 0.0


async def run(
    folder: Path, *, minutes: float, warm_minutes: float, rush_minutes: float, people: int, seed: int
) -> Soaked:
    """Let ``people`` talk for the warm-up and ``minutes`` more; raises nothing for what is found."""
    ledger = Ledger()
    samples: list[Sample] = []
    async with (
        model_server(Script(tokens=30, tokens_per_second=40.0)) as model,
        server_process(folder, ["--model", f"openai:m@{model.url}/v1"]) as server,
    ):
        with anyio.move_on_after(60 * (warm_minutes + minutes)):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_watch, server, samples, ledger)
                rushes_until = time.monotonic() + 60 * rush_minutes
                for number in range(people):
                    tasks.start_soon(_seat, server.url, ledger, number, seed, rushes_until)
        cpu = server.cpu_seconds()
        await server.stop()
    return Soaked(
        samples=tuple(samples),
        warm_seconds=60 * warm_minutes,
        cpu_seconds=cpu,
        messages=len(ledger.messages),
        answers=len(ledger.answers),
        found=findings(folder / "data" / "fireside.db", ledger),
        broken=tuple(ledger.broken),
    )


async def _seat(url: str, ledger: Ledger, number: int, seed: int, rushes_until: float) -> None:
    """One place at the hearth: somebody talks for some minutes, then somebody new does."""
    chance = random.Random(seed * 1_009 + number)
    companion = COMPANIONS[number % len(COMPANIONS)]
    guest = 0
    while True:
        guest += 1
        person = Person(
            name=f"s{number}-{guest}",
            companion=companion,
            ledger=ledger,
            chance=chance,
            most_at_once=2,
            think_seconds=THINK_SECONDS * (IN_A_RUSH if time.monotonic() < rushes_until else 1),
            leaves=LEAVES,
        )
        with anyio.move_on_after(NEWCOMERS_SECONDS * chance.uniform(0.5, 1.5)):
            await person.keep_on(url, anyio.Event())


async def _watch(server: ServerProcess, samples: list[Sample], ledger: Ledger) -> None:
    began = time.monotonic()
    while True:
        seconds = time.monotonic() - began
        samples.append(Sample(seconds, server.own_memory_mib()))
        if len(samples) % 30 == 1:
            print(
                f"  {seconds / 60:5.1f} min  {samples[-1].mib:7.2f} MiB  messages {len(ledger.messages)}  "
                f"left {ledger.left}  closed {ledger.closed}  cpu {server.cpu_seconds():.0f} s",
                flush=True,
            )
        await anyio.sleep(SAMPLE_SECONDS)


app = cyclopts.App(name="soak", help="A steady load for a long time; memory must not grow.")


@app.default
def soak(
    *,
    minutes: float = 60.0,
    warm_minutes: float = 36.0,
    rush_minutes: float = 12.0,
    people: int = 6,
    seed: int = 1,
    report: Annotated[Path | None, Parameter(name="--json", help="Write the samples here.")] = None,
) -> None:
    """Let people talk for the warm-up, in a rush at first, and for ``minutes`` behind it.

    Exit code 0 when memory stayed flat and every promise held.
    """
    print(f"seed {seed}, {minutes:g} minutes behind {warm_minutes:g} of warm-up, {people} people", flush=True)
    with tempfile.TemporaryDirectory() as name:

        async def measured() -> Soaked:
            return await run(
                Path(name),
                minutes=minutes,
                warm_minutes=warm_minutes,
                rush_minutes=rush_minutes,
                people=people,
                seed=seed,
            )

        soaked = anyio.run(measured)
    if report is not None:
        report.write_bytes(msgspec.json.format(msgspec.json.encode(soaked)))
    slope = least_squares(soaked.warm)
    print(
        f"messages {soaked.messages}, answers {soaked.answers}, CPU {soaked.cpu_seconds:.0f} s; after "
        f"{warm_minutes:g} min {soaked.warm[0].mib if soaked.warm else 0:.2f} MiB, at the end "
        f"{soaked.samples[-1].mib:.2f} MiB, most {max(each.mib for each in soaked.samples):.2f} MiB"
    )
    print(f"slope {slope:.2f} MiB an hour (least squares), {theil_sen(soaked.warm):.2f} (Theil and Sen)")
    print(f"promises broken {soaked.found.broken} {soaked.found.examples or ''} {soaked.broken or ''}")
    raise SystemExit(1 if slope > MOST_MIB_AN_HOUR or soaked.found.broken or soaked.broken else 0)


if __name__ == "__main__":
    app()
