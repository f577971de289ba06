"""The value of a statement: the words that name what is loved, taken, hurt or wanted, and no more."""

import re
from functools import cache

import msgspec

from memory import data

_MOST_WORDS = 9
_LIST = re.compile(r" ?, (?:and |or |und |oder |y |o )?| (?:and|or|und|oder|sowie|plus|y|e|ni|nor) ")


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    stops: str
    before: str
    after: str
    nothing: str


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    table = data.table("statements_values.toml", _Table)
    return (
        re.compile(rf" ?(?:, )?\b(?:{table.stops})\b.*"),
        re.compile(rf"^(?:(?:{table.before}) )+"),
        re.compile(rf"(?:[ ,]+(?:{table.after}))+[ ,]*$"),
        re.compile(rf"^(?:{table.nothing})$"),
    )


def cleaned(value: str) -> str:
    """``value`` without what follows it, filler words and determiners."""
    stops, before, after, _ = _patterns()
    value = stops.sub("", f" {value.strip(' ,…-')} ").strip(" ,…-&")
    value = before.sub("", f"{value} ").strip()
    value = after.sub("", f" {value}").strip(" ,")
    return " ".join(value.split()[:_MOST_WORDS])


def is_nothing(value: str) -> bool:
    """Whether ``value`` says that there is nothing ("none", "not really")."""
    return bool(_patterns()[3].match(value))


def parts(value: str) -> list[str]:
    """The items of a list ("eggs, nuts and milk"), each cleaned; at most eight."""
    found = [clean for item in _LIST.split(value) if (clean := cleaned(item))]
    return found[:8]


def said_as(value: str, sentence: str) -> str:
    """``value`` with the capitals it has in ``sentence``, when it stands there so."""
    at = sentence.lower().find(value)
    if at < 0 or len(sentence.lower()) != len(sentence):
        return value
    return sentence[at : at + len(value)]
