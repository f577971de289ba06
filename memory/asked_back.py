"""Whether a person asks for what they told: a question about themselves that their own words answer.

Whole questions only: whoever asks what to do about their work does not ask what it is.
"""

import re
from functools import cache

import msgspec

from memory.data import table
from memory.text import folded

LONGEST = 90  # characters of such a question


class AskedBack(msgspec.Struct, frozen=True):
    """What is asked for: facts ``about`` attributes or kinds; all there are; or a summary of the talk."""

    about: frozenset[str] = frozenset()
    everything: bool = False
    summary: bool = False


class _Table(msgspec.Struct, frozen=True):
    before: str
    after: str
    everything: str
    summary: str
    named: str
    about: dict[str, str]


class _Patterns(msgspec.Struct, frozen=True):
    everything: re.Pattern[str]
    summary: re.Pattern[str]
    named: re.Pattern[str]
    about: dict[str, re.Pattern[str]]


@cache
def _patterns() -> _Patterns:
    found: _Table = table("asked_back.toml", _Table)

    def whole(pattern: str) -> re.Pattern[str]:
        return re.compile(f"{found.before}(?:{pattern}){found.after}")

    return _Patterns(
        everything=whole(found.everything),
        summary=whole(found.summary),
        named=whole(found.named),
        about={name: whole(pattern) for name, pattern in found.about.items()},
    )


def asked_back(text: str) -> AskedBack | None:
    """What of their own words the person asks for in ``text``; None when they ask for something else."""
    if len(text) > LONGEST:
        return None
    asked, patterns = folded(text).rstrip(" .?!…"), _patterns()
    if patterns.summary.fullmatch(asked):
        return AskedBack(summary=True)
    if patterns.everything.fullmatch(asked):
        return AskedBack(everything=True)
    about = {name for name, pattern in patterns.about.items() if pattern.fullmatch(asked)}
    if not about and (named := patterns.named.fullmatch(asked)):
        about = {(named[1] or named[2]).strip().replace(" ", "_")}
    return AskedBack(about=frozenset(about)) if about else None
