"""What people's answers cost in tokens lately, as the model servers counted them."""

import sqlite3
from typing import NamedTuple

MOST_NUMBERS = 50_000  # of the store's counter: how far back a start looks, however long the day was


class Spent(NamedTuple):
    """A person's tokens, and when the first of them were spent (milliseconds)."""

    user: str
    since: int
    tokens: int


def spent_between(db: sqlite3.Connection, after: int, until: int) -> list[Spent]:
    """What was spent after one time and until another; by a clock that was wrong it was at no time of these."""
    rows: list[tuple[str, int, int]] = db.execute(
        """
        SELECT user_id, MIN(at), SUM(COALESCE(prompt_tokens, 0) + COALESCE(completion_tokens, 0)) AS tokens
        FROM messages
        WHERE stored > (SELECT MAX(stored) FROM messages) - ? AND at > ? AND at <= ? AND role = 'assistant'
        GROUP BY user_id HAVING tokens > 0
        """,
        (MOST_NUMBERS, after, until),
    ).fetchall()
    return [Spent(*row) for row in rows]
