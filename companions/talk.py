"""The short-term memory of one conversation: what the session holds while people talk.

It is loaded in one go when a conversation is opened and kept up by pure functions; nothing on the way of a turn
reads the store (dementia storage design, 5.3).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeVar

import msgspec

from companions.changes import EmotionRow
from companions.summing_up import KEPT_OUT
from memory.messages import Message
from memory.phrasing import normalised
from memory.reading import Reading
from memory.recall import Stated
from memory.repetition import Asked
from memory.statements import last_mentioned
from memory.vectors import cosine, packed

MOST_MESSAGES = 64  # more than any window asks for; what is cut here is not cut from the store
MOST_EMOTIONS = 10  # dementia storage design, 5.2
MOST_ASKED = 300
MOST_ANCHORS = 24
MOST_REPLACED = 300  # by then what is remembered has long been read again
MOST_VECTORS = 48  # the time and the memory that comparing takes; older questions are found by their words

Row = TypeVar("Row")


class Talk(msgspec.Struct, frozen=True, kw_only=True):
    """One open conversation. ``messages`` are its last ones by position, tombstones left out."""

    conversation: str
    session_type: str = "freeform"
    last_position: int = 0
    message_count: int = 0
    messages: tuple[Message, ...] = ()
    emotions: tuple[EmotionRow, ...] = ()
    asked: tuple[Asked, ...] = ()
    vectors: tuple[tuple[str, bytes], ...] = ()  # of messages in ``asked``; held here alone, never stored
    stated: tuple[Stated, ...] = ()
    other: str | None = None  # whom the person mentioned last
    anchors: tuple[str, ...] = ()
    told: tuple[str, ...] = ()  # narratives, in the order told
    repeats: tuple[tuple[str, str, int], ...] = ()  # (message, what it repeats, how many came before it)
    summary: str | None = None  # covers the positions up to ``summary_covers``
    summary_covers: int = 0
    summary_asked: int = 0  # a summary up to here was asked for
    withheld: bool | None = False  # what follows may tell what family is not told (D25); None: not known yet
    replaced: tuple[str, ...] = ()  # another answer has their place: nothing is told of them any more
    revision: int = 0  # raised whenever words are removed; a summary of before is none of this talk
    began_with: str | None = None  # the message whose transaction creates the conversation, until it landed

    def find(self, message: str) -> Message | None:
        """The message of that id, when it is still held."""
        return next((each for each in self.messages if each.id == message), None)

    def answer_to(self, message: str) -> Message | None:
        """The answer to a message of the person, when there is one."""
        return next((each for each in self.messages if each.answers == message), None)

    @property
    def unanswered(self) -> tuple[Message, ...]:
        """Messages of the person that have no answer, among those held."""
        answered = {each.answers for each in self.messages}
        return tuple(each for each in self.messages if each.role == "user" and each.id not in answered)


def heard(talk: Talk, message: Message, reading: Reading, vector: Sequence[float] | None = None) -> Talk:
    """The person said something."""
    asked = Asked(message.id, reading.question, normalised(message.text))
    repeats = talk.repeats
    if reading.repeat_of is not None:
        repeats = (*repeats, (message.id, reading.repeat_of, reading.repeat_count))[-MOST_ASKED:]
    vectors = talk.vectors
    if vector is not None:
        vectors = (*vectors, (message.id, packed(vector)))[-MOST_VECTORS:]
    stated = talk.stated
    if reading.statements or reading.suggested:
        stated = (*stated, stated_in(message, reading))
    return msgspec.structs.replace(
        talk,
        last_position=message.position,
        message_count=talk.message_count + 1,
        messages=(*talk.messages, message)[-MOST_MESSAGES:],
        emotions=(*talk.emotions, emotion_row(message.id, reading))[-MOST_EMOTIONS:],
        asked=(*talk.asked, asked)[-MOST_ASKED:],
        vectors=vectors,
        stated=stated,
        other=reading.other,
        anchors=merged_anchors(talk.anchors, reading.anchors),
        repeats=repeats,
        withheld=(reading.crisis is not None and reading.crisis.category in KEPT_OUT) or talk.withheld,
    )


def stated_in(message: Message, reading: Reading) -> Stated:
    """What the person stated in ``message``, for recall: also what only its words' company suggests."""
    return Stated(
        message_id=message.id,
        position=message.position,
        statements=(*reading.statements, *reading.suggested),
        text=message.text,
    )


def carried(earlier: tuple[Stated, ...], talk: Talk) -> tuple[Stated, ...]:
    """What earlier conversations state, oldest first, when ``talk`` has ended and is one of them."""
    known = {each.message_id for each in talk.stated}
    return (*(each for each in earlier if each.message_id not in known), *talk.stated)


def lightened(talk: Talk) -> Talk:
    """The talk without what was read in its messages: they are in the store, to be read again."""
    return msgspec.structs.replace(talk, asked=(), stated=())


def read_again(talk: Talk, stored: Talk) -> Talk:
    """A lightened talk with what is read in its messages; ``stored`` is the talk as the store has it."""
    since = {each.id for each in talk.asked}
    earlier = (each for each in stored.asked if each.id not in since)
    asked = (*earlier, *talk.asked)[-MOST_ASKED:]
    return msgspec.structs.replace(talk, asked=asked, stated=carried(stored.stated, talk))


