"""A summary out of a model's answer and the talk itself: what the one does not give is had from the other.

Nothing the model says is taken on trust: the quoted sentence must be the person's own, values of health stay out,
links do too, and every part has a length. Which parts were taken from the talk is told.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Literal, TypeAlias, get_args

import msgspec

from memory.data import table
from memory.extracts import MOST_TOPICS, QUOTE_CHARS, Extract
from memory.loose_json import Json, list_of, loose_json, plain, words_of
from memory.text import folded, sentences, words
from memory.tokens import count, shortened

Part: TypeAlias = Literal["topics", "arc", "insight", "follow_ups", "quote", "summary"]
PARTS: tuple[Part, ...] = get_args(Part)
MOST_FOLLOW_UPS = 5
PART_CHARS = 240
LEAST_QUOTE_WORDS = 3
LEAST_SHARED = 0.25  # of the longer words of a summary in prose, so many at least are of the talk
LONG_WORD = 5  # letters
_LINE = re.compile(r"^[\s>#*_\-•\d.)]*(?P<name>[^:\n]{2,40}?)[\s*_]*:[\s*_]*(?P<value>.*)$")
_LINK = re.compile(r"https?://|www\.|\]\(", re.IGNORECASE)
_DIGIT = re.compile(r"\d")


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a model's answer, as far as there were any."""

    topics: tuple[str, ...] = ()
    arc: str = ""
    insight: str = ""
    follow_ups: tuple[str, ...] = ()
    quote: str = ""
    summary: str = ""


class Summed(Extract, frozen=True, kw_only=True):
    """A summary as it is kept. ``summary`` is its prose, ``text`` what of it is told to a model and to the person.

    ``extracted`` names the parts that are the talk's own words because the model gave none.
    """

    summary: str = ""
    extracted: tuple[Part, ...] = ()


class _Health(msgspec.Struct, frozen=True):
    words: tuple[str, ...]


class _Table(msgspec.Struct, frozen=True):
    names: dict[Part, tuple[str, ...]]
    health: _Health


@cache
def _table() -> _Table:
    found: _Table = table("summaries.toml", _Table)
    return found


@cache
def _part_names() -> dict[str, Part]:
    return {name: part for part, names in _table().names.items() for name in names}


# ---------------------------------------------------------------- reading an answer


def read_summary(answer: str) -> Read:
    """The parts of ``answer``: of its JSON, else of its labelled lines, else all of it is prose. Never raises."""
    found = loose_json(answer)
    if isinstance(found, list):
        found = next((each for each in found if isinstance(each, dict)), None)
    if isinstance(found, dict):
        return _of_object(found)
    lines = _of_lines(plain(answer))
    return _of_object(lines) if lines else Read(summary=" ".join(plain(answer).split()))


def _of_object(found: dict[str, Json]) -> Read:
    values: dict[Part, Json] = {}
    for name, value in found.items():
        part = _part_names().get(_bare(name))
        if part is not None:
            values.setdefault(part, value)
    return Read(
        topics=list_of(values.get("topics"), most=MOST_TOPICS, chars=60),
        arc=words_of(values.get("arc"), most=PART_CHARS),
        insight=words_of(values.get("insight"), most=PART_CHARS),
        follow_ups=_follow_ups(values.get("follow_ups")),
        quote=words_of(values.get("quote")).strip(" \"'“”„«»"),
        summary=words_of(values.get("summary"), most=4_000),
    )


def _follow_ups(value: Json) -> tuple[str, ...]:
    """A list stays a list; in one text only lines and semicolons part, for a plan may have commas."""
    if isinstance(value, str):
        value = [*re.split(r"[\n;•]", value)]
    return list_of(value, most=MOST_FOLLOW_UPS, chars=PART_CHARS)


