"""Score the statement reader on a labelled set: found, invented, whose, denied.

``python -m evaluation.statements [SET]`` prints one table with 95 % Wilson intervals.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

from evaluation.intervals import row as line
from memory.statements import Statement, read_statements

SETS = Path(__file__).parent / "sets"


class Expected(msgspec.Struct, frozen=True):
    """A statement that should be read: any of the kinds, any of the words in its value."""

    kinds: tuple[str, ...]
    value: tuple[str, ...]
    subject: str
    negated: bool
    tense: str | None
    optional: bool


class Row(msgspec.Struct, frozen=True):
    """A message, what was asked before it, and what it states."""

    id: str
    text: str
    asked: str | None
    expect: tuple[Expected, ...]


def fits(wanted: Expected, got: Statement) -> bool:
    """Whether ``got`` says what is ``wanted``, whoever it is about."""
    value = got.value.lower()
    return got.kind in wanted.kinds and (
        not wanted.value or any(word in value or (value and value in word) for word in wanted.value)
    )


def right(wanted: Expected, got: Statement) -> bool:
    """Whether the subject and the polarity of ``got`` are the wanted ones too."""
    if wanted.subject != got.subject.lower() or wanted.negated != got.negated:
        return False
    return wanted.tense is None or wanted.tense == got.tense


def score(rows: list[Row], show: bool) -> None:
    """Print the table for ``rows``, and the misses when ``show`` is set."""
    wanted = found = exact = stated = invented = quiet = loud = 0
    for row in rows:
        got = read_statements(row.text, row.asked)
        for one in row.expect:
            if one.optional:
                continue
            wanted += 1
            hits = [each for each in got if fits(one, each)]
            found += bool(hits)
            good = any(right(one, each) for each in hits)
            exact += good
            if show and not good:
                print(
                    "MISS",
                    row.id,
                    row.text,
                    one.kinds,
                    one.value,
                    one.subject,
                    one.negated,
                    "GOT",
                    short(got),
                )
        stated += len(got)
        extra = [each for each in got if not any(fits(one, each) and right(one, each) for one in row.expect)]
        invented += len(extra)
        if not row.expect:
            quiet += 1
            loud += bool(got)
        if show and extra:
            print("EXTRA", row.id, row.text, short(extra))
    print(line("stated things found", found, wanted))
    print(line("found and rightly attributed", exact, wanted))
    print(line("read but not stated", invented, stated))
    print(line("look-alikes read as statements", loud, quiet))


def short(statements: Iterable[Statement]) -> str:
    """Statements in one line, for looking at misses."""
    return "; ".join(
        f"{one.kind}:{one.value}:{one.subject}{':n' if one.negated else ''}:{one.tense}" for one in statements
    )


def main() -> None:
    """Score the set named on the command line, else the development set."""
    names = [word for word in sys.argv[1:] if not word.startswith("-")]
    path = Path(names[0]) if names else SETS / "statements.jsonl"
    rows = [msgspec.json.decode(line, type=Row) for line in path.read_text(encoding="utf-8").splitlines()]
    score(rows, "--show" in sys.argv)


if __name__ == "__main__":
    main()
