"""Forgetting a person for good, and holding whatever comes back against the ledger of what was erased.

Settings stay: a person who begins anew finds the companion as they had set it. What stays of other tables is an id
that must stay taken, and never a word.
"""

import sqlite3
from collections.abc import Iterable

import msgspec

from companions.change import Change
from companions.changes import NOTHING, Landed, Outcome, PersonErased
from storage.audit import Act, record
from storage.erased import Erased, note
from storage.removing import MOST_LOOKED_FOR, erase_conversation, remove, undo, withdraw_results
from storage.rows import Row, blob_of

STAYS = frozenset(
    {"users", "settings", "commands", "sessions", "memories", "profiles", "consents", "disclosures"}
)
"""Tables with an owner that are not emptied: who somebody is here, their settings, and ids that stay taken."""

_OPEN = """raised = 1 AND instr(recipients, '"safeguarding"') > 0 AND NOT EXISTS
    (SELECT 1 FROM alert_marks m WHERE m.alert = alerts.id AND m.role = 'safeguarding')"""
"""Alerts that the safeguarding contact has not seen to: whoever erases, they stay, without what they are about."""

_COUNTED = {
    "conversations": "SELECT COUNT(*) FROM conversations WHERE user_id = ? AND companion = ?",
    "messages": "SELECT COUNT(*) FROM messages WHERE user_id = ? AND companion = ? AND removed = 0",
    "facts": "SELECT COUNT(*) FROM facts WHERE user_id = ? AND companion = ?",
    "summaries": "SELECT COUNT(*) FROM summaries WHERE user_id = ? AND companion = ?",
    "check_ins": "SELECT COUNT(*) FROM check_ins WHERE user_id = ? AND companion = ?",
    "profile": "SELECT COUNT(*) FROM profiles WHERE user_id = ? AND companion = ?",
}


def owned_tables(db: sqlite3.Connection) -> tuple[str, ...]:
    """Every table whose rows belong to a person with a companion."""
    tables: list[tuple[str]] = db.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    ).fetchall()
    return tuple(name for (name,) in tables if {"user_id", "companion"} <= set(columns_of(db, name)))


