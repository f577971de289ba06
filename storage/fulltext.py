"""Full-text search over what was said: SQLite's FTS5 with context, within one person's messages.

The ranking is bm25 with the weights below; nothing recent is favoured. A row is derived from the messages and
written later, in batches of its own; a deletion takes rows at once and has their neighbours written again.
"""

import hashlib
import sqlite3
from bisect import insort
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from memory.fusing import joined
from memory.searching import Question, asked, indexed, parts_of, telling
from memory.text import folded
from memory.vectors import Meaning, pressed
from storage.nearest import held, nearest
from storage.rows import Row
from storage.vectors import near

# What a word counts in the message itself, in the two before, in the one after, as a part, and in the scope.
WEIGHTS = (1.0, 0.5, 0.2, 0.5, 0.0)
SPEAKER_WEIGHT = 1.1
TIME_WEIGHT = 1.25
KIND_WEIGHT = 0.4
ASKING_WEIGHT = 0.6
ASIDE_WEIGHT = 0.8
MOST_WEIGHT = SPEAKER_WEIGHT * TIME_WEIGHT
CANDIDATES = 100
WEIGHED = 30  # of what is joined with vectors: weighing takes time, and further down a place more or less is nothing
BEFORE = 2


# As the migration makes it: a search outside the store ranks as one inside.
TABLE = """
CREATE VIRTUAL TABLE search USING fts5 (
    own, earlier, later, parts, scope,
    tokenize = 'porter unicode61 remove_diacritics 2'
)
"""

Embed: TypeAlias = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Vectors of length one, one for each text."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A message that a search found; a higher score is better."""

    message: str
    conversation: str
    position: int
    text: str
    at: int
    score: float


class Utterance(msgspec.Struct, frozen=True, kw_only=True):
    """A message given for a search of its own, outside the store."""

    id: str
    text: str
    role: str = "user"
    speaker: str = ""
    session: str | int = ""


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """A question asked of such messages."""

    id: str
    query: str
    limit: int = 10


def index_pending(db: sqlite3.Connection, limit: int = 500) -> int:
    """Write up to about ``limit`` rows that are due, and say how many; 0 when nothing is left to do."""
    written = 0
    while written < limit:
        row: Row | None = db.execute(
            """
            SELECT id, user_id, companion, indexed, closed IS NOT NULL, last_position FROM conversations
            WHERE indexed < last_position - (closed IS NULL) ORDER BY activity LIMIT 1
            """
        ).fetchone()
        if row is None:
            break
        written += _index(db, row, limit - written)
    return written


def _index(db: sqlite3.Connection, row: Row, limit: int) -> int:
    conversation, user, companion, done, ended, last = row
    before: list[Row] = db.execute(
        """
        SELECT stored, position, text FROM messages WHERE conversation = ? AND position <= ? AND removed = 0
        ORDER BY position DESC LIMIT ?
        """,
        (conversation, done, BEFORE),
    ).fetchall()[::-1]
    due: list[Row] = db.execute(
        """
        SELECT stored, position, text FROM messages WHERE conversation = ? AND position > ? AND removed = 0
        ORDER BY position LIMIT ?
        """,
        (conversation, done, limit + 1),
    ).fetchall()
    rows = [*before, *due]
    first = len(before)
    whole = len(due) <= limit
    until = len(rows) if whole and ended else len(rows) - 1
    texts = [indexed(text) for _, _, text in rows]
    scope = f"{_scope(user)} {_scope(user, companion)}"
    db.executemany(
        "INSERT INTO search (rowid, own, earlier, later, parts, scope) VALUES (?, ?, ?, ?, ?, ?)",
        (  # one at a time: together the ends of their words may weigh a lot
            (
                rows[at][0],
                texts[at],
                " ".join(texts[max(0, at - BEFORE) : at]),
                texts[at + 1] if at + 1 < len(rows) else "",
                parts_of(rows[at][2]),
                scope,
            )
            for at in range(first, until)
        ),
    )
    reached = last - (0 if ended else 1) if whole else rows[until - 1][1]
    db.execute("UPDATE conversations SET indexed = ? WHERE id = ?", (reached, conversation))
    return max(1, until - first)


def forget_from(db: sqlite3.Connection, conversation: str, position: int) -> None:
    """Take the rows at and after ``position``, and of the message before it, whose context they are.

    What is still there of them is written again by ``index_pending``.
    """
    row: tuple[int] | None = db.execute(
        """
        SELECT position FROM messages WHERE conversation = ? AND position < ? AND removed = 0
        ORDER BY position DESC LIMIT 1
        """,
        (conversation, position),
    ).fetchone()
    start = position if row is None else row[0]
    db.execute(
        """
        DELETE FROM search WHERE rowid IN
            (SELECT stored FROM messages WHERE conversation = ? AND position >= ?)
        """,
        (conversation, start),
    )
    db.execute(
        "UPDATE conversations SET indexed = MIN(indexed, ?) WHERE id = ?", (max(0, start - 1), conversation)
    )


