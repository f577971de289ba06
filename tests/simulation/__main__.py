"""``python -m tests.simulation --seed 1 --hours 1``: one world after the other, until the time is over or one breaks.

Each world has the next seed and is a quarter of an hour long; what broke is named with the seed that repeats it.
"""

import random
import tempfile
import time
from pathlib import Path

import cyclopts
from msgspec.structs import replace

from tests.simulation.cancelling import ACTORS, QUIET, places
from tests.simulation.world import Plan, Report, simulate

app = cyclopts.App(name="simulation", help="Worlds on virtual time, from a seed.")


@app.default
def run(
    *, seed: int | None = None, hours: float = 0.05, seconds: float = 900.0, worlds: int | None = None
) -> None:
    """Simulate worlds for so many ``hours`` of this machine's time, or so many ``worlds``, of ``seconds`` each."""
    number = random.SystemRandom().randrange(1_000_000) if seed is None else seed
    until = time.monotonic() + 3_600 * hours
    done = 0
    while (worlds is None and time.monotonic() < until) or (worlds is not None and done < worlds):
        people = random.Random(number).randint(2, 6)
        report = one(Plan(seed=number, seconds=seconds, people=people, away=0.1))
        print(told(report), flush=True)
        for each in report.broken[:20]:
            print(f"  BROKEN {each}")
        if report.broken:
            print("\n".join(report.last))
            raise SystemExit(1)
        number += 1
        done += 1
    raise SystemExit(0)


@app.command
def cancelled(*, every: int = 1, actors: tuple[str, ...] = ACTORS) -> None:
    """Cancel the server at each place, or every ``every``th, where each of its actors waits, one by one."""
    failed = 0
    for actor in actors:
        most = places()[actor]
        for at in range(1, most + 1, every):
            report = one(replace(QUIET, cancelled=actor, cancelled_at=at))
            if report.broken:
                failed += 1
                print(f"  {actor} at {at}: {report.broken[:3]}", flush=True)
        print(f"{actor}: {len(range(1, most + 1, every))} of {most} places", flush=True)
    raise SystemExit(1 if failed else 0)


def one(plan: Plan) -> Report:
    """One world in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        return simulate(plan, Path(name))


def told(report: Report) -> str:
    """One line."""
    counts = report.counts
    return (
        f"seed {report.seed}  lives {report.lives} ({report.killed} killed)  commits {report.commits}  acks "
        f"{counts.get('acks', 0)} and {counts.get('acks, not durable', 0)} not durable  answers "
        f"{counts.get('answers', 0)}  resent {counts.get('resent', 0)}  broken {len(report.broken)}  trace "
        f"{report.trace[:16]}"
    )


if __name__ == "__main__":
    app()