def answered(talk: Talk, answer: Message, *, anchors: tuple[str, ...], narrative: str | None) -> Talk:
    """The companion said something."""
    return msgspec.structs.replace(
        talk,
        last_position=answer.position,
        message_count=talk.message_count + 1,
        messages=(*talk.messages, answer)[-MOST_MESSAGES:],
        anchors=merged_anchors(talk.anchors, anchors),
        told=(*talk.told, narrative) if narrative else talk.told,
    )


def without(talk: Talk, messages: Iterable[str]) -> Talk:
    """The talk as if ``messages`` had not been said: they were refused by the store, or removed."""
    gone = set(messages)
    last = talk.messages[-len(gone) :] if gone else ()
    at_the_end = {each.id for each in last} == gone
    lost = last if at_the_end else [each for each in talk.messages if each.id in gone]
    stale = any(each.position <= talk.summary_covers for each in lost)
    cut = _without_the_last if at_the_end else _without
    return msgspec.structs.replace(
        talk,
        summary=None if stale else talk.summary,
        summary_covers=0 if stale else talk.summary_covers,
        summary_asked=0 if stale else talk.summary_asked,
        messages=cut(talk.messages, gone, lambda each: each.id),
        emotions=cut(talk.emotions, gone, lambda each: each.message),
        asked=cut(talk.asked, gone, lambda each: each.id),
        vectors=cut(talk.vectors, gone, lambda each: each[0]),
        stated=cut(talk.stated, gone, lambda each: each.message_id),
        repeats=tuple(_repeats_without(talk.repeats, gone)),
    )


def replaced(talk: Talk, messages: Sequence[str]) -> Talk:
    """The talk without ``messages``, of which it is kept that another answer has their place."""
    if not messages:
        return talk
    left = without(talk, messages)
    return msgspec.structs.replace(
        left,
        replaced=(*left.replaced, *messages)[-MOST_REPLACED:],
        other=talk.other if _said(left) == _said(talk) else _mentioned(_said(left)),
    )


def _said(talk: Talk) -> list[str]:
    return [each.text for each in talk.messages if each.role == "user"]


def _mentioned(said: Iterable[str]) -> str | None:
    """Whom the person mentions last in ``said``."""
    other: str | None = None
    for text in said:
        other = last_mentioned(text, other)
    return other


def _repeats_without(
    repeats: Iterable[tuple[str, str, int]], gone: AbstractSet[str]
) -> Iterator[tuple[str, str, int]]:
    """``repeats`` of what is left; those of a first message that is gone go back to the first that is left."""
    firsts: dict[str, str] = {}
    for message, earlier, count in repeats:
        first = firsts.get(earlier, message if earlier in gone else earlier)
        if first == message and message not in gone:
            firsts[earlier] = message
        elif message in gone and first != message:
            firsts[message] = first
        elif message not in gone:
            yield message, first, count


def _without(rows: tuple[Row, ...], gone: AbstractSet[str], of: Callable[[Row], str]) -> tuple[Row, ...]:
    """``rows``, but those of messages that are ``gone``."""
    return tuple([row for row in rows if of(row) not in gone])


def _without_the_last(
    rows: tuple[Row, ...], gone: AbstractSet[str], of: Callable[[Row], str]
) -> tuple[Row, ...]:
    """The same where nothing was said after what is gone: rows stand in the order of their messages."""
    kept = len(rows)
    while kept and of(rows[kept - 1]) in gone:
        kept -= 1
    return rows[:kept]


def before(talk: Talk, message: Message) -> Talk:
    """The talk as it was before ``message`` was said."""
    later = [each.id for each in talk.messages if each.position >= message.position]
    return without(talk, later)


def vector_of(talk: Talk, message: str) -> Sequence[float] | None:
    """The vector of a message, where there is one."""
    held = next((held for id_, held in talk.vectors if id_ == message), None)
    return None if held is None else memoryview(held).cast("f").tolist()


def similarities(talk: Talk, vector: Sequence[float] | None) -> list[float | None] | None:
    """How alike ``vector`` is to each of ``talk.asked``; None as a whole where there is nothing to compare."""
    if vector is None or not talk.vectors:
        return None
    alike = {id_: cosine(vector, held) for id_, held in talk.vectors}
    return [alike.get(each.id) for each in talk.asked]


def merged_anchors(held: tuple[str, ...], fresh: Iterable[str]) -> tuple[str, ...]:
    """Things named so far, the latest last, each once."""
    anchors = [*held]
    for anchor in fresh:
        if anchor in anchors:
            anchors.remove(anchor)
        anchors.append(anchor)
    return tuple(anchors[-MOST_ANCHORS:])


def emotion_row(message: str, reading: Reading) -> EmotionRow:
    """What was read in a message, as it is written down."""
    crisis = reading.crisis
    return EmotionRow(
        message=message,
        emotion=reading.emotion,
        intensity=reading.intensity,
        confidence=reading.confidence,
        distress=reading.distress,
        trajectory=reading.trajectory,
        flags=reading.flags,
        crisis_category=crisis.category if crisis else None,
        crisis_severity=crisis.severity if crisis else None,
        topics=reading.topics,
    )
