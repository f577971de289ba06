"""What a store holds against what people were promised: lost, doubled, gaps, out of order, answered twice.

The file is read by its own program's rules (SQLite, read only) while no server has it.
"""

import sqlite3
from collections import Counter
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import msgspec

from loadtest.keeping_on import Ledger

MOST_EXAMPLES = 5


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """How often each promise was broken; all 0 is what is asked."""

    lost: int
    doubled: int
    gaps: int
    reordered: int
    answered_twice: int
    refused_but_stored: int
    handed_over_twice: int
    examples: tuple[str, ...] = ()

    @property
    def broken(self) -> int:
        """All of them together."""
        return (
            self.lost
            + self.doubled
            + self.gaps
            + self.reordered
            + self.answered_twice
            + self.refused_but_stored
            + self.handed_over_twice
        )


def findings(store: Path, ledger: Ledger) -> Findings:
    """Hold ``store``, the database file, against ``ledger``."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
        rows = dict(db.execute("SELECT id, text FROM messages").fetchall())
        said: list[tuple[str]] = db.execute(
            "SELECT text FROM messages WHERE role = 'user' ORDER BY stored"
        ).fetchall()
        gaps = _count(
            db,
            "SELECT 1 FROM messages GROUP BY conversation HAVING MAX(position) <> COUNT(*)",
        )
        twice = _count(
            db, "SELECT 1 FROM messages WHERE answers IS NOT NULL GROUP BY answers HAVING COUNT(*) > 1"
        )
        summed_up_twice = _count(
            db, "SELECT 1 FROM summaries WHERE partial = 0 GROUP BY conversation HAVING COUNT(*) > 1"
        )
        moved = _count(
            db,
            """
            SELECT 1 FROM messages a JOIN messages b
                ON b.conversation = a.conversation AND b.position = a.position + 1
            WHERE b.stored <= a.stored
            """,
        )
    promised = {**ledger.messages, **ledger.answers}
    lost = [f"{message}: {text}" for message, text in promised.items() if rows.get(message) != text]
    texts = [text for (text,) in said]
    doubled = [text for text, count in Counter(texts).items() if count > 1]
    return Findings(
        lost=len(lost),
        doubled=len(doubled),
        gaps=gaps,
        reordered=moved + _backwards(texts),
        answered_twice=twice,
        refused_but_stored=len(ledger.refused & set(texts)),
        handed_over_twice=summed_up_twice,
        examples=tuple([*lost, *doubled][:MOST_EXAMPLES]),
    )


def waiting_jobs(store: Path) -> int:
    """Jobs after a talk that are not done yet."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
        return _count(db, "SELECT 1 FROM jobs WHERE state <> 'done'")


def without_summary(store: Path) -> int:
    """Closed conversations of which there is none."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
        return _count(
            db,
            """
            SELECT 1 FROM conversations c JOIN jobs j ON j.conversation = c.id AND j.kind = 'summary'
            WHERE c.closed IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM summaries s WHERE s.conversation = c.id)
            """,
        )


def _count(db: sqlite3.Connection, query: str) -> int:
    return len(db.execute(query).fetchall())


def _backwards(texts: list[str]) -> int:
    """How often somebody's next message, as the store numbers them, is one they wrote before the one before."""
    numbers: dict[str, list[int]] = {}
    for text in texts:
        name, _, number = text.rpartition(" says ")
        numbers.setdefault(name, []).append(int(number))
    return sum(after < before for each in numbers.values() for before, after in pairwise(each))
