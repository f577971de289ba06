"""One message of the person, read: everything the rules of a turn need to know of it, in one value.

The single readers are modules of their own; this one asks them in turn and keeps no state. What it needs of the
talk so far is passed in.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import msgspec

from memory import crisis, frames, recall_ends, statements
from memory.anchors import read_anchors
from memory.answers import Turn, judge
from memory.asked_back import asked_back
from memory.crisis import Crisis, read_crisis
from memory.distress import Trajectory, settled_distress, trajectory
from memory.emotion import EmotionSet, read_emotion
from memory.flags import Flag, read_flags
from memory.intent import Intent, read_intent
from memory.noticing import noticed
from memory.phrases import tokens
from memory.questions import Question, read_question
from memory.recall import suggested
from memory.recall_people import akin
from memory.recall_ties import tying
from memory.recall_told import overheard
from memory.recall_topics import Needed, default_reader
from memory.repetition import Asked, find_repeat
from memory.statements import Statement, last_mentioned, own_sentences, read_statements
from memory.text import is_spaced
from memory.topics import read_topics

LONG = 2_000  # characters: longer text is read on head and tail, but for crisis, which is read whole (D32)


Keeping: TypeAlias = Literal["nothing", "stated", "all"]
"""What is kept of what a message states, and so read of it: ``all`` is also what it may state, for facts and recall."""


class Before(msgspec.Struct, frozen=True, kw_only=True):
    """What of the talk so far bears on reading the next message; everything is of this conversation alone (D16)."""

    said: Sequence[str] = ()  # the person's last messages, oldest first; two are enough
    answered: str | None = (
        None  # what the companion said last: a bare "yes, peanuts" is read with its question
    )
    other: str | None = None  # whom the person mentioned last: whom "he" or "she" means
    distress: Sequence[float] = ()  # of the last messages, at most ten, oldest first
    asked: Sequence[Asked] = ()
    similarities: Sequence[float | None] | None = None  # to each of ``asked``, by vectors


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What was found. ``repeat_count`` is the number of earlier matches, ``repeats`` their ids, oldest first;
    ``distress`` regards the way here.

    ``suggested`` is what the message may state beside its ``statements``, where all of that is kept; ``other`` the
    person it mentions last, else the one mentioned before; ``needed`` what it needs to know of earlier ones, where that
    was looked for.
    """

    emotion: str
    intensity: int
    confidence: float
    distress: float
    trajectory: Trajectory
    flags: tuple[Flag, ...]
    crisis: Crisis | None
    intent: Intent
    topics: tuple[str, ...]
    question: Question
    repeat_of: str | None
    repeat_count: int
    statements: tuple[Statement, ...]
    anchors: tuple[str, ...]
    suggested: tuple[Statement, ...] = ()
    other: str | None = None
    repeats: tuple[str, ...] = ()
    needed: Needed | None = None


def read(
    text: str,
    before: Before,
    *,
    emotions: EmotionSet = "wellness",
    vector: Sequence[float] | None = None,
    keeps: Keeping = "stated",
    recalls: bool = False,
) -> Reading:
    """Read ``text``, the person's next message; ``vector`` is its all-MiniLM-L6-v2 vector, where there is one.

    ``keeps``: what is kept of its statements. ``recalls``: earlier messages may be brought back, so what this one
    needs of them is read too.
    """
    part = head_and_tail(text)
    words = tokens(part)
    phrases = noticed(words)
    danger = read_crisis(text, before.said[-2:])
    feeling = read_emotion(part, emotions, words, vector)
    distress = settled_distress(before.distress, feeling.distress)
    question = read_question(part)
    repeat = find_repeat(question, part, before.asked, before.similarities)
    stated, maybe, other = _told(part, before, keeps)
    if recalls:
        default_reader().take_note((*stated, *maybe))
        maybe = (*maybe, *overheard(part, (*stated, *maybe)))
    return Reading(
        emotion=feeling.label,
        intensity=feeling.intensity,
        confidence=feeling.confidence,
        distress=distress,
        trajectory=trajectory(before.distress, distress),
        flags=read_flags(phrases, feeling, danger is not None),
        crisis=danger,
        intent=read_intent(phrases, feeling),
        topics=read_topics(phrases),
        question=question,
        repeat_of=repeat.of,
        repeat_count=repeat.count,
        statements=stated,
        anchors=read_anchors(words if is_spaced(part) else part),
        suggested=maybe,
        other=other,
        repeats=repeat.all,
        needed=default_reader().asked(part) if recalls else None,
    )


def _told(
    text: str, before: Before, keeps: Keeping
) -> tuple[tuple[Statement, ...], tuple[Statement, ...], str | None]:
    """What ``text`` states, what it may state beside that, and whom it mentions last."""
    if keeps == "nothing":
        return (), (), before.other
    said = own_sentences(text)
    stated = read_statements(said, before.answered, before.other)
    maybe = suggested(said, stated, before.other) if keeps == "all" else ()
    return stated, maybe, last_mentioned(said, before.other)


def head_and_tail(text: str) -> str:
    """``text``, or the first and the last half of ``LONG`` characters of a longer one."""
    return text if len(text) <= LONG else f"{text[: LONG // 2]}\n{text[-LONG // 2 :]}"


def prepare() -> None:
    """Load every table that a message is read by now, so that no first message waits for it."""
    before = Before(said=("I would like",), answered="Would you like some tea?")
    for emotions in get_args(EmotionSet):
        read("Yes. My knee hurts. What can I eat?", before, emotions=emotions, keeps="all", recalls=True)


def warm() -> None:
    """Load every table and compile every pattern now: also what only some messages need, and what answers are."""
    prepare()
    judge("You are safe here with me.", [Turn(role="user", text="Where am I?")])
    asked_back("Where do I live?")
    crisis.warm()
    statements.warm()
    recall_ends.warm()
    tying("")
    akin(frozenset())
    frames.warm()
