"""How much processor time it takes to read one message: each reader, all of them, and importing them.

    python -m evaluation.bench_reading [--texts 3000] [--beside CHECKOUT]

The texts have 20 to 2,000 characters (decision: a message's analysis takes at most 2 ms up to there) and are made
of the rows of the labelled sets, one language and one set at a time; those of the crisis sets apart, because
a message full of dangers costs the crisis reader most. ``--beside`` measures another checkout with the same
texts in the same run. What is reported is processor time of a fresh process, not the time on the wall.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

import msgspec

SETS = Path(__file__).parent / "sets"
SHORTEST, LONGEST = 20, 2_000
IMPORT = "import time; t = time.process_time(); import memory.reading; print(time.process_time() - t)"


class Row(msgspec.Struct, frozen=True):
    """What of a row is read here."""

    text: str = ""
    language: str = "en"


class Work(msgspec.Struct, frozen=True):
    """The texts that are to be read, by name of their group."""

    texts: dict[str, list[str]]


def rows(files: Sequence[Path]) -> dict[str, list[str]]:
    """The texts of sets, by set and language."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in files:
        for line in file.read_bytes().splitlines():
            row = msgspec.json.decode(line, type=Row)
            if row.text:
                found[f"{file.stem} {row.language}"].append(row.text)
    return found


def made(groups: dict[str, list[str]], number: int, chance: random.Random) -> Iterator[str]:
    """``number`` texts of all lengths, each of one group's rows."""
    pools = [group for group in groups.values() if len(group) > 1]
    for _ in range(number):
        pool = chance.choices(pools, weights=[len(group) for group in pools])[0]
        length, text = chance.randint(SHORTEST, LONGEST), ""
        while len(text) < length:
            said = chance.choice(pool)
            text += said + (" " if said.endswith((".", "!", "?")) else ". ")
        yield text[:length]


def work(number: int) -> Work:
    """Ordinary texts, those of full length alone, and texts full of dangers."""
    chance = random.Random(5)  # noqa: S311 - the same texts each time, no secret
    dangers = sorted(SETS.glob("crisis*.jsonl"))
    ordinary = rows([file for file in sorted(SETS.glob("*.jsonl")) if file not in dangers])
    texts = list(made(ordinary, number, chance))
    full = ["".join(made(ordinary, 4, chance)).ljust(LONGEST)[:LONGEST] for _ in range(number // 6)]
    return Work({"ordinary": texts, "2,000": full, "dangers": list(made(rows(dangers), number // 3, chance))})


def readers() -> dict[str, Callable[[str], object]]:
    """The readers of the checkout this runs in, by name; what one lacks is left out."""
    reading = import_module("memory.reading")
    before = reading.Before()
    named: dict[str, Callable[[str], object]] = {"crisis": reading.read_crisis}
    named["emotion"] = lambda text: reading.read_emotion(text, "wellness")
    named["question"] = reading.read_question
    named["statements"] = reading.read_statements
    named["topics"] = reading.read_topics
    named["anchors"] = reading.read_anchors
    named["all of a message"] = lambda text: reading.read(text, before)
    return named


def line(name: str, group: str, spans: Sequence[float]) -> str:
    """A line of the table, in milliseconds."""
    ordered = sorted(spans)
    cuts = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1_000 for share in (0.5, 0.95, 0.99)]
    return f"{name:18} {group:10} {len(ordered):5} texts   " + "  ".join(
        f"{label} {cut:6.2f}" for label, cut in zip(("p50", "p95", "p99"), cuts, strict=True)
    )


def measured(reader: Callable[[str], object], texts: Sequence[str]) -> list[float]:
    """Seconds of processor time that each text costs."""
    spans: list[float] = []
    for text in texts:
        began = time.process_time()
        reader(text)
        spans.append(time.process_time() - began)
    return spans


def yardstick() -> float:
    """Milliseconds of a fixed piece of Python, by which figures of a busy machine can be compared."""
    return min(measured(lambda _: sum(map(len, map(str, range(10_000)))), [""] * 20)) * 1_000


def measure(asked: Work, only: str) -> None:
    """Print the table of this checkout."""
    print(f"a fixed piece of Python takes {yardstick():.2f} ms")
    began = time.process_time()
    import_module("memory.reading").warm()
    print(f"tables and patterns read in {(time.process_time() - began) * 1_000:.0f} ms")
    for name, reader in readers().items():
        if not name.startswith(only):
            continue
        for group, texts in asked.texts.items():
            print(line(name, group, measured(reader, texts)))


def run(checkout: Path, asked: bytes, only: str) -> None:
    """Measure ``checkout`` in processes of its own."""
    surroundings = {**os.environ, "PYTHONPATH": str(checkout)}
    spans = [
        float(
            subprocess.run(  # noqa: S603 - this interpreter, no outside input
                [sys.executable, "-c", IMPORT],
                env=surroundings,
                cwd=checkout,
                capture_output=True,
                check=True,
            ).stdout
        )
        for _ in range(5)
    ]
    print(
        f"== {checkout.name}: imported in {min(spans) * 1_000:.0f} ms, the best of {len(spans)}", flush=True
    )
    command = [sys.executable, __file__, "--measure", "--only", only]
    subprocess.run(  # noqa: S603 - this interpreter, no outside input
        command, env=surroundings, cwd=checkout, input=asked, check=True
    )


def main() -> None:
    """Measure this checkout, and another beside it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=3_000)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--only", default="", help="the reader to measure alone")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure(msgspec.json.decode(sys.stdin.buffer.read(), type=Work), asked.only)
        return
    texts = msgspec.json.encode(work(asked.texts))
    for checkout in filter(None, (asked.beside, Path(__file__).parent.parent)):
        run(checkout.resolve(), texts, asked.only)


if __name__ == "__main__":
    main()
