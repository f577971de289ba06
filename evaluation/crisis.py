"""How well the crisis reader reads: a table for each set of rows, with Wilson intervals.

    python -m evaluation.crisis [--set FILE ...] [--half open|blind|all] [--misses]

A row counts as found when anything is read from it; its category is judged among those found. ``--misses``
prints the rows that went wrong; look at the blind half rarely, or it is blind no more.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from evaluation.intervals import row
from memory.crisis import Crisis, read_crisis, warm

SETS = Path(__file__).parent / "sets"


class Row(msgspec.Struct, frozen=True):
    """A message and what a careful person would read in it."""

    id: str
    half: str
    kind: str
    language: str
    text: str
    recent: list[str] = []
    category: str | None = None
    severity: int | None = None
    look_alike: str | None = None
    voice: str | None = None


class Read(msgspec.Struct, frozen=True):
    """A row and what the reader made of it."""

    row: Row
    crisis: Crisis | None


def line(name: str, reads: Iterable[Read], hit: Callable[[Read], bool]) -> str:
    """A line of the table: the share of ``reads`` that are a ``hit``, its interval, how many there are."""
    judged = [hit(read) for read in reads]
    return row(name, sum(judged), len(judged))


def groups(reads: Iterable[Read], key: Callable[[Row], object]) -> list[tuple[str, list[Read]]]:
    """``reads`` by ``key`` of their row, in order of the key."""
    found: dict[str, list[Read]] = defaultdict(list)
    for read in reads:
        found[str(key(read.row))].append(read)
    return sorted(found.items())


def report(reads: Sequence[Read]) -> list[str]:
    """The table: what is found, what is read wrongly, by class, severity, look-alike and language."""
    crisis = [read for read in reads if read.row.kind == "crisis"]
    calm = [read for read in reads if read.row.kind != "crisis"]
    english = [read for read in crisis if read.row.language == "en"]

    def found(read: Read) -> bool:
        return read.crisis is not None

    def right(read: Read) -> bool:
        return read.crisis is not None and read.crisis.category == read.row.category

    lines = [line("found, all", crisis, found)]
    lines += [line(f"found, {name}", part, found) for name, part in groups(crisis, lambda it: it.category)]
    lines += [
        line(f"found, severity {name}", part, found) for name, part in groups(crisis, lambda it: it.severity)
    ]
    lines += [
        line(f"found, severity 3, {name}", [read for read in part if read.row.severity == 3], found)
        for name, part in groups(crisis, lambda it: it.language)
    ]
    lines += [
        line(f"found, English, {name}", part, found) for name, part in groups(english, lambda it: it.category)
    ]
    lines += [line("right category among those found", filter(found, crisis), right)]
    lines += [
        line(
            "severity at most one off",
            filter(right, crisis),
            lambda read: abs(_severity(read) - (read.row.severity or 0)) < 2,
        ),
        line("severity exact", filter(right, crisis), lambda read: _severity(read) == read.row.severity),
    ]
    lines += [line(f"false alarms, {name}", part, found) for name, part in groups(calm, lambda it: it.kind)]
    lines += [
        line(f"false alarms, look-alike, {name}", part, found)
        for name, part in groups((read for read in calm if read.row.look_alike), lambda it: it.look_alike)
    ]
    return lines


def _severity(read: Read) -> int:
    return read.crisis.severity if read.crisis else 0


def wrong(read: Read) -> bool:
    """Whether the reader missed a crisis, took it for another, or saw one where there is none."""
    return (read.crisis.category if read.crisis else None) != read.row.category


def timing(texts: Sequence[str], size: int = 2_000, rounds: int = 300) -> list[str]:
    """Milliseconds a message of ``size`` characters takes, made of the rows' texts."""
    joined = ". ".join(texts)
    step = max(1, (len(joined) - size) // rounds)
    spans: list[float] = []
    for at in range(rounds):
        text = joined[at * step : at * step + size]
        start = time.perf_counter()
        read_crisis(text)
        spans.append((time.perf_counter() - start) * 1_000)
    spans.sort()
    median, late = spans[rounds // 2], spans[int(rounds * 0.99)]
    return [f"{size} characters: median {median:.2f} ms, p99 {late:.2f} ms"]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", type=Path)
    parser.add_argument("--half", choices=["open", "blind", "all"], default="all")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--timing", action="store_true")
    asked = parser.parse_args()
    warm()
    for file in asked.set or sorted(SETS.glob("crisis*.jsonl")):
        rows = [msgspec.json.decode(each, type=Row) for each in file.read_bytes().splitlines()]
        rows = [each for each in rows if asked.half in ("all", each.half)]
        reads = [Read(each, read_crisis(each.text, each.recent)) for each in rows]
        print(f"== {file.name}, {asked.half}, {len(rows)} rows")
        print("\n".join(report(reads)))
        if asked.misses:
            for read in filter(wrong, reads):
                said, crisis = read.row, read.crisis
                meant = (
                    f"{said.language} {said.category or said.look_alike or said.kind} {said.severity or ''}"
                )
                got = f"{crisis.category} {crisis.severity} {crisis.words!r}" if crisis else "-"
                print(f"  {said.id} {meant} | {said.text} | {got}")
        if asked.timing:
            print("\n".join(timing([each.text for each in rows])))


if __name__ == "__main__":
    main()
