"""A short world in which nothing fails but that the server is cancelled, and how often each actor waits in it."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.simulation.world import Plan, simulate

ACTORS = (
    "connection",
    "session",
    "stream",
    "writer",
    "summarizer",
    "summarizer.job",
    "extractor",
    "extractor.job",
    "indexer",
    "sweeper",
)
QUIET = Plan(seed=4, seconds=14.0, people=1, kills=0.0, storms=0.0, trouble=0.0)


@cache
def places() -> dict[str, int]:
    """How often each task waits in the quiet world, by its name."""
    with TemporaryDirectory() as folder:
        return simulate(QUIET, Path(folder)).places
