"""Whether the same thing was asked or said before, in these or other words.

Decides by several signals, the sure ones first: the same words; the same aspect of the same object (*where
is Tom*, *has Tom come yet*); nearly the same content words (Jaccard similarity over 0.6 as in the dementia
companion's storage design, section 4.1, here over concepts, so that synonyms count); vectors, when there
are any. A different object, tense or question word vetoes all but the first: *when is lunch* is not *when
is my daughter coming*.

That two messages are of one class alone never makes a repeat: *what time is it* is not *what year is it*.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import repeat

import msgspec

from memory.differences import about_other, apart, named_others, other_needs
from memory.frames import Ask
from memory.phrasing import beginning, normalised
from memory.questions import SOMEBODY, Question, read_question
from memory.vocabulary import manners

SIMILAR_WORDS = 0.6
SIMILAR_CONCEPTS = 0.5
SIMILAR_VECTORS = 0.82
SAME_MATTER = 0.2
_LONG = 240  # characters of a text that is not normalised as a whole when it begins like no earlier one

# Matters that are others when somebody else, or something else, is meant; when they are past; when they are not
# one's own.
_OF_SOMEBODY = frozenset(
    (
        "visit_when_person",
        "alive",
        "person_well",
        "phone_person",
        "person_called",
        "told_person",
        "you_family",
    )
)
_OF_SOMETHING = frozenset(("find_thing", "pet", "pain"))
_OF_A_TIME = frozenset(
    (
        "meal_what",
        "hungry",
        "thirsty",
        "plans",
        "what_do",
        "whats_happening",
        "weather",
        "frightened",
        "cold",
        "hot",
        "alone",
        "unwell",
    )
)
_OF_ONESELF = frozenset(
    (
        "hungry",
        "thirsty",
        "cold",
        "hot",
        "pain",
        "unwell",
        "frightened",
        "tablets",
        "bed",
        "no_sleep",
        "toilet",
    )
)


# Aspects of which the learned reading has a matter of its own: alone their patterns join what only shares a word
# ("which day does she come", "is it Saturday"), so it must see a matter that both raise.
_LEARNED_TOO = frozenset(
    (
        "clock",
        "day",
        "do_now",
        "go_home",
        "house_worry",
        "meal_had",
        "money",
        "scared",
        "toilet",
        "whats_up",
    )
)
# Matters in which somebody is named who is not asked for: a call is not a visit.
_NO_VISIT = frozenset(("phone_person", "you_family"))
_OF_HOME = frozenset(("go_home", "leave_here", "bills", "money"))
_OF_ANOTHER = frozenset(("of_another",))
_OF_ONESELF_ASKED = frozenset(
    (
        "hungry",
        "thirsty",
        "tea",
        "tablets_taken",
        "thing",
        "go_home",
        "cold",
        "hot",
        "bedtime",
        "meal_had",
        "toilet",
        "money",
        "pain",
    )
)
_WHO = frozenset(("who_me", "who_you", "who_that"))
_PRESENCE = frozenset((SOMEBODY.aspect,))
_NOT_DOUBTED: frozenset[str] = frozenset()


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
    question = _resolved(_with_names(question, text, earlier), earlier)
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


def _same(one: Question, other: Question, similarity: float | None) -> bool:
    if one.owners != other.owners or not one.asides ^ other.asides <= _OF_ANOTHER:
        return False
    shared = one.matters.keys() & other.matters.keys()
    if not one.aspects.isdisjoint(other.aspects) and _same_aspect(one, other, shared):
        return True
    if shared and _same_matter(one, other, shared):
        return True
    if similarity is not None and similarity >= SIMILAR_VECTORS:
        return not about_other(one, other)
    if one.content.isdisjoint(other.content) and one.words.isdisjoint(other.words):
        return False
    return (_alike(one, other) or _same_need(one, other)) and not _vetoed(one, other)


def _same_aspect(one: Question, other: Question, shared: AbstractSet[str]) -> bool:
    """Whether both fit a pattern of the same aspect, and the learned reading does not speak against it."""
    doubted = _NOT_DOUBTED if shared else _doubted(one, other)
    if one.asides != other.asides:
        doubted |= _OF_ONESELF_ASKED
    for mine in one.asks:
        if mine.aspect in doubted or mine.aspect not in other.aspects:
            continue
        for theirs in other.asks:
            if (
                mine.aspect == theirs.aspect
                and mine.past == theirs.past
                and _same_objects(mine, theirs)
                and (mine.objects or theirs.objects or not named_others(one, other))
            ):
                return True
    return False


def _doubted(one: Question, other: Question) -> frozenset[str]:
    """The aspects whose patterns do not count for two messages that share no matter."""
    return _LEARNED_TOO | _PRESENCE if _no_visit(one) != _no_visit(other) else _LEARNED_TOO


def _no_visit(question: Question) -> frozenset[str]:
    return frozenset(matter for matter in _NO_VISIT if question.matters.get(matter, 0) > SAME_MATTER)


def _same_matter(one: Question, other: Question, shared: AbstractSet[str]) -> bool:
    """Whether both likely raise the same everyday matter, of those they share, of the same one or thing."""
    ones, others = one.aspects & _WHO, other.aspects & _WHO
    if len(ones) == len(others) == 1 and ones != others:
        return False
    ours, theirs = one.matters, other.matters
    return any(
        ours[matter] * theirs[matter] > SAME_MATTER and _compatible(one, other, matter) for matter in shared
    )


def _compatible(one: Question, other: Question, matter: str) -> bool:
    """Whether nothing tells two messages of one matter apart: another person, another thing, another time."""
    if apart(one.persons, other.persons) or apart(one.switches, other.switches) or named_others(one, other):
        return False
    if matter in _OF_SOMEBODY and bool(one.persons) != bool(other.persons):
        return False
    if one.asides != other.asides and matter in _OF_ONESELF | _OF_HOME:
        return False
    if matter in _OF_ONESELF and (_of_another(one) or _of_another(other)):
        return False
    if matter in _OF_SOMETHING and (
        apart(one.things, other.things) or bool(one.things) != bool(other.things)
    ):
        return False
    return matter not in _OF_A_TIME or (one.tense == "past") == (other.tense == "past")


def _of_another(question: Question) -> bool:
    """Whether somebody else is spoken of, not asked for: *my brother was always hungry*."""
    return bool(question.persons) and not question.asked


def _same_need(one: Question, other: Question) -> bool:
    """Whether both want or miss something of the same thing, one of them in words no frame knows."""
    return (
        one.needs
        and other.needs
        and not (one.asks and other.asks)
        and not one.possessions.isdisjoint(other.possessions)
        and one.persons == other.persons
        and not other_needs(one.content, other.content)
        and {one.word, other.word} <= {"", "where", "who"}
    )


def _alike(one: Question, other: Question) -> bool:
    return (
        _overlap(one.words, other.words) > SIMILAR_WORDS
        or _overlap(one.content, other.content) > SIMILAR_CONCEPTS
    )


def _same_objects(one: Ask, other: Ask) -> bool:
    if not one.objects and not other.objects:
        return True
    if not one.objects or not other.objects:
        return one.loose
    return not one.objects.isdisjoint(other.objects)


def _vetoed(one: Question, other: Question) -> bool:
    """Whether two messages of like words are about someone, something or some time else."""
    return (
        about_other(one, other)
        or (one.negated != other.negated and not (one.needs and other.needs))
        or (one.asked != other.asked and not (one.needs and other.needs))
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