def columns_of(db: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """The columns of a table, in order; computed ones are left out."""
    rows: list[Row] = db.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
    return tuple(name for (name,) in rows)


def held_of(db: sqlite3.Connection, *, user: str, companion: str) -> dict[str, int]:
    """How much of each kind there is of a person, as a receipt counts it."""
    counts: dict[str, int] = {}
    for kind, question in _COUNTED.items():
        row: tuple[int] = db.execute(question, (user, companion)).fetchone()
        counts[kind] = row[0]
    return counts


def words_of(db: sqlite3.Connection, *, user: str, companion: str) -> tuple[str, ...]:
    """What a person said and what is kept of it, to be looked for in the files once it is erased."""
    rows: list[tuple[str]] = db.execute(
        """
        SELECT text FROM messages WHERE user_id = ?1 AND companion = ?2 AND removed = 0
        UNION ALL SELECT value FROM facts WHERE user_id = ?1 AND companion = ?2 LIMIT ?3
        """,
        (user, companion, MOST_LOOKED_FOR),
    ).fetchall()
    return tuple(text for (text,) in rows)


def person_erased(db: sqlite3.Connection, change: PersonErased) -> Outcome:
    """Everything of a person with a companion goes, but settings and ids that must stay taken."""
    owner = (change.user, change.companion)
    conversations = _ids(db, "conversations", owner)
    items = tuple(id_ for table in ("facts", "summaries", "check_ins") for id_ in _ids(db, table, owner))
    for conversation in conversations:
        erase_conversation(db, conversation)
    for table in owned_tables(db):
        if table not in STAYS:
            kept = f"AND NOT ({_OPEN})" if table == "alerts" else ""
            db.execute(f"DELETE FROM {table} WHERE user_id = ? AND companion = ? {kept}", owner)  # noqa: S608  # names of ours
    db.execute("UPDATE commands SET digest = NULL, result = NULL WHERE user_id = ? AND companion = ?", owner)
    db.execute(
        "UPDATE memories SET undo = NULL, undo_at = NULL, revision = revision + 1 WHERE user_id = ? AND companion = ?",
        owner,
    )
    db.execute("DELETE FROM profiles WHERE user_id = ? AND companion = ?", owner)
    if change.profile != NOTHING:
        db.execute("INSERT INTO profiles VALUES (?, ?, ?, ?)", (*owner, blob_of(change.profile), change.at))
    line = Erased(
        at=change.at,
        user=change.user,
        companion=change.companion,
        conversations=conversations,
        items=items,
        profile=True,
    )
    note(db, line)
    record(db, Act(person=change.user, companion=change.companion, role="", did="forgotten"), change.at)
    return Landed()


def _ids(db: sqlite3.Connection, table: str, owner: tuple[str, str]) -> tuple[str, ...]:
    rows: list[tuple[str]] = db.execute(
        f"SELECT id FROM {table} WHERE user_id = ? AND companion = ?",  # noqa: S608  # a table of ours
        owner,
    ).fetchall()
    return tuple(id_ for (id_,) in rows)


def hold_against(db: sqlite3.Connection, ledger: Iterable[Erased]) -> int:
    """Erase again whatever of ``ledger`` came back; how many lines had something to erase."""
    return sum(_erase_again(db, line) for line in ledger)


def _erase_again(db: sqlite3.Connection, line: Erased) -> bool:
    change = Change(user=line.user, companion=line.companion, at=line.at)
    conversations = [each for each in line.conversations if _is_there(db, each)]
    for conversation in conversations:
        messages = _messages(db, conversation)
        undo(db, change, [id_ for id_, _ in messages])
        erase_conversation(db, conversation)
    wanted = {id_ for id_, _ in line.messages}
    here = _messages(db, line.conversation) if line.conversation is not None else []
    gone = [id_ for id_, removed in here if id_ in wanted and not removed]
    if gone and line.conversation is not None:
        remove(db, change, line.conversation, gone)
    rows = sum(
        db.execute(
            f"DELETE FROM {table} WHERE user_id = ? AND companion = ? AND id IN (SELECT value FROM json_each(?))",  # noqa: S608  # a table of ours
            (line.user, line.companion, msgspec.json.encode(line.items).decode()),
        ).rowcount
        for table in ("facts", "summaries", "check_ins")
        if line.items
    )
    if rows:
        withdraw_results(db, change, line.items)
        db.execute(
            "UPDATE memories SET undo = NULL, undo_at = NULL WHERE user_id = ? AND companion = ?",
            (line.user, line.companion),
        )
    if line.profile:
        rows += _all_before(db, line)
    rows += _ended_again(db, line)
    return bool(conversations or gone or rows)


def _all_before(db: sqlite3.Connection, line: Erased) -> int:
    """Of a person who was erased: what is in no conversation and has no id in the ledger, as it was by then."""
    owner = (line.user, line.companion, line.at)
    mine = "user_id = ? AND companion = ? AND at < ?"
    kept = "(digest IS NOT NULL OR result IS NOT NULL)"
    return sum(
        db.execute(statement, owner).rowcount
        for statement in (
            f"DELETE FROM profiles WHERE {mine}",  # noqa: S608  # all of these: words of ours
            f"DELETE FROM care_contexts WHERE {mine}",  # noqa: S608  # as above
            f"DELETE FROM alerts WHERE {mine} AND NOT ({_OPEN})",  # noqa: S608  # as above
            f"UPDATE commands SET digest = NULL, result = NULL WHERE {mine} AND {kept}",  # noqa: S608  # as above
            f"UPDATE memories SET undo = NULL, undo_at = NULL WHERE {mine.replace(' at', ' undo_at')}",  # noqa: S608  # as above
        )
    )


def _ended_again(db: sqlite3.Connection, line: Erased) -> int:
    """A consent, a grant, a token or a release that had ended does not come back with an older copy."""
    ids = msgspec.json.encode(line.items).decode()
    if (
        line.items and not line.companion
    ):  # what lets in: by its id, or by the digest that another took the place of
        db.execute(
            "UPDATE tokens SET ended_at = ? WHERE ended_at IS NULL AND id IN (SELECT value FROM json_each(?))",
            (line.at, ids),
        )
        db.execute(
            "UPDATE grants SET ended_at = ? WHERE ended_at IS NULL AND digest IN (SELECT value FROM json_each(?))",
            (line.at, ids),
        )
    return sum(
        db.execute(
            f"""
            UPDATE {table} SET ended_at = ?1 WHERE ended_at IS NULL AND {user} = ?2
                AND id IN (SELECT value FROM json_each(?3))
            """,  # noqa: S608  # names of our own schema
            (line.at, line.user, ids),
        ).rowcount
        for table, user in (("consents", "user_id"), ("grants", "for_user"), ("releases", "user_id"))
        if line.items
    )


def _is_there(db: sqlite3.Connection, conversation: str) -> bool:
    return db.execute("SELECT 1 FROM conversations WHERE id = ?", (conversation,)).fetchone() is not None


def _messages(db: sqlite3.Connection, conversation: str) -> list[tuple[str, int]]:
    return db.execute("SELECT id, removed FROM messages WHERE conversation = ?", (conversation,)).fetchall()