def _of_lines(answer: str) -> dict[str, Json]:
    """Labelled lines (``**Topics:** work, sleep``), each with the lines that follow it."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in answer.splitlines():
        match = _LINE.match(line)
        if match and _bare(match["name"]) in _part_names():
            name = match["name"]
            found.setdefault(name, []).append(match["value"])
        elif name and line.strip():
            found[name].append(line.strip())
    return {name: "\n".join(each for each in lines if each) for name, lines in found.items()}


def _bare(name: str) -> str:
    return "".join(sign for sign in folded(name) if sign.isalpha())


# ---------------------------------------------------------------- what the model may have said


def truly_said(quote: str, said: Iterable[str]) -> str:
    """``quote`` when the person said it word for word, else ''."""
    wanted = words(quote)
    if len(wanted) < LEAST_QUOTE_WORDS or len(quote) > QUOTE_CHARS:
        return ""
    sought = f" {' '.join(wanted)} "
    return quote if any(sought in f" {' '.join(words(each))} " for each in said) else ""


def of_the_talk(prose: str, talk: Iterable[str]) -> bool:
    """Whether prose without any form speaks of this talk at all: a refusal or a greeting does not."""
    told = {word[:LONG_WORD] for word in words(prose) if len(word) >= LONG_WORD}
    heard = {word[:LONG_WORD] for each in talk for word in words(each) if len(word) >= LONG_WORD}
    return bool(told) and len(told & heard) / len(told) >= LEAST_SHARED


def _permitted(text: str, said: str, private: Callable[[str], bool]) -> str:
    """``text`` without sentences that carry a value of health, a link, or what is kept out of summaries."""
    kept = [
        each
        for each in sentences(text)
        if not (_LINK.search(each) or private(each) or (health_value(each) and folded(each) not in said))
    ]
    return " ".join(kept)


def health_value(sentence: str) -> bool:
    """Whether a sentence names a measure of health and a number (D23)."""
    if not _DIGIT.search(sentence):
        return False
    here = f" {' '.join(words(sentence))} "
    return any(f" {word} " in here for word in _table().health.words)


# ---------------------------------------------------------------- putting it together


def summed(
    read: Read,
    own: Extract,
    talk: Sequence[str],
    said: Sequence[str],
    *,
    private: Callable[[str], bool],
) -> Summed:
    """The parts of the model that may stay, and for each that is missing the talk's own.

    ``talk`` is what both said, ``said`` what the person said; ``private`` tells a sentence that no summary may hold.
    """
    spoken = folded("\n".join(said))

    def kept(text: str) -> str:
        return _permitted(text, spoken, private)

    labelled = read != Read(summary=read.summary)
    prose = kept(read.summary) if labelled or of_the_talk(read.summary, talk) else ""
    given = Read(
        topics=tuple(each for each in read.topics if kept(each)),
        arc="" if private(read.arc) or _LINK.search(read.arc) else read.arc,
        insight=kept(read.insight),
        follow_ups=tuple(each for each in map(kept, read.follow_ups) if each),
        quote=truly_said(read.quote, said),
        summary=prose,
    )
    own_parts = Read(
        topics=own.topics,
        arc=own.emotional_arc,
        insight=own.key_insight,
        follow_ups=own.follow_ups,
        quote=own.quote,
    )
    missing: tuple[Part, ...] = tuple(
        part for part in PARTS if not getattr(given, part) and getattr(own_parts, part)
    )
    taken = msgspec.structs.replace(given, **{part: getattr(own_parts, part) for part in missing})
    return Summed(
        topics=taken.topics,
        emotional_arc=taken.arc,
        key_insight=taken.insight,
        follow_ups=taken.follow_ups,
        quote=taken.quote,
        summary=taken.summary,
        extracted=missing,
    )


def folded_on(earlier: Summed, later: Summed, *, told_both: bool) -> Summed:
    """One summary of both parts of a talk; ``told_both``: the prose of ``later`` was written with the earlier known."""
    prose = later.summary if told_both and later.summary else f"{earlier.summary} {later.summary}".strip()
    start, _, _ = earlier.emotional_arc.partition(" -> ")
    _, _, end = later.emotional_arc.rpartition(" -> ")
    return Summed(
        topics=tuple(dict.fromkeys((*earlier.topics, *later.topics)))[:MOST_TOPICS],
        emotional_arc=f"{start} -> {end}" if start and end else start or end,
        key_insight=later.key_insight or earlier.key_insight,
        follow_ups=tuple(dict.fromkeys((*earlier.follow_ups, *later.follow_ups)))[-MOST_FOLLOW_UPS:],
        quote=later.quote or earlier.quote,
        summary=prose,
        extracted=tuple(dict.fromkeys((*earlier.extracted, *later.extracted))),
    )


def told(made: Summed, *, parts: bool, tokens: int, words_most: int) -> Summed:
    """``made`` with its text: the prose, and with ``parts`` what the prose may not say, within ``tokens``.

    What does not fit is left out whole, the least telling part first; a summary is never empty while it has a part.
    """
    prose = _words_at_most(made.summary, words_most)
    labelled = [
        f"Topics: {', '.join(made.topics)}." if made.topics else "",
        f"Emotional arc: {made.emotional_arc}." if made.emotional_arc else "",
        f"Follow-ups: {'; '.join(made.follow_ups)}" if made.follow_ups else "",
        f"Insight: {made.key_insight}" if made.key_insight else "",
        f'In their words: "{made.quote}"' if made.quote else "",
    ]
    wanted = [prose, *labelled] if parts or not prose else [prose]
    lines: list[str] = []
    for line in wanted:
        if line and count(" ".join([*lines, line])) <= tokens:
            lines.append(line)
    first = next((line for line in wanted if line), "")
    text = " ".join(lines) or shortened(first, tokens)
    return msgspec.structs.replace(made, summary=prose, text=text)


def _words_at_most(prose: str, most: int) -> str:
    """Whole sentences of ``prose`` up to ``most`` words; the first one at least, cut where it alone is longer."""
    kept: list[str] = []
    taken = 0
    for sentence in sentences(prose):
        length = len(sentence.split())
        if kept and taken + length > most:
            break
        kept.append(sentence if length <= most else f"{' '.join(sentence.split()[:most])}…")
        taken += length
    return " ".join(kept)
