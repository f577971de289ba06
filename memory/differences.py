"""What tells two messages apart that are otherwise alike: another person, another thing, another time.

A false repeat harms most: somebody is answered as one who asked this before, and did not.
"""

from collections.abc import Sequence
from typing import Final

from memory.questions import Question
from memory.vocabulary import opposites

# Persons who may be any of those that the other message names, what may be any of its kind, and what has two names.
_SEVERAL: Final = frozenset(("children", "girls", "boys", "family", "parents", "grandchildren", "everyone"))
_WIDE: Final[frozenset[str]] = frozenset(("food", "house"))
_ONE_OF_TWO: Final[Sequence[frozenset[str]]] = (
    frozenset(("lunch", "dinner")),
    frozenset(("watch", "clock")),
    frozenset(("money", "papers")),
    frozenset(("money", "purse")),
)


def about_other(one: Question, other: Question) -> bool:
    """Whether two messages name different objects, times or questions: no likeness makes them the same."""
    return (
        (one.tense == "past") != (other.tense == "past")
        or bool(one.word and other.word and one.word != other.word)
        or _opposed(one.content, other.content)
        or apart(one.persons, other.persons)
        or apart(one.things, other.things)
        or apart(one.switches, other.switches)
        or bool(one.asks and other.asks)
    )


def apart(ones: frozenset[str], others: frozenset[str]) -> bool:
    """Whether both name something and nothing of it is the same."""
    return bool(ones and others) and ones.isdisjoint(others)


def _opposed(ones: frozenset[str], others: frozenset[str]) -> bool:
    return any(
        (one in ones and other in others and other not in ones)
        or (other in ones and one in others and one not in ones)
        for one, other in opposites()
    )


def named_others(one: Question, other: Question) -> bool:
    """Whether two messages name somebody or something else each, where what they ask names nothing itself.

    A door is not a window, a breakfast not a supper; but the children may be a daughter, and food is any meal.
    """
    if apart(one.persons, other.persons) and _SEVERAL.isdisjoint(one.persons | other.persons):
        return True
    if not one.objects.isdisjoint(other.objects):
        return False
    return any(
        mine.kind == theirs.kind
        and _WIDE.isdisjoint((mine.concept, theirs.concept))
        and frozenset((mine.concept, theirs.concept)) not in _ONE_OF_TWO
        for mine in one.objects
        for theirs in other.objects
    )
