"""Marks of what was forgotten: digests of its words, and how far the person had talked by then.

A mark says that what is found in words said before the forgetting is not kept again (D19). Said anew, it is new.
The words themselves are gone; their digests are made under a key that this store alone has.
"""

import hashlib
import sqlite3
from collections.abc import Iterable

import msgspec

from companions.change import Change
from memory.statements_ends import core
from memory.statements_kinds import Statement
from storage.order import next_number
from storage.rows import json_of, names_of

_ANYBODY = ""


class _Mark(msgspec.Struct, frozen=True):
    subject: str
    words: frozenset[str]
    number: int


class Marks:
    """What one person has had forgotten."""

    def __init__(self, key: bytes, marks: Iterable[_Mark]) -> None:
        self._key = key
        self._marks = tuple(marks)

    def forgotten_until(self, statement: Statement) -> int:
        """The number of the store's counter up to which what says this is forgotten; 0 where it never was."""
        subject = _digest(self._key, statement.subject.lower())
        words = {_digest(self._key, word) for word in core(statement.value)}
        about = words | {_digest(self._key, word) for word in core(statement.subject)}
        return max((mark.number for mark in self._marks if _covers(mark, subject, words, about)), default=0)


def _covers(mark: _Mark, subject: str, words: set[str], about: set[str]) -> bool:
    if mark.subject == _ANYBODY:
        return mark.words <= about
    return mark.subject == subject and (mark.words <= words or words <= mark.words)


def _digest(key: bytes, word: str) -> str:
    return hashlib.blake2b(word.encode(), key=key, digest_size=12).hexdigest()


def _key(db: sqlite3.Connection) -> bytes:
    row: tuple[bytes] = db.execute("SELECT key FROM digest_key WHERE one = 1").fetchone()
    return row[0]


def marks_of(db: sqlite3.Connection, *, user: str, companion: str) -> Marks:
    """The marks of one person with one companion."""
    rows: list[tuple[str, str, int]] = db.execute(
        "SELECT subject, words, number FROM forgotten WHERE user_id = ? AND companion = ?", (user, companion)
    ).fetchall()
    marks = [_Mark(subject, frozenset(names_of(words)), number) for subject, words, number in rows]
    return Marks(_key(db), marks)


def mark(db: sqlite3.Connection, change: Change, name: str, value: str, *, subject: str | None) -> None:
    """What ``value`` names was forgotten just now; ``subject`` None: of whomever it was said.

    ``name`` names the mark, to take it away again. A value without a word that tells it apart leaves no mark.
    """
    key = _key(db)
    words = sorted(_digest(key, word) for word in core(value))
    if not words:
        return
    db.execute(
        "INSERT OR REPLACE INTO forgotten VALUES (?, ?, ?, ?, ?, ?)",
        (
            change.user,
            change.companion,
            name,
            _ANYBODY if subject is None else _digest(key, subject.lower()),
            json_of(tuple(words)),
            next_number(db),
        ),
    )


def unmark(db: sqlite3.Connection, change: Change, name: str) -> None:
    """Take a mark away: the forgetting was taken back."""
    db.execute(
        "DELETE FROM forgotten WHERE user_id = ? AND companion = ? AND fact = ?",
        (change.user, change.companion, name),
    )
