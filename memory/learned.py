"""What somebody says they have learned, and what of it may be told to their parents.

Read by patterns, sentence by sentence: a model finds more where there is one (tutor document, extractLearnings), and
what is said to be hard, or is only begun, is nothing that was learned.
"""

import re
from collections.abc import Sequence
from functools import cache

import msgspec

from memory.data import table
from memory.noting import Plainness
from memory.text import sentences, words

NAME_WORDS = 4  # of a thing that was learned; a longer one is named by its longest word
LEAST_LETTERS = 3
SENTENCE_CHARS = 200


class SaidLearned(msgspec.Struct, frozen=True, kw_only=True):
    """A thing by its name, and the sentence that says it was learned."""

    topic: str
    words: str


class _Table(msgspec.Struct, frozen=True):
    without: str
    ends: str
    around: str
    patterns: tuple[str, ...]


class _Reading(msgspec.Struct, frozen=True):
    without: frozenset[str]
    ends: frozenset[str]
    around: frozenset[str]
    patterns: tuple[re.Pattern[str], ...]


@cache
def _reading() -> _Reading:
    found: _Table = table("learned.toml", _Table)
    return _Reading(
        without=frozenset(found.without.split()),
        ends=frozenset(found.ends.split()),
        around=frozenset(found.around.split()),
        patterns=tuple(re.compile(pattern) for pattern in found.patterns),
    )


def learned_in(text: str) -> tuple[SaidLearned, ...]:
    """What a message says was learned, sentence by sentence; nothing of a question, a denial or a wish."""
    found = ((_thing(sentence), sentence) for sentence in sentences(text))
    return tuple(SaidLearned(topic=thing, words=said[:SENTENCE_CHARS]) for thing, said in found if thing)


def _thing(sentence: str) -> str:
    """The name of what a sentence says was learned; '' where it says no such thing."""
    if sentence.endswith("?"):
        return ""
    plain = " ".join(whole for word in words(sentence) for whole in _whole(word))
    reading = _reading()
    found = next(filter(None, (pattern.search(plain) for pattern in reading.patterns)), None)
    if found is None:
        return ""
    before, what = plain[: found.start("what")].split(), found["what"].split()
    return "" if not reading.without.isdisjoint((*before, *what[:1])) else _named(what, reading)


def _whole(word: str) -> tuple[str, ...]:
    """``I've`` and ``don't`` in two words, so that a pattern needs one form."""
    if word.endswith("n't"):
        return word[:-3], "not"
    return (word[:-3], "have") if word.endswith("'ve") else (word,)


def _named(what: list[str], reading: _Reading) -> str:
    start = next((at for at, word in enumerate(what) if word not in reading.around | reading.ends), len(what))
    end = next((at for at in range(start, len(what)) if what[at] in reading.ends), len(what))
    name = what[start:end]
    while name and name[-1] in reading.around:
        name.pop()
    if len(name) > NAME_WORDS:
        name = [max(name, key=len)]
    return " ".join(name) if any(len(word) >= LEAST_LETTERS for word in name) else ""


def told_learned(
    topic: str, learned: str, said: Sequence[str], plain: Plainness
) -> tuple[str, str | None] | None:
    """The topic and the sentence as parents may read them; the topic alone where the sentence is the student's own.

    None where not even the topic may be told. ``said``: the student's words in that lesson.
    """
    if not plain.line(topic):
        return None
    own = f" {' '.join(words(learned))} "
    quoted = any(own in f" {' '.join(words(text))} " for text in said)
    return topic, None if quoted or not plain.line(learned) else learned
