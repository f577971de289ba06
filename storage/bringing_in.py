"""An export comes into a store: checked cell by cell, in one transaction, or not at all.

An import adds what is missing and changes nothing that is there: a conversation that is here stays as it is, whole.
What was erased here is left out again. Twice is as good as once.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from companions.change import Change
from storage.engine import errors
from storage.erased import Erased
from storage.erasing import hold_against
from storage.facts import fact_of, facts_of
from storage.facts_held import open_again
from storage.facts_removed import remove
from storage.forgetting import marks_of
from storage.order import next_number
from storage.portable import (
    COUNTERS,
    FORMAT,
    PARTS,
    VERSION,
    Cell,
    Memory,
    blob_of_cell,
    exported_tables,
    taken_columns,
)
from storage.rows import Row, acquainted

Check = Callable[[bytes], object]
"""Reads the JSON of a column; raises ``ValueError`` where this program could not."""

_KINDS: dict[str, tuple[type, ...]] = {"TEXT": (str,), "INTEGER": (int,), "REAL": (float, int)}
_REFERS = ("message", "answer", "grounds", "fact")

_CONTRADICTIONS: Final[tuple[type[Exception], ...]] = (
    *errors("IntegrityError", "DataError"),
    UnicodeEncodeError,
    OverflowError,
)


class BadFile(Exception):
    """The file is not one that can be brought in: ``where`` in it, and why. The store is as it was."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.where = where
        self.why = why


class BroughtIn(msgspec.Struct, frozen=True, kw_only=True):
    """How many rows came in, by table; how many were here already; and of how many removals something was left out."""

    added: dict[str, int]
    here: int
    erased: int


def read_memory(content: bytes) -> Memory:
    """The export in a file; raises ``BadFile``."""
    try:
        head = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
        name = msgspec.json.decode(head.get("format", b"null"), type=str | None)
        version = msgspec.json.decode(head.get("version", b"null"), type=int | None)
    except msgspec.DecodeError as error:
        raise BadFile(_end_of(content), f"this is no JSON, or only a part of it ({error})") from None
    if name != FORMAT:
        raise BadFile("$.format", f"expected `{FORMAT}`: this is not an export of memory")
    if version is None or version > VERSION:
        raise BadFile("$.version", f"the file is of version {version}; this program reads up to {VERSION}")
    try:
        return msgspec.json.decode(content, type=Memory)
    except msgspec.ValidationError as error:
        why, _, where = str(error).partition(" - at ")
        raise BadFile(where.strip("`") or "$", why) from None


def _end_of(content: bytes) -> str:
    line = content.count(b"\n") + 1
    return f"the file, {len(content)} bytes in {line} lines"


def bring_in(
    db: sqlite3.Connection,
    memory: Memory,
    change: Change,
    checks: Mapping[tuple[str, str], Check],
    ledger: Iterable[Erased],
) -> BroughtIn:
    """Bring an export in as ``change.user``'s with ``change.companion``, inside the caller's transaction."""
    tables = exported_tables(db)
    unknown = sorted(memory.tables.keys() - set(tables))
    if unknown:
        raise BadFile(f"$.tables.{unknown[0]}", "there is no such table")
    acquainted(db, change)
    knew = bool(facts_of(db, user=change.user, companion=change.companion, history=True))
    coming = _Coming(db, change, checks, _base(db, memory))
    for table in tables:
        coming.table(table, memory.tables.get(table, []))
    coming.counted(memory)
    coming.without_forgotten()
    if knew:  # what is held here stays; what comes in and says otherwise is over
        for id_ in coming.facts:
            fact = fact_of(db, user=change.user, companion=change.companion, id=id_)
            if fact is not None and fact.status == "active":
                open_again(db, change, fact)
    coming.switched(memory)
    left_out = hold_against(db, ledger)
    return BroughtIn(added=coming.added, here=coming.here, erased=left_out)


