"""The ways in which people state things about themselves, as data, compiled once.

A frame is a few patterns for one kind of statement. Its cue words decide whether it is tried at all, which
keeps a long message cheap: a sentence without any cue costs one look-up a word. ``statements_en.toml`` and
its siblings for other languages hold the frames.
"""

import re
from functools import cache
from typing import Literal

import msgspec

from memory import data
from memory.statements_kinds import StatementKind
from memory.statements_words import Words, group_names, known_words, read_groups

_TABLES = ("statements_en.toml", "statements_de.toml", "statements_es.toml")


class Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way to state one kind of thing.

    ``subject`` says where the one it is about stands: before the match, inside it (group ``who``), or
    always the speaker. ``fixed`` patterns carry their own polarity, so a negation before them is not
    counted. ``need`` and ``without`` name groups or plain words the value must or must not hold. ``also``
    frames may read words that another frame has read already.
    """

    kind: StatementKind
    cues: str
    patterns: tuple[str, ...]
    attribute: str = ""
    subject: Literal["before", "inside", "self"] = "before"
    negated: bool = False
    fixed: bool = False
    tense: Literal["past", "present", "future"] | None = None
    need: str = ""
    without: str = ""
    value: str = ""
    many: bool = False
    also: bool = False
    asks: bool = False
    supposes: bool = False


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    frame: tuple[Frame, ...]
    macros: dict[str, str] = {}


class Compiled(msgspec.Struct, frozen=True):
    """A frame with its patterns written out and its conditions split into words."""

    frame: Frame
    patterns: tuple["Pattern", ...]
    need: frozenset[str]
    without: frozenset[str]


class Frames(msgspec.Struct, frozen=True):
    """All frames in order of precedence, and which words call for which of them."""

    all: tuple[Compiled, ...]
    cues: Words
    by_group: dict[str, tuple[int, ...]]

    def called_by(self, said: list[str], groups: frozenset[str]) -> list[int]:
        """The numbers of the frames whose cues are among the words ``said`` or their ``groups``, in order."""
        called: set[int] = set()
        for word in said:
            for number in self.cues.of(word):
                called.add(int(number))
        for group in groups:
            called.update(self.by_group.get(group, ()))
        return sorted(called)


_FIRST_MARK = 0x16A0
"""Runes stand for groups in the text that a pattern sees: letters nobody types, so ``\\w`` takes them for
words.
"""


@cache
def _marks() -> dict[str, str]:
    return {name: chr(_FIRST_MARK + number) for number, name in enumerate(sorted(group_names()))}


class Pattern(msgspec.Struct, frozen=True):
    """One pattern of a frame: its source and the groups whose words it sees as marks."""

    source: str
    groups: frozenset[str]


@cache
def compiled(source: str) -> re.Pattern[str]:
    """The pattern, compiled on first use: most are never needed in a conversation."""
    return re.compile(rf"(?<!\w)(?:{source})(?!\w)")


def _expand(pattern: str, macros: dict[str, str]) -> Pattern:
    groups: set[str] = set()

    def one(found: re.Match[str]) -> str:
        name = found.group(1)
        if name in macros:
            return re.sub(r"\{([a-z_]+)\}", one, macros[name])
        groups.add(name)
        return rf"{_marks()[name]}\d+"

    source = re.sub(r"\{([a-z_]+)\}", one, pattern)
    return Pattern(source, frozenset(groups))


@cache
def frames() -> Frames:
    """The frames of all languages, indexed by their cues on first use."""
    found: list[Compiled] = []
    cues: dict[str, str] = {}
    by_group: dict[str, tuple[int, ...]] = {}
    for name in _TABLES:
        table = data.table(name, _Table)
        for frame in table.frame:
            number = len(found)
            patterns = tuple(_expand(pattern, table.macros) for pattern in frame.patterns)
            found.append(
                Compiled(frame, patterns, frozenset(frame.need.split()), frozenset(frame.without.split()))
            )
            words = frame.cues.split()
            cues[str(number)] = " ".join(word for word in words if not word.startswith("@"))
            for word in words:
                if word.startswith("@"):
                    by_group[word[1:]] = (*by_group.get(word[1:], ()), number)
    return Frames(tuple(found), read_groups(cues), by_group)


class Marked:
    """A stretch as the patterns see it: words of the groups a pattern asks for replaced by marks."""

    def __init__(self, text: str) -> None:
        self.said = text.split()
        self.spans = known_words().spans(self.said)
        self.groups: frozenset[str] = frozenset().union(*(groups for _, _, groups in self.spans))
        self._texts: dict[frozenset[str], str] = {}

    def seen(self, groups: frozenset[str]) -> str:
        """The text in which every word of ``groups`` is one mark."""
        if groups not in self._texts:
            self._texts[groups] = self._mark(groups) if groups & self.groups else " ".join(self.said)
        return self._texts[groups]

    def _mark(self, groups: frozenset[str]) -> str:
        seen: list[str] = []
        at = 0
        for number, (first, last, has) in enumerate(self.spans):
            wanted = has & groups
            if not wanted or first < at:
                continue
            seen += self.said[at:first]
            seen.append(f"{_marks()[min(wanted)]}{number}")
            at = last
        return " ".join(seen + self.said[at:])

    def plain(self, seen: str) -> str:
        """``seen`` with its marks turned back into the words they stand for."""
        if not any(chr(_FIRST_MARK) <= letter <= "\u16ea" for letter in seen):
            return seen
        return _MARK.sub(lambda mark: " ".join(self.said[slice(*self.spans[int(mark.group(1))][:2])]), seen)


_MARK = re.compile("[\u16a0-\u16ea](\\d+)")


def value_fits(value: str, frame: Compiled, names: frozenset[str]) -> bool:
    """Whether ``value`` has what the frame needs and nothing it must be without."""
    if not frame.need and not frame.without:
        return True
    has = known_words().groups(value) | frozenset(value.split())
    if frame.need and not has & frame.need and not ("called" in frame.need and value.split()[0] in names):
        return False
    return not has & frame.without
