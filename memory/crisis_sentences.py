"""The sentences of a message in letters, and the windows of several in which what was learned reads it."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, TypeAlias

from memory.crisis_words import STOP
from memory.expressions import Expression

Span: TypeAlias = tuple[int, int]

LONGEST: Final = 160  # words; people who leave out full stops go on for long
_OVERLAP: Final = 40
_WINDOW: Final = 40  # words
_STEP: Final = 20
_SENTENCE = Expression(f"[^{STOP}]+")


def sentences(letters: str) -> list[Span]:
    """Where sentences begin and end; one without an end comes in pieces that overlap, so that time is linear."""
    found = list[Span]()
    for match in _SENTENCE.finditer(letters):
        start, end = match.span()
        while end - start > LONGEST:
            found.append((start, start + LONGEST))
            start += LONGEST - _OVERLAP
        found.append((start, end))
    return found


def windows(among: Sequence[Span]) -> list[Span]:
    """Each of ``among``; of long ones parts; and from every so many words on as many sentences as go into a window."""
    ends = [end for _, end in among]
    found, begun = list[Span](), -_STEP
    for number, (start, end) in enumerate(among):
        found.append((start, end))
        if end - start > _WINDOW:
            found += [(at, min(end, at + _WINDOW)) for at in range(start, end - _WINDOW, _STEP)]
        if start - begun >= _STEP or not number:
            begun = start
            found.append((start, ends[max(number, bisect_right(ends, start + _WINDOW) - 1)]))
    return [*dict.fromkeys(found)]


def within(letters: str, span: Span) -> list[Span]:
    """The sentences, or parts of sentences, in a stretch of ``letters``."""
    return [match.span() for match in _SENTENCE.finditer(letters, *span)]