def _base(db: sqlite3.Connection, memory: Memory) -> int:
    """Fresh numbers of the counter for every rank; what comes later has later ones."""
    ranks = [
        row[key]
        for rows in memory.tables.values()
        for row in rows
        for key in COUNTERS & row.keys()
        if isinstance(row[key], int)
    ]
    base = next_number(db)
    most = max(ranks, default=0)
    if not 0 <= most <= 2**40 or min(ranks, default=0) < 0:
        raise BadFile("$.tables", "a rank is out of range")
    db.execute("UPDATE store SET counter = counter + ? WHERE one = 1", (most,))
    return base


class _Coming:
    def __init__(
        self,
        db: sqlite3.Connection,
        change: Change,
        checks: Mapping[tuple[str, str], Check],
        base: int,
    ) -> None:
        self._db = db
        self._change = change
        self._checks = checks
        self._base = base
        self._here: set[str] = set()  # conversations that were here before
        self._lost: set[str] = (
            set()
        )  # of those, messages that are in the file alone; and facts that rest on them
        self._known: set[int] = set()  # ranks of learnings that were here before
        self.facts: list[str] = []
        self.conversations: list[str] = []
        self.added: dict[str, int] = {}
        self.here = 0

    def table(self, table: str, rows: list[dict[str, Cell]]) -> None:
        """Bring the rows of one table in."""
        columns = {name: (kind, needed) for name, kind, needed in self._columns(table)}
        key = self._key(table)
        for at, row in enumerate(rows):
            where = f"$.tables.{table}[{at}]"
            self._checked(table, where, row, columns)
            if self._is_here(table, where, row, key):
                self.here += 1
                continue
            self._insert(table, where, row)
            self.added[table] = self.added.get(table, 0) + 1

    def _columns(self, table: str) -> list[tuple[str, str, bool]]:
        taken = taken_columns(self._db, table)
        rows: list[Row] = self._db.execute(
            'SELECT name, type, "notnull" AND dflt_value IS NULL FROM pragma_table_info(?)', (table,)
        ).fetchall()
        return [(name, kind, bool(needed)) for name, kind, needed in rows if name in taken]

    def _key(self, table: str) -> list[str]:
        rows: list[tuple[str]] = self._db.execute(
            "SELECT name FROM pragma_table_info(?) WHERE pk > 0", (table,)
        ).fetchall()
        names = [name for (name,) in rows]
        if names != ["stored"]:
            return names
        # A number of this store's: what is the same goes by its id, or by what it is about.
        if table == "learnings":
            return ["job", "topic", "learned"]
        taken = taken_columns(self._db, table)
        unique = next((name for name in ("id", "message", "answer") if name in taken), "")
        return [unique, "anchor"] if table == "anchors" else [unique]

    def _checked(
        self, table: str, where: str, row: dict[str, Cell], columns: dict[str, tuple[str, bool]]
    ) -> None:
        for name, cell in row.items():
            if name not in columns:
                raise BadFile(f"{where}.{name}", "there is no such field")
            kind, needed = columns[name]
            if cell is None and not needed:
                continue
            if kind == "BLOB":
                self._check_json(table, name, f"{where}.{name}", cell)
            elif not isinstance(cell, _KINDS[kind]) or isinstance(cell, bool):
                expected = {"TEXT": "text", "INTEGER": "a whole number", "REAL": "a number"}[kind]
                raise BadFile(f"{where}.{name}", f"expected {expected}")
            elif (table, name) in self._checks:
                self._check_json(table, name, f"{where}.{name}", msgspec.Raw(str(cell).encode()))
        missing = [name for name, (_, needed) in columns.items() if needed and name not in row]
        if missing:
            raise BadFile(f"{where}.{missing[0]}", "the field is missing")

    def _check_json(self, table: str, name: str, where: str, cell: Cell) -> None:
        check = self._checks.get((table, name))
        try:
            content = blob_of_cell(cell)
            if check is not None:
                check(content)
        except ValueError as error:
            raise BadFile(where, str(error)) from None

    def _is_here(self, table: str, where: str, row: dict[str, Cell], key: list[str]) -> bool:
        """Whether a row is in the store, or belongs to what is there and stays as it is."""
        if table in PARTS:
            return row["learning"] in self._known
        owned = ", user_id, companion"
        place = [name for name in key if name not in ("user_id", "companion")]
        mine = [name for name in key if name in ("user_id", "companion")]
        names = [*place, *mine]
        values = [
            row[name] if name in row else getattr(self._change, name.removesuffix("_id")) for name in names
        ]
        test = " AND ".join(f"{name} = ?" for name in names)
        found: Row | None = self._db.execute(f"SELECT 1{owned} FROM {table} WHERE {test}", values).fetchone()  # noqa: S608  # names of our own schema
        if found is not None and found[1:] != (self._change.user, self._change.companion):
            raise BadFile(where, "it belongs to somebody else here")
        if found is not None:
            if table == "conversations":
                self._here.add(row["id"])
            if table == "learnings":
                self._known.add(row["stored"])
            return True
        if row.get("conversation") in self._here or any(row.get(name) in self._lost for name in _REFERS):
            self._lost |= {row[name] for name in ("id",) if isinstance(row.get(name), str)}
            self._known |= {row["stored"]} if table == "learnings" else set()
            return True
        return False

    def _insert(self, table: str, where: str, row: dict[str, Cell]) -> None:
        blobs = {name for name, kind, _ in self._columns(table) if kind == "BLOB"}
        values = {
            name: (
                self._base + cell
                if name in COUNTERS and cell
                else blob_of_cell(cell)
                if name in blobs and cell is not None
                else cell
            )
            for name, cell in row.items()
        }
        if table not in PARTS:
            values |= {"user_id": self._change.user, "companion": self._change.companion}
        marks = ", ".join("?" * len(values))
        try:
            self._db.execute(
                f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})",  # noqa: S608  # names of our own schema
                tuple(values.values()),
            )
        except _CONTRADICTIONS as error:
            raise BadFile(where, f"it contradicts itself or what it refers to ({error})") from None
        if table == "facts":
            self.facts.append(row["id"])
        if table == "conversations":
            self.conversations.append(row["id"])

    def without_forgotten(self) -> None:
        """What the person had forgotten here does not come back with a file of before (decision D19)."""
        marks = marks_of(self._db, user=self._change.user, companion=self._change.companion)
        for id_ in self.facts:
            fact = fact_of(self._db, user=self._change.user, companion=self._change.companion, id=id_)
            statement = fact.statement if fact is not None else None
            if fact is not None and statement is not None and marks.forgotten_until(statement):
                remove(self._db, self._change, fact)
                self.added["facts"] -= 1

    def counted(self, memory: Memory) -> None:
        """Positions have no gap, and counts are those of the messages."""
        places = {row["id"]: at for at, row in enumerate(memory.tables.get("conversations", []))}
        for conversation in self.conversations:
            row: Row = self._db.execute(
                """
                SELECT last_position, message_count, user_message_count, COUNT(m.id), COALESCE(MAX(m.position), 0),
                    COALESCE(SUM(m.removed = 0), 0), COALESCE(SUM(m.removed = 0 AND m.role = 'user'), 0)
                FROM conversations c LEFT JOIN messages m ON m.conversation = c.id WHERE c.id = ?
                """,
                (conversation,),
            ).fetchone()
            last, count, said, rows, highest, left, by_person = row
            where = f"$.tables.conversations[{places[conversation]}]"
            if not last == rows == highest:
                raise BadFile(
                    f"{where}.last_position", f"{last}, and the file has {rows} messages up to {highest}"
                )
            if (count, said) != (left, by_person):
                raise BadFile(f"{where}.message_count", f"{count}, and the file has {left} messages")

    def switched(self, memory: Memory) -> None:
        """Whether anything is to be remembered, as it was; what is set here stays."""
        off = [(begin + self._base, None if end is None else end + self._base) for begin, end in memory.off]
        if off:
            self._db.execute(
                "INSERT INTO memories (user_id, companion, off) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (self._change.user, self._change.companion, msgspec.json.encode(off).decode()),
            )