def search(
    db: sqlite3.Connection,
    *,
    user: str,
    query: str,
    limit: int,
    companion: str | None = None,
    parent_mode: bool = False,
    speakers: Mapping[str, str] = {},
    conversation: str | None = None,
    meaning: Meaning | None = None,
) -> tuple[Found, ...]:
    """The messages of this user that answer ``query`` best, the best first.

    With the ``meaning`` of the query, what is like it joins what has its words.

    ``companion`` keeps it to one companion, ``conversation`` to one conversation. ``speakers`` are the names of the
    roles, so that a question about one of them favours what they said themselves.
    """
    named = {role: folded(name) for role, name in speakers.items()}
    question = asked(query, frozenset(named.values()))
    scope = _scope(user) if companion is None else _scope(user, companion)
    scores = _scores(db, question, scope, conversation)
    alike: list[int] = []
    if meaning is not None:
        alike = near(
            db,
            user=user,
            companion=companion,
            conversation=conversation,
            meaning=meaning,
            limit=CANDIDATES,
        )
    rows = _rows(db, (*scores, *alike), user, parent_mode=parent_mode, conversation=conversation)

    def weigh(stored: int) -> float:
        row = rows.get(stored)
        return 0.0 if row is None else _told(question, row[3], named=named.get(row[5]) in question.speakers)

    best = _best(scores, weigh, max(limit, WEIGHED) if alike else limit)
    if alike:
        best += _rest(scores, best, rows)
        meant = [stored for stored in alike if stored in rows]
        best = joined([stored for stored, _ in best], meant)[: max(0, limit)]
    return tuple(
        Found(
            message=rows[stored][0],
            conversation=rows[stored][1],
            position=rows[stored][2],
            text=rows[stored][3],
            at=rows[stored][4],
            score=score,
        )
        for stored, score in best
    )


def _rows(
    db: sqlite3.Connection, found: Iterable[int], user: str, *, parent_mode: bool, conversation: str | None
) -> dict[int, Row]:
    """What was found, where it is this user's: whose it is, is decided here and not by the index."""
    numbers = tuple(found)
    rows: list[Row] = db.execute(
        f"""
        SELECT m.id, m.conversation, m.position, m.text, m.at, m.role, m.stored FROM messages m
        JOIN conversations c ON c.id = m.conversation
        WHERE m.stored IN ({", ".join("?" * len(numbers))})
            AND m.user_id = ? AND m.removed = 0 AND c.parent_mode = ? AND (? IS NULL OR c.id = ?)
        """,  # noqa: S608  # placeholders alone
        (*numbers, user, parent_mode, conversation, conversation),
    ).fetchall()
    return {row[6]: row for row in rows}


def _scope(*owner: str) -> str:
    """A number that stands for an owner: digits pass the tokenizer and the stemmer as they are."""
    digest = hashlib.sha256("\x00".join(owner).encode()).digest()
    return str(int.from_bytes(digest[:16], "big"))


def _scores(
    db: sqlite3.Connection, question: Question, scope: str, conversation: str | None = None
) -> dict[int, float]:
    """The best rows with their scores: what was asked for, and a little for the kinds it names."""
    scores = _ranked(db, _match(question.terms, question.pieces, question.parts), scope, conversation)
    for stored, score in _ranked(db, _members(question), scope, conversation).items():
        scores[stored] = scores.get(stored, 0.0) + KIND_WEIGHT * score
    return scores


def _match(terms: Sequence[str], pieces: Sequence[str], parts: Sequence[str]) -> str:
    """The words of a question in the language of FTS5, joined by OR; every word is quoted."""
    whole = [_quoted(word) for word in terms] + [f"{_quoted(word)} *" for word in pieces]
    found = [f"{{own earlier later}} : ({' OR '.join(whole)})"] if whole else []
    if parts:
        found.append(f"parts : ({' OR '.join(f'{_quoted(word)} *' for word in parts)})")
    return " OR ".join(found)


