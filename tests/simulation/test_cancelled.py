"""The server is cancelled at a place where one of its actors waits: no transaction is left open, no task is left,
and what was acknowledged is there when it lives again.

Here some places of each actor; all of them, one by one, by hand: ``python -m tests.simulation cancelled``.
"""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.simulation.cancelling import QUIET, places
from tests.simulation.world import simulate

SOME = ("connection", "session", "stream", "writer", "summarizer.job", "indexer")


@pytest.mark.parametrize("actor", SOME)
def test_cancelled_where_an_actor_waits_nothing_promised_is_lost(tmp_path: Path, actor: str) -> None:
    most = places()[actor]
    report = simulate(replace(QUIET, cancelled=actor, cancelled_at=most // 2 + 1), tmp_path)
    assert report.killed == 1
    assert not report.broken, f"{actor} at {most // 2 + 1} of {most}: {report.broken}"
