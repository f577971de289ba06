"""The ways in which people state things about themselves, as data, compiled once.

A frame is a few patterns for one kind of statement. Its cue words decide whether it is tried at all
(``statements_index``). ``statements_en.toml`` and its siblings for other languages hold the frames.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Literal

import msgspec

from memory import data
from memory.expressions import Expression
from memory.statements_kinds import StatementKind
from memory.statements_marks import marks
from memory.statements_words import known_words

_MARK_AMONG_LETTERS = Expression(r"\[[^]]*[()|]")
CALLED = "called"
"""What a frame calls any word that is written like a name, as if it were a group."""
_NONE: frozenset[str] = frozenset()
_TABLES = ("statements_en.toml", "statements_de.toml", "statements_es.toml")


class Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way to state one kind of thing.

    ``cues``: one of these words, or of the words of ``@group``, must be there for the frame to be tried,
    and one of ``company`` beside it (the table's own, for a frame with ``@`` cues and none). ``subject``
    says where the one it is about stands: before the match, inside it (group ``who``), or always the
    speaker. ``fixed`` patterns carry their own polarity, so a negation before them is not counted. ``need``
    and ``without`` list words and ``@groups`` of which the value must hold one, or none (``@called``: it is
    written like a name). ``also`` frames may read words that another frame has read already; ``supposes``
    ones are read after an "if" too.
    """

    kind: StatementKind
    cues: str
    patterns: tuple[str, ...]
    company: str = ""
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
    supposes: bool = False


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    frame: tuple[Frame, ...]
    macros: dict[str, str] = {}
    company: str = ""


class Compiled(msgspec.Struct, frozen=True):
    """A frame with its patterns written out and its conditions split into words, and those of groups apart."""

    frame: Frame
    patterns: tuple["Pattern", ...]
    need: frozenset[str]
    without: frozenset[str]
    company: frozenset[str]
    need_groups: frozenset[str]
    without_groups: frozenset[str]


class Frames(msgspec.Struct, frozen=True):
    """All frames in order of precedence."""

    all: tuple[Compiled, ...]


class Pattern(msgspec.Struct, frozen=True):
    """One pattern of a frame: its source and the groups whose words it sees as marks."""

    source: str
    groups: frozenset[str]


@cache
def compiled(source: str) -> Callable[[str], re.Match[str] | None]:
    """How to look for a pattern, compiled on first use: most are never needed in a conversation."""
    found = re.compile(rf"(?<!\w)(?:{source})(?!\w)")
    return found.match if _at_start(source) else found.search


def _at_start(source: str) -> bool:
    """Whether a pattern can only match at the beginning: it says so, and not for one of several choices alone."""
    depth = 0
    if _MARK_AMONG_LETTERS.search(source):
        return False
    for before, letter in zip(f" {source}", source, strict=False):
        depth += ((letter == "(") - (letter == ")")) if before != "\\" else 0
        if letter == "|" and not depth:
            return False
    return source.startswith("^")


def _expand(pattern: str, macros: dict[str, str]) -> Pattern:
    groups: set[str] = set()

    def one(found: re.Match[str]) -> str:
        name = found.group(1)
        if name in macros:
            return re.sub(r"\{([a-z_]+)\}", one, macros[name])
        groups.add(name)
        return rf"{marks()[name]}\d+"

    source = re.sub(r"\{([a-z_]+)\}", one, pattern)
    return Pattern(source, frozenset(groups))


@cache
def frames() -> Frames:
    """The frames of all languages, indexed by their cues on first use."""
    found: list[Compiled] = []
    for name in _TABLES:
        rows: _Table = data.table(name, _Table)
        found += [_compile(frame, rows) for frame in rows.frame]
    return Frames(tuple(found))


def _compile(frame: Frame, rows: _Table) -> Compiled:
    return Compiled(
        frame,
        tuple(_expand(pattern, rows.macros) for pattern in frame.patterns),
        frozenset(frame.need.split()),
        frozenset(frame.without.split()),
        frozenset((frame.company or (rows.company if "@" in frame.cues else "")).split()),
        _of_groups(frame.need),
        _of_groups(frame.without),
    )


def _of_groups(listed: str) -> frozenset[str]:
    """The names of the groups in a list of words and groups."""
    return frozenset(each.removeprefix("@") for each in listed.split() if each.startswith("@"))


def value_fits(value: str, frame: Compiled, names: frozenset[str]) -> bool:
    """Whether ``value`` has what the frame needs and nothing it must be without."""
    need, without = frame.need, frame.without
    if not need and not without:
        return True
    said = value.split()
    groups = _NONE
    if frame.need_groups or frame.without_groups:
        groups = known_words().groups_of(said)
        if said and said[0] in names:
            groups |= {CALLED}
    if need and need.isdisjoint(said) and frame.need_groups.isdisjoint(groups):
        return False
    return without.isdisjoint(said) and frame.without_groups.isdisjoint(groups)
