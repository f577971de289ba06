"""How much processor time it takes to read one message: each reader, all of them, and importing them.

    python -m evaluation.bench_reading [--texts 400] [--only READER] [--beside CHECKOUT]

The texts are made of different rows of the labelled sets, one language a text: as long as a message in a chat, 500
characters, and 2,000, up to where an analysis is to take at most 2 ms; 2,000 characters of the crisis sets, because
a message full of dangers costs the crisis reader most; and 2,000 characters of one thing over and over, as nobody
writes but who means to keep the server busy. Half of the rows are read beforehand, as a server has read other
messages before; none of the measured ones is read twice by a reader. *To be kept* is all that a companion reads that
keeps facts and recalls what was stated. ``--beside`` measures another checkout with the same texts in the same run.
What is reported is processor time of a fresh process, not the time on the wall, and that as a multiple of a fixed
piece of Python, so that runs on a busy machine can be compared. Garbage is collected as seldom as in a server that
runs, and modules are imported as installed ones are, from bytecode; part of that is msgspec.
"""

import argparse
import gc
import os
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

SETS = Path(__file__).parent / "sets"
LENGTHS = {"chat": 0, "500": 500, "2,000": 2_000}
DANGERS = "dangers"
ODD = "odd"
OVER_AND_OVER = (
    *("a", "a-", "a'", "é", "😀", "今日は", ".", "?! ", "(", "a: ", ". ", "\n", "a\n"),
    *("I ", "I'm ", "no, ", "pain ", "Tom's ", "my sister ", "I want to ", "where is my "),
    *("allergic to nuts ", "I take 5 mg of ", "Anna, Bob and "),
)
EARLIER = 40  # messages of the person that a new one is compared with
IMPORT = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"
IMPORTS = 10  # of each, of which the shortest counts


class Row(msgspec.Struct, frozen=True):
    """What of a row is read here."""

    text: str = ""
    language: str = "en"


class Work(msgspec.Struct, frozen=True):
    """The texts that are to be read, by name of their group, and those that were read before."""

    before: list[str]
    texts: dict[str, list[str]]


def rows(files: Sequence[Path]) -> dict[str, list[str]]:
    """The different texts of sets, by language."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for file in files:
        for line in file.read_bytes().splitlines():
            row = msgspec.json.decode(line, type=Row)
            if row.text:
                found[row.language][row.text] = None
    return {language: [*texts] for language, texts in found.items()}


def made(pools: dict[str, list[str]], number: int, length: int, chance: random.Random) -> Iterator[str]:
    """``number`` texts of ``length`` characters (0: one row), each of different rows of one language."""
    sizes = [len(pool) for pool in pools.values()]
    for pool in chance.choices([*pools.values()], weights=sizes, k=number):
        text = ""
        for said in chance.sample(pool, len(pool)):
            text += said + (" " if said.endswith((".", "!", "?")) else ". ")
            if len(text) >= length:
                break
        yield text[: length or None].strip()


def work(number: int) -> Work:
    """``number`` texts of each length, and of dangers."""
    chance = random.Random(5)  # noqa: S311  # the same texts each time, no secret
    dangers = sorted(SETS.glob("crisis*.jsonl"))
    ordinary = rows([file for file in sorted(SETS.glob("*.jsonl")) if file not in dangers])
    for pool in ordinary.values():
        chance.shuffle(pool)
    met = {language: pool[::2] for language, pool in ordinary.items()}
    new = {language: pool[1::2] for language, pool in ordinary.items()}
    texts = {name: [*made(new, number, length, chance)] for name, length in LENGTHS.items()}
    texts[DANGERS] = [*made(rows(dangers), number // 2, LENGTHS["2,000"], chance)]
    texts[ODD] = [(each * LENGTHS["2,000"])[: LENGTHS["2,000"]] for each in OVER_AND_OVER]
    return Work([text for pool in met.values() for text in pool], texts)


def readers(met: Sequence[str]) -> dict[str, Callable[[str], object]]:
    """The readers of the checkout this runs in, by name."""
    reading, repetition = import_module("memory.reading"), import_module("memory.repetition")
    earlier = [repetition.asked(str(number), text) for number, text in enumerate(met[:EARLIER])]
    before = reading.Before()
    talked = reading.Before(
        said=met[EARLIER - 2 : EARLIER], answered="How was your day?", asked=earlier, distress=(0.2,) * 10
    )
    question = reading.read_question(met[0])
    kept = {"keeps": "all"} if hasattr(reading, "Keeping") else {}  # other checkouts may always read all
    return {
        "crisis": reading.read_crisis,
        "emotion": lambda text: reading.read_emotion(text, "wellness"),
        "question": reading.read_question,
        "repetition": lambda text: reading.find_repeat(question, text, earlier),
        "statements": reading.read_statements,
        "topics": reading.read_topics,
        "anchors": reading.read_anchors,
        "all, first message": lambda text: reading.read(text, before),
        "all, in a talk": lambda text: reading.read(text, talked),
        "all, to be kept": lambda text: reading.read(text, talked, recalls=True, **kept),
    }


def line(name: str, group: str, spans: Sequence[float], piece: float) -> str:
    """A line of the table, in milliseconds, and the last figure in multiples of ``piece``."""
    ordered = sorted(spans)
    cuts = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1_000 for share in (0.5, 0.95, 0.99)]
    named = "  ".join(f"{label} {cut:6.2f}" for label, cut in zip(("p50", "p95", "p99"), cuts, strict=True))
    return f"{name:18} {group:8} {len(ordered):4} texts   {named}   {cuts[-1] / piece:5.2f} pieces"


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
    gc.set_threshold(50_000, 20, 20)
    reading, began = import_module("memory.reading"), time.process_time()
    for name in filter(partial(hasattr, reading), ("prepare", "warm")):
        getattr(reading, name)()
        print(f"tables, {name}: {(time.process_time() - began) * 1_000:.0f} ms")
    gc.freeze()
    for name, reader in readers(asked.before).items():
        if not name.startswith(only):
            continue
        measured(reader, asked.before)
        for group, texts in asked.texts.items():
            piece = yardstick()
            spans = measured(reader, texts)
            print(line(name, group, spans, (piece + yardstick()) / 2), flush=True)


def imported(module: str, checkout: Path, surroundings: dict[str, str]) -> float:
    """Milliseconds that it takes to import ``module``."""
    command = [sys.executable, "-c", IMPORT.format(module)]
    with TemporaryDirectory() as folder:
        kept = {**surroundings, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder}
        spans = [
            float(
                subprocess.run(  # noqa: S603  # this interpreter, no outside input
                    command, env=kept, cwd=checkout, capture_output=True, check=True
                ).stdout
            )
            for _ in range(IMPORTS)
        ]
    return min(spans) * 1_000


def run(checkout: Path, asked: bytes, only: str) -> None:
    """Measure ``checkout`` in processes of its own."""
    surroundings = {**os.environ, "PYTHONPATH": str(checkout)}
    whole, part = (imported(name, checkout, surroundings) for name in ("memory.reading", "msgspec"))
    print(f"== {checkout.name}: imported in {whole:.0f} ms, of which msgspec takes {part:.0f}", flush=True)
    command = [sys.executable, __file__, "--measure", "--only", only]
    subprocess.run(  # noqa: S603  # this interpreter, no outside input
        command, env=surroundings, cwd=checkout, input=asked, check=True
    )


def main() -> None:
    """Measure this checkout, and another beside it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=400)
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
