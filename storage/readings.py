"""What was read in messages and told in answers: emotions, repetitions, narratives, anchors.

Kept apart from the messages (the dementia companion's storage design, 2.5 to 2.7), written once, and removed
with the message they are about.
"""

import sqlite3

import msgspec

from companions.changes import AnswerGiven, EmotionRow, NarrativeUse, RepetitionRow
from storage.order import next_number
from storage.rows import Row, json_of, names_of


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """How often a story was told to a person, and when last: ``last`` orders, a higher number is later."""

    narrative: str
    uses: int
    last: int


def keep_readings(db: sqlite3.Connection, change: AnswerGiven) -> None:
    """Everything that an exchange produced beside its words; a repeat of it changes nothing."""
    if change.emotion is not None:
        _keep_emotion(db, change, change.emotion)
    if change.repetition is not None:
        _keep_repetition(db, change, change.repetition)
    if change.narrative is not None and change.answer is not None:
        _keep_narrative(db, change, change.answer, change.narrative)
    source = change.answer or change.message
    for anchor in change.anchors:
        db.execute(
            "INSERT INTO anchors VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (next_number(db), source, change.user, change.companion, change.conversation, anchor),
        )


def _said_at(db: sqlite3.Connection, change: AnswerGiven, message: str) -> int:
    """When the person spoke: what is read in a message is of that time, however late the answer came."""
    row: tuple[int] | None = db.execute("SELECT at FROM messages WHERE id = ?", (message,)).fetchone()
    return change.at if row is None else row[0]


def _keep_emotion(db: sqlite3.Connection, change: AnswerGiven, row: EmotionRow) -> None:
    db.execute(
        "INSERT INTO emotions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            next_number(db),
            row.message,
            change.user,
            change.companion,
            change.conversation,
            _said_at(db, change, row.message),
            row.emotion,
            row.intensity,
            row.confidence,
            row.distress,
            row.trajectory,
            json_of(row.flags),
            row.crisis_category,
            row.crisis_severity,
            json_of(row.topics),
        ),
    )


def _keep_repetition(db: sqlite3.Connection, change: AnswerGiven, row: RepetitionRow) -> None:
    db.execute(
        """
        INSERT INTO repetitions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (message) DO UPDATE SET response_given = excluded.response_given
        """,
        (
            next_number(db),
            row.message,
            change.user,
            change.companion,
            change.conversation,
            _said_at(db, change, row.message),
            row.fingerprint,
            row.question_type,
            row.question_object,
            row.repeat_of,
            row.repeat_count,
            row.response_given,
        ),
    )


def _keep_narrative(db: sqlite3.Connection, change: AnswerGiven, answer: str, use: NarrativeUse) -> None:
    db.execute(
        "INSERT INTO narrative_uses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            next_number(db),
            answer,
            change.user,
            change.companion,
            change.conversation,
            change.at,
            use.narrative,
            use.mode,
            use.category,
            use.emotion,
        ),
    )


def emotions_in(db: sqlite3.Connection, conversation: str, limit: int) -> tuple[EmotionRow, ...]:
    """The last ``limit`` emotions of a conversation, oldest first."""
    rows = db.execute(
        """
        SELECT message, emotion, intensity, confidence, distress, trajectory, flags, crisis_category,
            crisis_severity, topics
        FROM emotions WHERE conversation = ? ORDER BY stored DESC LIMIT ?
        """,
        (conversation, limit),
    ).fetchall()
    return tuple(_emotion_of(row) for row in reversed(rows))


def _emotion_of(row: Row) -> EmotionRow:
    return EmotionRow(
        message=row[0],
        emotion=row[1],
        intensity=row[2],
        confidence=row[3],
        distress=row[4],
        trajectory=row[5],
        flags=names_of(row[6]),
        crisis_category=row[7],
        crisis_severity=row[8],
        topics=names_of(row[9]),
    )


