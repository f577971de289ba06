"""What a proposal rests on: messages of the person, in the batch that was read, and still there.

A statement that code read in the person's words comes with its message. What a model proposes is held against
these words: it must be in them, and be said of whom it claims.
"""

import sqlite3
from collections.abc import Iterable

import msgspec

from companions.fact_changes import FactsProposed, Proposal
from memory.facts_grounds import checked
from memory.statements_kinds import Statement
from storage.facts_held import Evidence
from storage.memories import switched_off
from storage.rows import Row
from storage.unheard import unheard_by

PRIVATE = ("abuse", "self_harm")
"""Messages flagged so ground nothing (D25)."""


class _Words(msgspec.Struct, frozen=True):
    evidence: Evidence
    text: str
    read: tuple[Statement, ...]


class Batch:
    """The person's messages that a job covers, as far as they may ground anything."""

    def __init__(self, words: Iterable[_Words], others: Iterable[str]) -> None:
        self._words = {each.evidence.message: each for each in words}
        self._others = frozenset(others)  # in the batch, and no ground: the companion's, or kept out

    def __contains__(self, message: object) -> bool:
        return message in self._words or message in self._others

    def evidence(self, message: str) -> Evidence | None:
        """When a message of the person was said; None for one that grounds nothing."""
        found = self._words.get(message)
        return None if found is None else found.evidence

    def grounded(
        self, proposal: Proposal, *, by_model: bool
    ) -> tuple[Statement, tuple[Evidence, ...]] | None:
        """What may be held of a proposal and the messages it rests on, by when they were said; None: nothing.

        One that cites a message outside of the batch is refused as a whole.
        """
        if not all(message in self for message in proposal.evidence):
            return None
        cited = [self._words[message] for message in set(proposal.evidence) if message in self._words]
        cited.sort(key=lambda each: each.evidence)
        if not cited:
            return None
        statement: Statement | None = proposal.statement
        if by_model:
            said = [each.text for each in self._words.values()]
            read = [one for each in cited for one in each.read]
            statement = checked(proposal.statement, [each.text for each in cited], said, read)
        if statement is None:
            return None
        return statement, tuple(each.evidence for each in cited)


def batch_of(db: sqlite3.Connection, change: FactsProposed) -> Batch | None:
    """The batch of a job, or the one message that the model's tool may cite; None where nothing is kept of it.

    Nothing is kept of conversations in parent mode (D27), nor of what was said while remembering was off.
    """
    row: Row | None = db.execute(
        "SELECT parent_mode FROM conversations WHERE id = ? AND user_id = ? AND companion = ?",
        (change.conversation, change.user, change.companion),
    ).fetchone()
    covered = _covered(db, change)
    if row is None or row[0] or covered is None:
        return None
    off = switched_off(db, user=change.user, companion=change.companion)
    words: list[_Words] = []
    others: list[str] = []
    for id_, role, text, at, stored, crisis, read in _messages(db, change, *covered):
        unheard = unheard_by(off, stored)
        if role != "user" or crisis in PRIVATE or unheard:
            others.append(id_)
        else:
            statements = () if read is None else msgspec.json.decode(read, type=tuple[Statement, ...])
            words.append(_Words(Evidence(stored, at, id_), text, statements))
    return Batch(words, others)


def _covered(db: sqlite3.Connection, change: FactsProposed) -> tuple[int, int] | None:
    """The positions that may be cited."""
    found: tuple[int, int] | None
    if change.job is not None:
        found = db.execute(
            "SELECT first, last FROM jobs WHERE id = ? AND user_id = ? AND companion = ? AND conversation = ?",
            (change.job, change.user, change.companion, change.conversation),
        ).fetchone()
    else:
        found = db.execute(
            "SELECT position, position FROM messages WHERE id = ? AND user_id = ? AND companion = ?",
            (change.message, change.user, change.companion),
        ).fetchone()
    return found


def _messages(db: sqlite3.Connection, change: FactsProposed, first: int, last: int) -> list[Row]:
    rows: list[Row] = db.execute(
        """
        SELECT m.id, m.role, m.text, m.at, m.stored, e.crisis_category, s.content
        FROM messages m LEFT JOIN emotions e ON e.message = m.id LEFT JOIN statements s ON s.message = m.id
        WHERE m.conversation = ? AND m.position BETWEEN ? AND ? AND m.removed = 0 AND m.user_id = ?
            AND m.companion = ?
        ORDER BY m.position
        """,
        (change.conversation, first, last, change.user, change.companion),
    ).fetchall()
    return rows
