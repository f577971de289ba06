"""Work out which words each pattern of the statement reader needs, and write them down for it.

A pattern can only match where its words are. Which those are is worked out here from its source, once, so that the
reader need not try (nor even compile) a pattern in a sentence that lacks one of them::

    python -m evaluation.statement_needs            # writes memory/data/statements_needs.json
    python -m evaluation.statement_needs --check    # fails when the file is not up to date

A pattern that is not in the file is tried always: nothing is overlooked, it only costs time.
"""

# Reading a pattern as a tree is private to ``re`` and untyped; nothing that ships imports it.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportMissingModuleSource=false

import re
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from math import fsum
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]  # the only way to read a pattern as a tree
from typing import Any, NamedTuple

import msgspec

from memory.statements_frames import frames
from memory.statements_index import sense_sources
from memory.statements_marks import marks
from memory.statements_needs import DIGITS, FILE, MOST_NEEDS, key
from memory.statements_rules import rules, wide_rules

OUT = Path(__file__).parents[1] / "memory" / "data" / FILE
_MOST_WORDS = 400
_MOST_TOLD = 5
"""Needs of each choice that are combined with those of the others."""
_RUN = re.compile(r"\w+")
_DIGIT = "\ua66e"
"""A letter nobody types: what a digit is written as while a pattern is taken apart."""
_ANY: frozenset[str] = frozenset()

Need = frozenset[str]

_COMMON = """
i the to a and you it my of is that in me for was not have do so on am be are this with he she we but at can what
they just like if all know no her him how get there when his one will out would about up or really your an go has
had from as who too now did been because time think some want were more good by their them day
ich und die der das ist nicht yo que de la el no es mi en
"""
"""The commonest words of talk, the commonest first: they tell least about which patterns can match."""
_SELDOM = 0.002
_GROUP = 0.03
_OFTEN: dict[str, float] = {word: 1 / (at + 8) for at, word in enumerate(_COMMON.split())}


def _met(need: Need) -> float:
    """Roughly how often a sentence has what is needed; the same in whatever order it is added up."""
    return fsum(_OFTEN.get(word, _GROUP if word[0] in "@#" else _SELDOM) for word in need)


class _Piece(NamedTuple):
    """A part of a pattern: the finite ``texts`` it can be (none: anything), or the ``needs`` of its branches."""

    texts: frozenset[str]
    begins_apart: bool = False  # whatever it is, when it is something: its first character is not of a word
    ends_apart: bool = False
    may_be_empty: bool = True
    branches: tuple[tuple["_Piece", ...], ...] = ()


def _pieces(tree: Any) -> Iterator[_Piece]:  # Any: a tree of the private parser
    for op, value in tree:
        yield _piece(str(op), value)


def _piece(op: str, value: Any) -> _Piece:  # Any: as above
    match op:
        case "LITERAL":
            return _texts({chr(value)})
        case "IN":
            if all(_is_digit(str(kind), each) for kind, each in value):
                return _texts({_DIGIT})
            letters = [chr(each) for kind, each in value if str(kind) == "LITERAL"]
            return _texts(set(letters)) if len(letters) == len(value) else _Piece(_ANY, may_be_empty=False)
        case "SUBPATTERN":
            return _whole(tuple(_pieces(value[3])))
        case "BRANCH":
            return _branch([tuple(_pieces(each)) for each in value[1]])
        case "MAX_REPEAT" | "MIN_REPEAT":
            return _repeated(value[0], value[1], _whole(tuple(_pieces(value[2]))))
        case "AT" if str(value) == "AT_BOUNDARY":
            return _Piece(frozenset({""}), True, True, False)
        case "AT" | "ASSERT" | "ASSERT_NOT":
            return _texts({""})
        case _:
            return _Piece(_ANY, may_be_empty=False)


def _is_digit(kind: str, value: Any) -> bool:  # Any: as above
    if kind == "RANGE":
        return chr(value[0]).isdigit() and chr(value[1]).isdigit()
    return str(value) == "CATEGORY_DIGIT" or (kind == "LITERAL" and chr(value).isdigit())


def _texts(texts: set[str]) -> _Piece:
    some = [text for text in texts if text]
    return _Piece(
        frozenset(texts),
        all(not _RUN.match(text[0]) for text in some) and bool(some),
        all(not _RUN.match(text[-1]) for text in some) and bool(some),
        "" in texts,
    )


def _whole(pieces: tuple[_Piece, ...]) -> _Piece:
    """A group: its texts where they can be listed, else its parts as one branch."""
    if all(piece.texts for piece in pieces):
        texts = _product([piece.texts for piece in pieces])
        if texts:
            return _texts(set(texts))
    return _branch([pieces])


def _product(sets: Sequence[frozenset[str]]) -> frozenset[str]:
    size = 1
    for each in sets:
        size *= len(each)
    return frozenset("".join(each) for each in product(*sets)) if size <= _MOST_WORDS else _ANY


def _branch(branches: list[tuple[_Piece, ...]]) -> _Piece:
    wholes = [
        _product([piece.texts for piece in each]) if all(p.texts for p in each) else _ANY for each in branches
    ]
    if all(wholes) and sum(map(len, wholes)) <= _MOST_WORDS:
        return _texts(set().union(*wholes))
    return _Piece(
        _ANY,
        all(_edge(each, 0) for each in branches),
        all(_edge(each, -1) for each in branches),
        any(all(piece.may_be_empty for piece in each) for each in branches),
        tuple(branches),
    )