def _members(question: Question) -> str:
    """The members of the kinds a question names, looked for in a message's own words alone."""
    return f"own : ({' OR '.join(map(_quoted, question.kinds))})" if question.kinds else ""


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _ranked(db: sqlite3.Connection, match: str, scope: str, conversation: str | None) -> dict[int, float]:
    if not match:
        return {}
    within = (
        "" if conversation is None else "AND rowid IN (SELECT stored FROM messages WHERE conversation = ?)"
    )
    rows: list[tuple[int, float]] = db.execute(
        f"""
        SELECT rowid, bm25(search, ?, ?, ?, ?, ?) AS score FROM search
        WHERE search MATCH ? {within} ORDER BY score LIMIT ?
        """,  # noqa: S608  # one of two conditions
        (
            *WEIGHTS,
            f"scope : {_quoted(scope)} AND ({match})",
            *(() if conversation is None else (conversation,)),
            CANDIDATES,
        ),
    ).fetchall()
    return {stored: -score for stored, score in rows}


def _best(scores: Mapping[int, float], weigh: Callable[[int], float], limit: int) -> list[tuple[int, float]]:
    """The ``limit`` best after weighing; only rows that could still be among them are read and weighed."""
    best: list[tuple[float, int]] = []
    if limit < 1:
        return []
    for row in sorted(scores, key=lambda row: (-scores[row], row)):
        if len(best) >= limit and scores[row] * MOST_WEIGHT <= best[-1][0]:
            break
        if (score := scores[row] * weigh(row)) > 0:
            insort(best, (score, row), key=lambda one: -one[0])
            del best[limit:]
    return [(row, score) for score, row in best]


def _rest(
    scores: Mapping[int, float], best: Sequence[tuple[int, float]], among: Container[int]
) -> list[tuple[int, float]]:
    """What comes after ``best`` by its words alone, for a ranking that is joined with another."""
    before = {row for row, _ in best}
    rest = [row for row in scores if row not in before and row in among]
    return [(row, scores[row]) for row in sorted(rest, key=lambda row: (-scores[row], row))]


def _told(question: Question, text: str, *, named: bool) -> float:
    """How much a message is worth to a question, beside its words.

    What a named speaker said counts a little more; what only asks, or speaks of the one who was not named,
    counts less; a time answers a when.
    """
    said = telling(text)
    weight = SPEAKER_WEIGHT if named else 1.0
    if question.about_time and said.timed:
        weight *= TIME_WEIGHT
    aside = (said.of_other and not said.of_self) if named else (said.of_self and not said.of_other)
    if question.speakers and aside:
        weight *= ASIDE_WEIGHT
    return weight * float(ASKING_WEIGHT**said.asking)


def answered(
    messages: Sequence[Utterance], queries: Iterable[Query], embed: Embed | None = None
) -> dict[str, list[str]]:
    """The ids of the messages that answer each query best, from an index that lasts as long as the call.

    Context does not reach from one session into another. A query that nothing answers has an empty list. ``embed``
    gives the vectors of texts, and then meaning joins as it does in the store.
    """
    asked_for = tuple(queries)
    said = b""
    meant: Sequence[Sequence[float]] = [()] * len(asked_for)
    if embed is not None:
        vectors = embed([each.text for each in messages])
        said = b"".join(held(at, pressed(vector)) for at, vector in enumerate(vectors))
        meant = embed([each.query for each in asked_for])
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        db.execute(TABLE)
        _fill(db, messages)
        return {
            query.id: _answer(db, messages, query, nearest(vector, said, CANDIDATES))
            for query, vector in zip(asked_for, meant, strict=True)
        }
    finally:
        db.close()


def _fill(db: sqlite3.Connection, messages: Sequence[Utterance]) -> None:
    texts = [indexed(message.text) for message in messages]
    scope = _scope("")

    def context(at: int, places: Iterable[int]) -> str:
        return " ".join(
            texts[place]
            for place in places
            if 0 <= place < len(texts) and messages[place].session == messages[at].session
        )

    db.executemany(
        "INSERT INTO search (rowid, own, earlier, later, parts, scope) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (
                at,
                texts[at],
                context(at, range(at - BEFORE, at)),
                context(at, [at + 1]),
                parts_of(message.text),
                scope,
            )
            for at, message in enumerate(messages)
        ],
    )


def _answer(
    db: sqlite3.Connection, messages: Sequence[Utterance], query: Query, alike: Sequence[int]
) -> list[str]:
    question = asked(query.query, frozenset(folded(message.speaker) for message in messages))

    def weigh(at: int) -> float:
        message = messages[at]
        return _told(question, message.text, named=folded(message.speaker) in question.speakers)

    scores = _scores(db, question, _scope(""))
    best = _best(scores, weigh, max(query.limit, WEIGHED) if alike else query.limit)
    if alike:
        best += _rest(scores, best, range(len(messages)))
        best = joined([at for at, _ in best], alike)[: max(0, query.limit)]
    return [messages[at].id for at, _ in best]
