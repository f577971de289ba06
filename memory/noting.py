"""A note on a lesson and its evaluation: read strictly out of a model's answer, or made of what can be counted.

A note goes to the parents (tutor document, Parent Notes Flow): brief, positive, practical. Nothing private goes into
it and nothing the student said word for word, whatever a model writes; and without a model only figures do.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise

import msgspec

from memory.data import table
from memory.loose_json import Json, list_of, loose_json, words_of
from memory.messages import Message
from memory.text import sentences, words
from memory.topics import read_topics

MOST_HIGHLIGHTS = 3
MOST_CONCERNS = 2
MOST_SUGGESTIONS = 3
SUMMARY_SENTENCES = 3
SUMMARY_CHARS = 500
LINE_CHARS = 160
QUOTED_WORDS = 5  # so many words of the student's in a row are a quotation
LONG_LESSON = 6  # messages of the student
PAUSE_MS = 15 * 60_000  # a longer one is none of the lesson, nor is a clock that jumped
_NOT_PLAIN = re.compile(r"https?://|www\.|[<>{}`\[\]\"“”„«»]|\bm\d+\b", re.IGNORECASE)


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """What the parents are told of a lesson."""

    summary: str
    highlights: tuple[str, ...] = ()
    concerns: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """A lesson as an experienced teacher would judge it: 1 to 5 each, None where it cannot be told."""

    engagement: int | None = None
    understanding: int | None = None
    strengths: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()


class _OwnNote(msgspec.Struct, frozen=True):
    summary: str
    asked: str
    stayed: str
    learned: str
    suggestions: tuple[str, ...]


class _OwnEvaluation(msgspec.Struct, frozen=True):
    asked: str
    stayed: str
    learned: str
    next_steps: tuple[str, ...]


class _Reading(msgspec.Struct, frozen=True):
    private: frozenset[str]
    words: frozenset[str]


class _Table(msgspec.Struct, frozen=True):
    note: _OwnNote
    evaluation: _OwnEvaluation
    reading: _Reading


@cache
def _table() -> _Table:
    found: _Table = table("notes.toml", _Table)
    return found


def minutes_of(messages: Sequence[Message]) -> int:
    """How long a lesson was: the time between its messages, long pauses and jumps of the clock left out; at least 1."""
    times = [each.at for each in messages]
    steps = (after - before for before, after in pairwise(times))
    return max(1, round(sum(step for step in steps if 0 <= step <= PAUSE_MS) / 60_000))


class Plainness:
    """What may be told of a lesson: nothing private, no quotation of the student, no mark-up, no address."""

    def __init__(self, said: Sequence[str], private: Callable[[str], bool]) -> None:
        self._said = {run for text in said for run in _runs(words(text))}
        self._private = private

    def line(self, text: str, *, home: bool = False) -> bool:
        """Whether ``text`` may be told; ``home``: it may name the family."""
        if not text or _NOT_PLAIN.search(text) or self._private(text):
            return False
        reading, told = _table().reading, words(text)
        topics = set(read_topics(text)) - ({"family"} if home else set())
        secret = topics & reading.private or reading.words & set(told)
        return not secret and self._said.isdisjoint(_runs(told))


def _runs(said: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for at in range(len(said) - QUOTED_WORDS + 1):
        yield tuple(said[at : at + QUOTED_WORDS])


def read_note(answer: str, plain: Plainness) -> Note | None:
    """The note in a model's answer, without what may not be told; None where no summary is left."""
    found = loose_json(answer)
    if not isinstance(found, dict):
        return None
    told = [
        each for each in sentences(words_of(found.get("summary"), most=SUMMARY_CHARS)) if plain.line(each)
    ]
    if not told:
        return None
    return Note(
        summary=" ".join(told[:SUMMARY_SENTENCES]),
        highlights=_lines(found.get("highlights"), plain, MOST_HIGHLIGHTS),
        concerns=_lines(found.get("concerns"), plain, MOST_CONCERNS),
        suggestions=_lines(found.get("suggestions"), plain, MOST_SUGGESTIONS, home=True),
    )


def _lines(value: Json, plain: Plainness, most: int, *, home: bool = False) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(each for each in list_of(value, chars=LINE_CHARS) if plain.line(each, home=home))[:most]


def own_note(subject: str, messages: Sequence[Message], *, learned: bool) -> Note:
    """A note of what can be counted in a lesson."""
    own = _table().note
    return Note(
        summary=own.summary.format(length=_length(minutes_of(messages)), subject=subject),
        highlights=_shown(own, messages, learned=learned),
        suggestions=own.suggestions,
    )


def _length(minutes: int) -> str:
    return f"{minutes} minute{'' if minutes == 1 else 's'}"


def read_evaluation(answer: str, plain: Plainness) -> Evaluation | None:
    """The evaluation in a model's answer; None where it judges nothing."""
    found = loose_json(answer)
    if not isinstance(found, dict):
        return None
    made = Evaluation(
        engagement=_score(found.get("engagement")),
        understanding=_score(found.get("understanding")),
        strengths=_lines(found.get("strengths"), plain, MOST_HIGHLIGHTS),
        next_steps=_lines(found.get("next_steps"), plain, MOST_SUGGESTIONS, home=True),
    )
    return made if made != Evaluation() else None


def _score(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 5 else None


def own_evaluation(messages: Sequence[Message], *, learned: bool) -> Evaluation:
    """What can be told of a lesson by counting: how much the student took part, and nothing of what they know."""
    own = _table().evaluation
    said = sum(each.role == "user" for each in messages)
    return Evaluation(
        engagement=min(5, 1 + said // 3) if said else None,
        strengths=_shown(own, messages, learned=learned),
        next_steps=own.next_steps,
    )


def _shown(own: _OwnNote | _OwnEvaluation, messages: Sequence[Message], *, learned: bool) -> tuple[str, ...]:
    said = [each.text for each in messages if each.role == "user"]
    shown = {
        own.asked: any("?" in text for text in said),
        own.stayed: len(said) >= LONG_LESSON,
        own.learned: learned,
    }
    return tuple(text for text, holds in shown.items() if holds)
