"""The value of a statement: the words that name what is loved, taken, hurt or wanted, and no more."""

import re
from functools import cache

import msgspec

from memory import data
from memory.expressions import Expression

_MOST_WORDS = 9
_LIST = Expression(r" ?, (?:and |or |und |oder |y |o )?| (?:and|or|und|oder|sowie|plus|y|e|ni|nor) ")


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    stops: str
    before: str
    after: str
    nothing: str


_STOPS, _AFTER = 1, 2
ALL = -1
"""Any of the patterns may be in a value."""


def sources() -> tuple[str, ...]:
    """The patterns of where a value ends, and of what is taken off its end."""
    table = data.table("statements_values.toml", _Table)
    return table.stops, table.after


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    table = data.table("statements_values.toml", _Table)
    return (
        re.compile(rf" ?(?:, )?\b(?:{table.stops})\b.*"),
        re.compile(rf"(?:(?:{table.before}) )+"),
        re.compile(rf"(?:[ ,]+(?:{table.after}))+[ ,]*$"),
        re.compile(rf"^(?:{table.nothing})$"),
    )


def cleaned(value: str, values: int = ALL) -> str:
    """``value`` without what follows it, filler words and determiners.

    ``values`` says by a bit each which of `sources` can be in it at all.
    """
    stops, before, after, _ = _patterns()
    value = f" {value.strip(' ,…-')} "
    if values & _STOPS and (stop := stops.search(value)):
        value = value[: stop.start()]
    value = f"{value.strip(' ,…-&')} "
    if first := before.match(value):
        value = value[first.end() :]
    value = value.strip()
    if values & _AFTER and (last := after.search(f" {value}")):
        value = value[: max(0, last.start() - 1)]
    return " ".join(value.strip(" ,").split()[:_MOST_WORDS])


def is_nothing(value: str) -> bool:
    """Whether ``value`` says that there is nothing ("none", "not really")."""
    return bool(_patterns()[3].match(value))


def parts(value: str, values: int = ALL) -> list[str]:
    """The items of a list ("eggs, nuts and milk"), each cleaned; at most eight."""
    found = [clean for item in _LIST.split(value) if (clean := cleaned(item, values))]
    return found[:8]


def said_as(value: str, sentence: str) -> str:
    """``value`` with the capitals it has in ``sentence``, when it stands there so."""
    at = sentence.lower().find(value)
    if at < 0 or len(sentence.lower()) != len(sentence):
        return value
    return sentence[at : at + len(value)]
