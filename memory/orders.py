"""Orders to remember or to forget that a person gives in the talk: "remember that I sing", "forget my address".

An order is a sentence that begins with one. "Do you remember that song?" asks, "I forget things" tells, a quotation
is another's word; none of them is an order. What is to be remembered is the person's own words and stays that:
data, whatever it says. Patterns are data (``orders.toml``).
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal, TypeAlias

import msgspec

from memory import data
from memory.text import sentences

Wanted: TypeAlias = Literal["remember", "forget"]
MOST_ORDERS = 5  # of one message
MOST_CHARS = 500  # of what is meant


class Order(msgspec.Struct, frozen=True):
    """What the person wants kept, or forgotten, in their words."""

    wanted: Wanted
    text: str


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    opening: str
    asking: str
    clause: str
    remember: tuple[str, ...]
    remember_this: tuple[str, ...]
    forget: tuple[str, ...]
    idioms: str


class _Patterns(msgspec.Struct, frozen=True):
    may_be: re.Pattern[str]
    remember: tuple[re.Pattern[str], ...]
    this: tuple[re.Pattern[str], ...]
    forget: tuple[re.Pattern[str], ...]
    idiom: re.Pattern[str]


_CUES = (
    r"remember|memori|forget|note|mind|save|store|write down|delete|remove|erase"
    r"|merk|vergiss|denke? (?:bitte )?d|notier|behalt|recuerd|acuérd|olvid|anota|ten en"
)


@cache
def _patterns() -> _Patterns:
    table: _Table = data.table("orders.toml", _Table)
    begin = f"^{table.opening}{table.asking}(?:please |bitte )?"

    def made(sources: Sequence[str], end: str) -> tuple[re.Pattern[str], ...]:
        filled = (source.replace("CLAUSE", table.clause) for source in sources)
        return tuple(re.compile(f"{begin}(?:{source}){end}", re.IGNORECASE | re.DOTALL) for source in filled)

    return _Patterns(
        may_be=re.compile(_CUES, re.IGNORECASE),
        remember=made(table.remember, r"\s*$"),
        this=made(table.remember_this, r"[\s.!,]*$"),
        forget=made(table.forget, r"[\s.!?]*$"),
        idiom=re.compile(rf"{table.idioms}[\s.!]*", re.IGNORECASE),
    )


def read_orders(text: str) -> tuple[Order, ...]:
    """The orders of a message, in the order given."""
    if _patterns().may_be.search(text[:2_000]) is None:
        return ()
    found = list(_orders(sentences(text)))
    return tuple(each for each in found if each.text)[:MOST_ORDERS]


def _orders(said: Sequence[str]) -> Iterator[Order]:
    for at, sentence in enumerate(said):
        plain = " ".join(sentence.replace("’", "'").split())
        meant = _first(_patterns().remember, plain)
        if meant is not None and not _asks(plain):
            yield Order("remember", _clean(meant))
        elif any(pattern.match(plain) for pattern in _patterns().this):
            yield Order("remember", _clean(said[at - 1]) if at else "")
        elif not _asks(plain):
            gone = _first(_patterns().forget, plain)
            if gone is not None and _patterns().idiom.fullmatch(gone) is None:
                yield Order("forget", _clean(gone))


def _first(patterns: Sequence[re.Pattern[str]], sentence: str) -> str | None:
    for pattern in patterns:
        match = pattern.match(sentence)
        if match is not None:
            return match["v"]
    return None


def _asks(sentence: str) -> bool:
    """A question, unless it is how one asks for something to be done."""
    if not sentence.rstrip().endswith("?"):
        return False
    return re.match(r"(?:can|could|will|would|kannst|könntest)\b", sentence, re.IGNORECASE) is None


def _clean(text: str) -> str:
    return text.strip(" \t\n\"'“”„«».!?,;:")[:MOST_CHARS].strip()
