"""``python -m loadtest.bounds``: what a crowd, a silent line or a slow reader may cost, tried on a real server.

Each case starts a server of its own, does its worst with real connections, and holds what it saw against what is
asked. A case ends by itself; the exit code is 1 when something asked was missed.

Example:
    python -m loadtest.bounds
    python -m loadtest.bounds --only storm --clients 500
"""

import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import cyclopts
import msgspec

from loadtest import bounds_cases
from loadtest.bounds_cases import Seen
from loadtest.half_open import NoNetwork, half_open_lines
from loadtest.refusing_models import refusing_models
from loadtest.slow_readers import slow_readers

Case = Callable[[Path, int], Awaitable[list[Seen]]]


class Named(msgspec.Struct, frozen=True):
    """A case, and how many clients it has unless told otherwise."""

    case: Case
    clients: int


CASES: dict[str, Named] = {
    "slow": Named(slow_readers, 200),
    "silent": Named(bounds_cases.silent_lines, 50),
    "half_open": Named(half_open_lines, 20),
    "refusing": Named(refusing_models, 10),
    "stalled": Named(bounds_cases.stalled_handshakes, 300),
    "descriptors": Named(bounds_cases.few_descriptors, 400),
    "storm": Named(bounds_cases.storm, 2_000),
    "drain": Named(bounds_cases.drain, 500),
}


def line(name: str, seen: Seen) -> str:
    """One line of the table."""
    return f"{'ok    ' if seen.well else 'MISSED'} {name:<12} {seen.what:<58} {seen.seen:>14}  asked {seen.asked}"


app = cyclopts.App(name="bounds", help="Crowds, silent lines and slow readers against a real server.")


@app.default
def bounds(*, only: str = "", clients: int | None = None) -> None:
    """Try every case, or one.

    Parameters
    ----------
    only
        the case to try alone: slow, silent, half_open, refusing, stalled, descriptors, storm, drain
    clients
        how many, in place of each case's own number
    """
    if only and only not in CASES:
        raise SystemExit(f"there is no case {only!r}; there are {', '.join(CASES)}")
    raise SystemExit(anyio.run(_bounds, only, clients))


async def _bounds(only: str, clients: int | None) -> int:
    missed = 0
    for name, each in CASES.items():
        if only in ("", name):
            began = time.perf_counter()
            with tempfile.TemporaryDirectory() as folder:
                try:
                    figures = await each.case(Path(folder), clients or each.clients)
                except NoNetwork as cannot:
                    print(f"SKIPPED {name}: no network of our own can be made here ({cannot})")
                    continue
                for seen in figures:
                    print(line(name, seen), flush=True)
                    missed += not seen.well
            print(f"       {name}: {clients or each.clients} clients, {time.perf_counter() - began:.1f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    app()
