"""Whether the same thing was asked or said before, in these or other words.

Decides by several signals, the sure ones first: the same words; what is learned of messages that raise a matter or
fit a pattern together (`memory.alike`); nearly the same words (Jaccard similarity over 0.6 as in the dementia
companion's storage design, section 4.1); vectors, when there are any. Another person or thing, or somebody
else's, vetoes all but the first: *when is lunch* is not *when is my daughter coming*.

That two messages are of one class alone never makes a repeat: *what time is it* is not *what year is it*.
"""

from collections.abc import Sequence
from functools import cache
from itertools import repeat

import msgspec

from memory.alike import chance
from memory.differences import about_other, apart, named_others
from memory.frames import Ask
from memory.phrasing import beginning, normalised
from memory.questions import Question, read_question
from memory.vocabulary import manners

SIMILAR_WORDS = 0.6
SIMILAR_VECTORS = 0.82
LIKELY_SAME = 0.7
_LONG = 240  # characters of a text that is not normalised as a whole when it begins like no earlier one
_OF_ANOTHER = frozenset(("of_another",))


class Asked(msgspec.Struct, frozen=True):
    """A message of the person as it is kept for comparison: its id, what it asks, its normalised text."""

    id: str
    question: Question
    text: str


class Repeat(msgspec.Struct, frozen=True):
    """Which earlier messages asked the same, oldest first (D14)."""

    all: tuple[str, ...] = ()

    @property
    def of(self) -> str | None:
        """The first of them: where it began, and the likeliest of several to be the same question."""
        return self.all[0] if self.all else None

    @property
    def count(self) -> int:
        """How many they are."""
        return len(self.all)


def asked(message: str, text: str) -> Asked:
    """``text`` of the message with the id ``message``, ready to be compared with."""
    return Asked(message, read_question(text), normalised(text))


def find_repeat(
    question: Question,
    text: str,
    earlier: Sequence[Asked],
    similarities: Sequence[float | None] | None = None,
) -> Repeat:
    """Which of ``earlier`` (oldest first) ask what ``question``, read from ``text``, asks.

    ``similarities``, when there are vectors, are the cosines of the message with each of ``earlier`` in
    the same order; None where one has no vector. Greetings, thanks and the like never repeat.
    """
    if not earlier:
        return Repeat()
    plain = _as_said(text, earlier)
    if not plain or plain in manners():
        return Repeat()
    question = in_context(question, text, earlier)
    near = similarities if similarities is not None else repeat(None, len(earlier))
    unlike = question.touches.isdisjoint
    same = (
        other.id
        for other, similarity in zip(earlier, near, strict=True)
        if plain == other.text
        or (
            (similarity is not None or not unlike(other.question.touches))
            and _same(question, other.question, similarity)
        )
    )
    return Repeat(tuple(same))


def _as_said(text: str, earlier: Sequence[Asked]) -> str:
    """``text`` normalised; of a long one that begins unlike all others only the beginning, which is like none."""
    if len(text) > _LONG:
        begun = beginning(text)
        alike = [other.text for other in earlier if other.text.startswith(begun)]
        if len(begun) > _longest_manner() and not alike:
            return begun
    return normalised(text)


@cache
def _longest_manner() -> int:
    return max(map(len, manners()))


def comparable(one: Question, other: Question) -> bool:
    """Whether what is learned says if they are the same: they raise a matter, or fit a pattern, together, and neither
    is of somebody or something else.
    """
    return (
        not (one.aspects.isdisjoint(other.aspects) and one.matters.keys().isdisjoint(other.matters))
        and _of_one(one, other)
        and not named_others(one, other)
        and not apart(one.switches, other.switches)
    )


def in_context(question: Question, text: str, earlier: Sequence[Asked]) -> Question:
    """``question``, read from ``text``, with the names and relations that ``earlier`` messages told."""
    return _resolved(_with_names(question, text, earlier), earlier)


def _same(one: Question, other: Question, similarity: float | None) -> bool:
    if comparable(one, other) and chance(one, other) > LIKELY_SAME:
        return True
    if similarity is not None and similarity >= SIMILAR_VECTORS:
        return _of_one(one, other) and not about_other(one, other)
    return _overlap(one.words, other.words) > SIMILAR_WORDS and not _vetoed(one, other)


def _of_one(one: Question, other: Question) -> bool:
    """Whether both are of the person's own or both of another's, and neither alone a tale or a remark."""
    return one.owners == other.owners and one.asides ^ other.asides <= _OF_ANOTHER


def _vetoed(one: Question, other: Question) -> bool:
    """Whether two messages of like words are about someone, something or some time else."""
    return (
        not _of_one(one, other)
        or about_other(one, other)
        or one.negated != other.negated
        or one.asked != other.asked
        or bool(one.persons) != bool(other.persons)
        or bool(one.things) != bool(other.things)
    )


def _overlap(ones: frozenset[str], others: frozenset[str]) -> float:
    """The Jaccard similarity of two sets; 0 when they share nothing."""
    both = len(ones & others)
    return both / (len(ones) + len(others) - both) if both else 0.0


def _with_names(question: Question, text: str, earlier: Sequence[Asked]) -> Question:
    """``question``; if it begins with a name that no table knows and an earlier message has, read with that name."""
    named = frozenset[str]().union(*[other.question.persons for other in earlier])
    known = (named & question.words) - question.persons
    return read_question(text, known) if known else question


def _resolved(question: Question, earlier: Sequence[Asked]) -> Question:
    """``question`` with *she* and *my sister* read as the Ruth that was named before."""
    persons = question.persons
    for other in earlier:
        if len(other.question.persons) == 2 and not persons.isdisjoint(other.question.persons):
            persons |= other.question.persons
    if persons != question.persons:
        asks = tuple(
            _widened(ask, persons) if ask.objects <= question.persons else ask for ask in question.asks
        )
        return msgspec.structs.replace(question, persons=persons, asks=asks)
    return question


def _widened(ask: Ask, persons: frozenset[str]) -> Ask:
    return msgspec.structs.replace(ask, objects=persons) if ask.objects else ask
