"""What of memory was before the model for an answer: kept with the answer, by ids and reasons, without a word."""

import sqlite3

import msgspec

from companions.changes import AnswerGiven
from companions.fact_changes import MemoryUse

_CONTENT = msgspec.json.Decoder(tuple[MemoryUse, ...])


class Used(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that was before the model, or was left out, with the messages it rests on."""

    use: MemoryUse
    sources: tuple[str, ...]


def keep_uses(db: sqlite3.Connection, change: AnswerGiven) -> None:
    """What the answer used, and that these facts were used once more."""
    if not change.memories or change.answer is None:
        return
    db.execute(
        "INSERT INTO memory_uses VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            change.response,
            change.answer,
            change.user,
            change.companion,
            change.at,
            msgspec.json.encode(change.memories),
        ),
    )
    for each in change.memories:
        if each.used and each.kind == "fact":
            db.execute(
                """
                UPDATE facts SET uses = uses + 1, used_at = MAX(COALESCE(used_at, 0), ?)
                WHERE id = ? AND user_id = ? AND companion = ?
                """,
                (change.at, each.item, change.user, change.companion),
            )


def uses_of(db: sqlite3.Connection, *, user: str, companion: str, response: str) -> tuple[Used, ...] | None:
    """The memories of an answer; None for a response this person never had from this companion."""
    row: tuple[bytes | None] | None = db.execute(
        """
        SELECT u.content FROM messages m LEFT JOIN memory_uses u ON u.response = m.response
        WHERE m.response = ? AND m.user_id = ? AND m.companion = ?
        """,
        (response, user, companion),
    ).fetchone()
    if row is None:
        return None
    uses = () if row[0] is None else _CONTENT.decode(row[0])
    return tuple(Used(use=each, sources=_sources(db, each)) for each in uses)


def _sources(db: sqlite3.Connection, use: MemoryUse) -> tuple[str, ...]:
    if use.kind == "message":
        return (use.item,)
    if use.kind == "summary":
        return ()
    rows: list[tuple[str]] = db.execute(
        "SELECT message FROM fact_sources WHERE fact = ? AND message IS NOT NULL ORDER BY said", (use.item,)
    ).fetchall()
    return tuple(message for (message,) in rows)