def repetitions_in(db: sqlite3.Connection, conversation: str) -> tuple[RepetitionRow, ...]:
    """Every fingerprint of a conversation, oldest first."""
    rows: list[Row] = db.execute(
        """
        SELECT message, fingerprint, question_type, question_object, repeat_of, repeat_count, response_given
        FROM repetitions WHERE conversation = ? ORDER BY stored
        """,
        (conversation,),
    ).fetchall()
    return tuple(
        RepetitionRow(
            message=row[0],
            fingerprint=row[1],
            question_type=row[2],
            question_object=row[3],
            repeat_of=row[4],
            repeat_count=row[5],
            response_given=row[6],
        )
        for row in rows
    )


def narratives_in(db: sqlite3.Connection, conversation: str) -> tuple[NarrativeUse, ...]:
    """The stories told in a conversation, oldest first."""
    rows: list[Row] = db.execute(
        """
        SELECT narrative, mode, category, emotion FROM narrative_uses WHERE conversation = ? ORDER BY stored
        """,
        (conversation,),
    ).fetchall()
    return tuple(NarrativeUse(narrative=row[0], mode=row[1], category=row[2], emotion=row[3]) for row in rows)


def anchors_in(db: sqlite3.Connection, conversation: str) -> tuple[str, ...]:
    """The things named in a conversation, each once, in the order they came up."""
    rows: list[tuple[str]] = db.execute(
        "SELECT anchor FROM anchors WHERE conversation = ? ORDER BY stored", (conversation,)
    ).fetchall()
    return tuple(dict.fromkeys(anchor for (anchor,) in rows))


def anchored_in(db: sqlite3.Connection, conversation: str) -> tuple[tuple[str, str], ...]:
    """The things named in a conversation, each with the message it was named in, in the order they came up."""
    rows: list[tuple[str, str]] = db.execute(
        "SELECT message, anchor FROM anchors WHERE conversation = ? ORDER BY stored", (conversation,)
    ).fetchall()
    return tuple(rows)


def narratives_told(db: sqlite3.Connection, *, user: str, companion: str) -> tuple[Told, ...]:
    """Every story told to this person in any session, the one told longest ago first. Never for a prompt."""
    rows: list[tuple[str, int, int]] = db.execute(
        """
        SELECT narrative, COUNT(*), MAX(stored) AS last FROM narrative_uses
        WHERE user_id = ? AND companion = ? GROUP BY narrative ORDER BY last
        """,
        (user, companion),
    ).fetchall()
    return tuple(Told(narrative=narrative, uses=uses, last=last) for narrative, uses, last in rows)


def questions_since(db: sqlite3.Connection, *, user: str, companion: str, since: int) -> dict[str, int]:
    """How often each type of question was asked at or after ``since``, over all sessions.

    For caregivers and for choosing a story, never for a prompt (dementia storage design, 4.3).
    """
    rows: list[tuple[str, int]] = db.execute(
        """
        SELECT question_type, COUNT(*) FROM repetitions
        WHERE user_id = ? AND companion = ? AND at >= ? GROUP BY question_type
        """,
        (user, companion, since),
    ).fetchall()
    return dict(rows)


class Chronic(msgspec.Struct, frozen=True, kw_only=True):
    """A question that came again and again in one conversation, as caregivers are shown it."""

    conversation: str
    question_type: str
    object: str
    most: int  # earlier matches of its latest instance
    at: int


def chronic_since(
    db: sqlite3.Connection, *, user: str, companion: str, since: int, repeats: int
) -> tuple[Chronic, ...]:
    """The pattern of chronic repetition: from ``repeats`` earlier matches on, at or after ``since``, latest first.

    For caregivers alone (dementia storage design, 4.4: the flag from five repeats on).
    """
    rows: list[Row] = db.execute(
        """
        SELECT conversation, question_type, question_object, MAX(repeat_count), MAX(at) AS latest
        FROM repetitions WHERE user_id = ? AND companion = ? AND at >= ? AND repeat_count >= ?
        GROUP BY conversation, question_type, question_object ORDER BY latest DESC, conversation
        """,
        (user, companion, since, repeats),
    ).fetchall()
    return tuple(
        Chronic(conversation=row[0], question_type=row[1], object=row[2], most=row[3], at=row[4])
        for row in rows
    )
