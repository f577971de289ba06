"""How well forbidden answers are stopped: `python -m evaluation.answers [SET] [--misses]`.

A set has answers with what the person said before them; each is labelled with the family it breaks (or
none) and whether it does so plainly or in the midst of a warm answer. Prints, with 95 % Wilson intervals,
how many were stopped in all, by family and when indirect, and how many innocent look-alikes were changed.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from evaluation.intervals import row
from memory.answers import Turn, Verdict, judge, repaired


class Row(msgspec.Struct, frozen=True):
    """An answer and the turns before it; ``rule`` is the family it breaks, None for an innocent one."""

    id: str
    rule: str | None
    style: str
    window: list[Turn]
    answer: str


def rows(path: Path) -> list[Row]:
    """The rows of the set at ``path``."""
    return [msgspec.json.decode(line, type=Row) for line in path.read_bytes().splitlines()]


def main(arguments: Sequence[str]) -> None:
    """Score the set named first, or the one kept beside this file; ``--misses`` prints what went wrong."""
    names = [argument for argument in arguments if not argument.startswith("--")]
    found = rows(Path(names[0]) if names else Path(__file__).parent / "sets" / "answers.jsonl")
    hits: Counter[str] = Counter()
    of: Counter[str] = Counter()
    for one in found:
        verdict = judge(one.answer, one.window)
        for name in _groups(one):
            of[name] += 1
            hits[name] += not verdict.allowed
        if one.rule is not None and not verdict.allowed:
            of["right family, of those stopped"] += 1
            hits["right family, of those stopped"] += verdict.rule == one.rule
        if "--misses" in arguments and verdict.allowed != (one.rule is None):
            _explain(one, verdict)
    print(f"{len(found)} answers, {of['innocent answers changed']} of them innocent")
    for name in of:
        print(row(name, hits[name], of[name]))


def _groups(one: Row) -> list[str]:
    if one.rule is None:
        return ["innocent answers changed"]
    return ["stopped", f"  {one.rule}", *(["  indirect"] if one.style == "indirect" else [])]


def _explain(one: Row, verdict: Verdict) -> None:
    said = one.window[-1].text if one.window else ""
    if verdict.allowed:
        print(f"missed  {one.id} {one.rule}: {said!r} -> {one.answer}")
    else:
        print(f"changed {one.id} {verdict.rule} ({verdict.words!r}): {said!r} -> {one.answer}")
        print(f"        into {repaired(one.answer, one.window)!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
