"""Score the coach's tier 2 on labelled dialogues: what is brought up, what should not be.

``python -m evaluation.recall [SET]`` prints one table with 95 % Wilson intervals.
"""

import sys
from pathlib import Path

import msgspec

from evaluation.intervals import row as line
from evaluation.statements import SETS
from memory.recall import recall_batch


class Said(msgspec.Struct, frozen=True):
    """One message of a dialogue."""

    id: str
    role: str
    text: str


class Query(msgspec.Struct, frozen=True):
    """A request, the messages it needs (none: nothing may come back), and the wrong ones for it."""

    query: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]


class Row(msgspec.Struct, frozen=True):
    """A dialogue and the requests made at its end."""

    id: str
    lang: str
    messages: tuple[Said, ...]
    queries: tuple[Query, ...]


def wrong_above(found: list[str], query: Query) -> bool:
    """Whether an outdated or another's message stands above the first right one."""
    firsts = [found.index(one) for one in query.right if one in found]
    bad = [found.index(one) for one in query.wrong if one in found]
    return bool(bad) and min(bad) < min(firsts, default=len(found))


def main() -> None:
    """Score the set named on the command line, else the development set."""
    names = [word for word in sys.argv[1:] if not word.startswith("-")]
    path = Path(names[0]) if names else SETS / "recall.jsonl"
    rows = [msgspec.json.decode(line, type=Row) for line in path.read_text(encoding="utf-8").splitlines()]
    asked = found_any = quiet = silent = bad = with_wrong = brought = beside = 0
    for row in rows:
        messages = [(one.id, one.role, one.text) for one in row.messages]
        text = {one.id: one.text for one in row.messages}
        for query in row.queries:
            found = recall_batch(messages, query.query)
            brought += len(found)
            beside += len({*found} - {*query.right, *query.wrong})
            if query.right:
                asked += 1
                hit = any(one in query.right for one in found)
                found_any += hit
                with_wrong += bool(query.wrong)
                above = wrong_above(found, query)
                bad += above
                if "--show" in sys.argv and (above or not hit):
                    print(
                        "WRONG" if above else "MISS",
                        row.id,
                        query.query,
                        [text[one] for one in query.right],
                        "GOT",
                        [text[one] for one in found],
                    )
            else:
                quiet += 1
                silent += not found
                if "--show" in sys.argv and found:
                    print("NOISE", row.id, query.query, [text[one] for one in found])
    print(line("needed and brought up", found_any, asked))
    print(line("nothing needed, nothing brought up", silent, quiet))
    print(line("outdated or another's above the right", bad, with_wrong))
    print(line("brought up, neither needed nor wrong", beside, brought))


if __name__ == "__main__":
    main()
