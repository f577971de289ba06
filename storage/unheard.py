"""What was said while the person had remembering switched off: it stays in its conversation, and reaches no other.

Not by a fact, a summary, a topic or a learning, not by what is recalled, nor by the model's own search. The person
finds it where it was said, and in their own search.
"""

import sqlite3
from collections.abc import Sequence

from memory.messages import Message
from storage.memories import Stretch, switched_off


def unheard_by(off: Sequence[Stretch], stored: int) -> bool:
    """Whether the number ``stored`` of the store's counter lies in a stretch in which nothing was remembered."""
    return any(begin <= stored and (end is None or stored < end) for begin, end in off)


def heard_alone(
    db: sqlite3.Connection, messages: Sequence[Message], *, user: str, companion: str, conversation: str
) -> tuple[Message, ...]:
    """``messages`` of a conversation without those, and the answers to those, that were said while it was off."""
    off = switched_off(db, user=user, companion=companion)
    if not off:
        return tuple(messages)
    rows: list[tuple[str, int]] = db.execute(
        "SELECT id, stored FROM messages WHERE conversation = ? AND removed = 0", (conversation,)
    ).fetchall()
    unheard = {id_ for id_, stored in rows if unheard_by(off, stored)}
    return tuple(each for each in messages if unheard.isdisjoint({each.id, each.answers}))


def messages_heard(
    db: sqlite3.Connection, ids: Sequence[str], *, user: str, companion: str
) -> frozenset[str]:
    """Which of the messages ``ids`` were said while remembering was on."""
    off = switched_off(db, user=user, companion=companion)
    found: set[str] = set()
    for id_ in ids:
        row: tuple[int] | None = db.execute(
            "SELECT stored FROM messages WHERE id = ? AND user_id = ? AND companion = ?",
            (id_, user, companion),
        ).fetchone()
        if row is not None and not unheard_by(off, row[0]):
            found.add(id_)
    return frozenset(found)
