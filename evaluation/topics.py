"""Score what a message is about on labelled sentences: topics that are found, and topics that are not there.

``python -m evaluation.topics [SET] [--show]`` prints one table with 95 % Wilson intervals; ``--show`` the misses.
"""

import sys
from pathlib import Path

import msgspec

from evaluation.intervals import row as line
from evaluation.statements import SETS
from memory.topics import read_topics


class Row(msgspec.Struct, frozen=True):
    """A sentence and what it is about; nothing, where no topic fits."""

    id: str
    text: str
    topics: frozenset[str]


def main() -> None:
    """Score the set named on the command line, else the one that ships."""
    names = [word for word in sys.argv[1:] if not word.startswith("-")]
    path = Path(names[0]) if names else SETS / "topics.jsonl"
    rows = [msgspec.json.decode(each, type=Row) for each in path.read_text(encoding="utf-8").splitlines()]
    found = wanted = given = quiet = 0
    for row in rows:
        read = {*read_topics(row.text)}
        found += len(read & row.topics)
        wanted += len(row.topics)
        given += len(read)
        quiet += not row.topics and not read
        if "--show" in sys.argv and read != row.topics:
            print(
                row.id, row.text, "MISSED", sorted(row.topics - read), "TOO MUCH", sorted(read - row.topics)
            )
    print(line("topics found", found, wanted))
    print(line("topics read that are there", found, given))
    print(line("about nothing, and nothing read", quiet, sum(not row.topics for row in rows)))


if __name__ == "__main__":
    main()