def _edge(pieces: tuple[_Piece, ...], at: int) -> bool:
    """Whether a sequence surely begins (or ends) with what is no part of a word."""
    order = pieces if at == 0 else pieces[::-1]
    for piece in order:
        apart = piece.begins_apart if at == 0 else piece.ends_apart
        if not piece.may_be_empty:
            return apart
        if not apart and piece.texts != frozenset({""}):
            return False
    return True


def _repeated(
    least: int, most: Any, one: _Piece
) -> _Piece:  # Any: a number or the parser's constant for no end
    if one.texts == frozenset({_DIGIT}):
        return _texts({_DIGIT, *([""] if least == 0 else [])})
    if least == 0 and most == 1:
        if one.texts:
            return _texts({"", *one.texts})
        return _Piece(_ANY, one.begins_apart, one.ends_apart, True)
    if least >= 1 and one.branches:
        return one._replace(may_be_empty=one.may_be_empty)
    return _Piece(_ANY, one.begins_apart, one.ends_apart, least == 0 or one.may_be_empty)


def _needs(pieces: Sequence[_Piece], before: bool, after: bool) -> list[Need]:
    """What a sequence needs; ``before`` and ``after``: that no word reaches into it from outside."""
    merged = _merged(list(pieces))
    found: list[Need] = []
    for at, piece in enumerate(merged):
        left = _open_left(merged, at, before)
        right = _open_right(merged, at, after)
        if piece.texts:
            found += _of_texts(piece.texts, left, right)
        elif piece.branches and not piece.may_be_empty:
            choices = [_needs(each, left, right) for each in piece.branches]
            if all(choices):
                found += _of_choices(choices)
    return sorted({need for need in found if need}, key=lambda need: (_met(need), sorted(need)))


def _of_choices(choices: list[list[Need]]) -> list[Need]:
    """What is needed whichever of the choices it is."""
    if len(choices) <= 2:
        return [frozenset().union(*each) for each in product(*[each[:_MOST_TOLD] for each in choices])]
    return [
        frozenset().union(*(each[min(at, len(each) - 1)] for each in choices)) for at in range(_MOST_TOLD)
    ]


def _merged(pieces: list[_Piece]) -> list[_Piece]:
    """Neighbours that can be listed, as one piece where a word could run from one into the other."""
    out: list[_Piece] = []
    for piece in pieces:
        last = out[-1] if out else None
        if last is not None and last.texts and piece.texts and not (last.ends_apart or piece.begins_apart):
            both = _product([last.texts, piece.texts])
            if both:
                out[-1] = _texts(set(both))
                continue
        out.append(piece)
    return out


def _open_left(pieces: Sequence[_Piece], at: int, before: bool) -> bool:
    for piece in reversed(pieces[:at]):
        if not piece.may_be_empty:
            return piece.ends_apart
        if not piece.ends_apart and piece.texts != frozenset({""}):
            return False
    return before


def _open_right(pieces: Sequence[_Piece], at: int, after: bool) -> bool:
    for piece in pieces[at + 1 :]:
        if not piece.may_be_empty:
            return piece.begins_apart
        if not piece.begins_apart and piece.texts != frozenset({""}):
            return False
    return after


def _of_texts(texts: frozenset[str], left: bool, right: bool) -> list[Need]:
    """One word of each text: its rarest, and its first, second or last."""
    rows = [_words(text, left, right) for text in texts]
    most = min(len(row) for row in rows)
    if not most:
        return []
    rarest = frozenset(min(row, key=lambda word: _met(frozenset({word}))) for row in rows)
    return [rarest, *(frozenset(row[at] for row in rows) for at in (0, 1, 2, -1) if at < most)]


def _words(text: str, left: bool, right: bool) -> list[str]:
    """The words that stand in ``text`` whole (``word*``: their beginning), in order."""
    found: list[str] = []
    for run in _RUN.finditer(text):
        cut = run.end() == len(text) and not right
        if run.start() == 0 and not left:
            if not cut and len(run.group()) >= 3 and _DIGIT not in run.group():
                found.append(f"*{run.group()}")
            continue
        mark = next((name for name, rune in marks().items() if run.group().startswith(rune)), None)
        if mark is not None:
            found.append(f"@{mark}")
        elif _DIGIT in run.group():
            found.append(DIGITS)
        elif cut and len(run.group()) >= 3:
            found.append(f"{run.group()}*")
        elif not cut:
            found.append(run.group())
    return found


def needs_of(source: str) -> list[Need]:
    """What the pattern ``source`` needs: of each set at least one word is in every text it matches."""
    return _needs(tuple(_pieces(_parser.parse(source))), True, True)


def table() -> dict[str, list[str]]:
    """The needs of every pattern that has any, the most telling first."""
    sources = {pattern.source for frame in frames().all for pattern in frame.patterns}
    sources |= {rule.beside for rule in (*rules(), *wide_rules())} | {*sense_sources()} - {""}
    out: dict[str, list[str]] = {}
    for source in sources:
        apart: list[Need] = []
        for need in sorted(set(needs_of(source)), key=lambda need: (_met(need), sorted(need))):
            if len(apart) < MOST_NEEDS and not any(_alike(need, other) for other in apart):
                apart.append(need)
        if apart:
            assert key(source) not in out, source
            out[key(source)] = [" ".join(sorted(need)) for need in apart]
    return dict(sorted(out.items()))


def _alike(one: Need, other: Need) -> bool:
    """Whether to have found one makes it likely that the other is found."""
    return _met(one & other) > _met(one | other) / 2


def written() -> bytes:
    """The file's content."""
    return msgspec.json.format(msgspec.json.encode(table()), indent=1) + b"\n"


if __name__ == "__main__":
    if "--check" not in sys.argv:
        OUT.write_bytes(written())
    sys.exit(OUT.read_bytes() != written())
