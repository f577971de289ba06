"""How messages are cut before their statements are read, as data (``statements_reading.toml``)."""

import re
from functools import cache

import msgspec

from memory import data


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table: contractions, and words and patterns by which sentences are cut and judged."""

    contractions: dict[str, str]
    idioms: tuple[str, ...]
    material: str
    breaks: str
    joins: str
    starters: str
    leads: str
    leads_and: str
    opens: str
    others: str
    opens_other: str
    goes_on: str
    nouns_with_capitals: str
    asking_cues: str
    asking: str
    asking_marked: str
    supposing_cues: str
    supposing: str
    fiction_cues: str
    fiction: str


class Breaks(msgspec.Struct, frozen=True):
    """The words at which a sentence is cut, and those that hold it together; ``marks``: all that may cut it."""

    marks: frozenset[str]
    always: frozenset[str]
    joins: frozenset[str]
    before: frozenset[str]
    leads: frozenset[str]
    leads_and: frozenset[str]
    opens: frozenset[str]
    others: frozenset[str]
    opens_other: frozenset[str]
    goes_on: frozenset[str]


@cache
def reading() -> Reading:
    """How messages are cut, read on first use."""
    found: Reading = data.table("statements_reading.toml", Reading)
    return found


@cache
def breaks() -> Breaks:
    """Where sentences are cut."""
    source = reading()
    return Breaks(
        frozenset((*source.breaks.split(), *source.joins.split())),
        frozenset(source.breaks.split()),
        frozenset(source.joins.split()),
        frozenset(source.starters.split()),
        frozenset(source.leads.split()),
        frozenset(source.leads_and.split()),
        frozenset(source.opens.split()),
        frozenset(source.others.split()),
        frozenset(source.opens_other.split()),
        frozenset(source.goes_on.split()),
    )


@cache
def cues(name: str) -> frozenset[str]:
    """The words one of which must be there for a pattern to be tried."""
    source = reading()
    listed = {
        "asking": source.asking_cues,
        "supposing": source.supposing_cues,
        "fiction": source.fiction_cues,
        "capitals": source.nouns_with_capitals,
    }[name]
    return frozenset(listed.split())


_OPENING = r"(?:(?:and|but|so|well|und|y|also|ok|okay|hey|hi) ,? ?)*"


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern of the table, compiled on first use; all but ``material`` are for text in lower case."""
    source = reading()
    text = {
        "material": f"(?i:{source.material})",
        "supposing": rf"\b(?:{source.supposing})\b",
        "fiction": rf"\b(?:{source.fiction})\b",
        "asking": rf"{_OPENING}(?:{source.asking})\b",
        "asking_marked": rf"{_OPENING}(?:{source.asking_marked})\b",
        "idioms": r"\b(?:" + "|".join(source.idioms) + r")(?!\w)",
    }[name]
    return re.compile(text)
