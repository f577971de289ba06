"""``python -m tests.month [--seed N] [--people 20] [--days 30]``: play a month, and say what was seen."""

import argparse
import logging
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import anyio
import structlog

from tests.month.checking import check
from tests.month.playing import Month, play, prepared


def main() -> int:
    """Play it; 1 when anything is not as it should be."""
    parser = argparse.ArgumentParser(prog="python -m tests.month", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--days", type=int, default=30)
    asked = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with tempfile.TemporaryDirectory() as folder:
        month = prepared(Path(folder), seed=asked.seed, count=asked.people, days=asked.days)
        began = time.monotonic()
        anyio.run(partial(play, month, lambda line: _say(f"{line}, {time.monotonic() - began:.0f} s")))
        return _tell(month)


def _tell(month: Month) -> int:
    found = check(month)
    said = sum(len(each.said) for each in month.people)
    _say(
        f"seed {month.seed}: {len(month.people)} people, {month.days} days, {month.restarts} starts of the server"
    )
    _say(f"jumps of the clock: {', '.join(month.jumps)}")
    _say(f"{said} messages, {month.check_ins} check-ins")
    for name, value in found.figures.items():
        _say(f"{name}: {value}")
    for wrong in found.wrong:
        _say(f"WRONG: {wrong}")
    _say("as it should be" if not found.wrong else f"{len(found.wrong)} things are wrong")
    return 1 if found.wrong else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
