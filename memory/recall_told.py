"""What a message of the person tells, as it is held for a recall: heard by its words' like, beside what rules read.

Each message that tells something of the person has one statement more, which says how likely it tells of what
(`memory.recall_heard`). A recall fills with it the places that its rules leave, and knows by it what is a change and
what is somebody else's.
"""

from collections.abc import Mapping, Sequence
from math import hypot, log, sqrt
from typing import Final

from memory.once import once
from memory.recall_heard import CHANGES, LONGEST, MATTERS, OTHERS, told
from memory.recall_ties import times_in, tying
from memory.statements_kinds import Statement
from memory.statements_rules import TURNING
from memory.text import sentences

OVERHEARD: Final = "heard"
"""The attribute of a statement that says what a whole message likely tells of; of no kind of its own."""
_LEAST: Final = 0.1  # the chance of a matter that counts
CHANGED: Final = 0.1  # from here on a message may tell a change
OF_ANOTHER: Final = 0.4  # from here on a message tells of somebody else
_PERCENT: Final = 100
_SURE: Final = 0.01  # nothing is surer than this leaves open


def overheard(text: str, read: Sequence[Statement] = ()) -> tuple[Statement, ...]:
    """What ``text`` likely tells of the person that lasts or has changed, as one statement for a recall; questions tell
    nothing.

    Where something was ``read`` in it by rules, also that it likely tells of somebody else, or of nothing that lasts.
    """
    plain = " ".join(sentence for sentence in sentences(text[:LONGEST]) if not sentence.endswith("?"))
    if not plain:
        return ()
    chances = told(plain)
    lasts = chances[CHANGES] >= CHANGED or any(chances[each] >= _LEAST for each in MATTERS)
    if not read and (chances[OTHERS] >= OF_ANOTHER or not lasts):
        return ()
    others = {one.subject: None for one in read}
    about = "user" if not others or "user" in others else next(iter(others))
    return (Statement("strategy", as_value(chances), about, attribute=OVERHEARD),)


def as_value(chances: Mapping[str, float]) -> str:
    """What was heard, as the value of a statement."""
    return " ".join(f"{each}={round(chances[each] * _PERCENT)}" for each in (*MATTERS, OTHERS, CHANGES))


def heard_in(statement: Statement) -> dict[str, float]:
    """The chances that were heard: of each of `MATTERS`, of somebody else, and of a change."""
    pairs = (part.partition("=") for part in statement.value.split())
    return {name: int(percent) / _PERCENT for name, _, percent in pairs}


def turns(statement: Statement) -> bool:
    """Whether a statement only says that something earlier was given up, replaced or healed."""
    return statement.attribute in TURNING


def is_read(statement: Statement) -> bool:
    """Whether a rule says what a statement is: it is not only heard, and does not only say of a change."""
    return statement.attribute != OVERHEARD and not turns(statement)


def surely(chance: float) -> float:
    """How much a chance tells: nothing where it is even."""
    open_ended = min(max(chance, _SURE), 1 - _SURE)
    return log(open_ended / (1 - open_ended))


NEVER: Final = surely(0.0)


class Told:
    """What a message tells: how likely a change, of somebody else, and of each of `MATTERS`; and its words, which are
    looked at when they are first asked for.
    """

    def __init__(self, heard: Mapping[str, float], text: str) -> None:
        self.change = heard.get(CHANGES, 0.0)
        self.other = heard.get(OTHERS, 0.0)
        self.chances = tuple(heard.get(matter, 0.0) for matter in MATTERS)
        self._text = text[:LONGEST]

    @once
    def lasting(self) -> tuple[float, ...]:
        """How likely it tells of each of `MATTERS`, where that counts; of somebody else's, nothing."""
        if self.other >= OF_ANOTHER:
            return (0.0,) * len(MATTERS)
        return tuple(chance if chance >= _LEAST else 0.0 for chance in self.chances)

    @once
    def matters(self) -> tuple[float, ...]:
        """Of how much of what it tells each matter is."""
        length = hypot(*self.chances) or 1.0
        return tuple(each / length for each in self.chances)

    @once
    def words(self) -> tuple[frozenset[str], float]:
        """The words that tie it to others, and what one of them that is shared counts on this side."""
        found = tying(self._text)
        return found, 1 / sqrt(1 + len(found))

    @once
    def times(self) -> frozenset[str]:
        """The kinds of times that it names."""
        return times_in(self._text)

    def is_news(self) -> bool:
        """Whether it may be the latest word on anything: it may tell a change, and of the person."""
        return self.change >= CHANGED and self.other < OF_ANOTHER


def told_in(text: str, statements: Sequence[Statement]) -> Told:
    """What a message tells, by what was heard in it."""
    heard = next((one for one in statements if one.attribute == OVERHEARD), None)
    return Told(heard_in(heard) if heard is not None else {}, text)
