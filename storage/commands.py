"""Clients' own ids of commands: the same id again gets the first outcome, other content is refused."""

import sqlite3

from companions.changes import Change, CommandDone, CommandId, Landed, Outcome, Refused, Repeated
from storage.order import may_purge, purged
from storage.rows import blob_of, raw_of

RESULT_LIFE_MS = 24 * 3_600_000


def retained(db: sqlite3.Connection, command: CommandId) -> Repeated | Refused | None:
    """The first outcome of a command, ``Refused("id.reused")`` for other content, None for a new one."""
    row = db.execute(
        "SELECT digest, message, conversation, result FROM commands WHERE space = ? AND id = ?",
        (command.space, command.id),
    ).fetchone()
    if row is None:
        return None
    digest, message, conversation, result = row
    if digest is not None and digest != command.digest:
        return Refused("id.reused")
    return Repeated(message, conversation, raw_of(result))


def keep_command(
    db: sqlite3.Connection,
    change: Change,
    command: CommandId,
    *,
    message: str | None = None,
    conversation: str | None = None,
    result: bytes | None = None,
) -> None:
    """Take the id of a command, with what came of it."""
    db.execute(
        "INSERT INTO commands VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            command.space,
            command.id,
            change.user,
            change.companion,
            command.digest,
            message,
            conversation,
            result,
            change.at,
        ),
    )


def command_done(db: sqlite3.Connection, change: CommandDone) -> Outcome:
    """Keep the result of a command that changed something."""
    if seen := retained(db, change.command):
        return seen
    keep_command(db, change, change.command, result=blob_of(change.result))
    return Landed()


def prune_results(db: sqlite3.Connection, at: int) -> int:
    """Forget results older than 24 h, where ``at`` can be trusted, and say how many; messages stay."""
    if not may_purge(db, at):
        return 0
    gone = db.execute(
        "DELETE FROM commands WHERE message IS NULL AND at < ?", (at - RESULT_LIFE_MS,)
    ).rowcount
    purged(db, at)
    return gone
