"""How a row becomes one of our values, for the columns that many questions share."""

import sqlite3
from typing import Any, TypeAlias

import msgspec

from companions.change import NOTHING
from companions.changes import Change
from memory.messages import Message

Row: TypeAlias = tuple[Any, ...]  # SQLite's columns have no static type; each reader gives them one

MESSAGE_COLUMNS = (
    "id, role, text, position, at, status, source, answers, response, intent, narrative, context"
)
_NAMES = msgspec.json.Decoder(tuple[str, ...])


def message_of(row: Row) -> Message:
    """A message from ``MESSAGE_COLUMNS``."""
    id_, role, text, position, at, status, source, answers, response, intent, narrative, context = row
    return Message(
        id=id_,
        role=role,
        text=text,
        position=position,
        at=at,
        status=status,
        source=source,
        answers=answers,
        response=response,
        intent=intent,
        narrative=narrative,
        context=raw_of(context),
    )


def raw_of(blob: bytes | None) -> msgspec.Raw | None:
    """JSON as it was stored."""
    return None if blob is None else msgspec.Raw(blob)


def blob_of(raw: msgspec.Raw) -> bytes | None:
    """JSON as it is stored; none where there is nothing."""
    return None if raw == NOTHING else bytes(raw)


def names_of(text: str) -> tuple[str, ...]:
    """A stored list of names."""
    return _NAMES.decode(text)


def json_of(names: tuple[str, ...]) -> str:
    """A list of names as it is stored."""
    return msgspec.json.encode(names).decode()


def acquainted(db: sqlite3.Connection, change: Change, conversation: str | None = None) -> None:
    """The owner of ``change`` has a row; it says when this person was last here, and in which conversation."""
    db.execute(
        """
        INSERT INTO users (user_id, companion, created_at, last_active_at, active_conversation)
        VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET last_active_at = excluded.last_active_at,
            active_conversation = COALESCE(excluded.active_conversation, active_conversation)
        """,
        (change.user, change.companion, change.at, change.at, conversation),
    )
