"""What a model says it found in a talk, read strictly: a proposal that cites what it was not given is none.

A model may write anything: other people's facts, orders, links, ten thousand entries, ids it made up. Here only
the form is judged; whether a proposal is kept is decided where it lands, against the person's own words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from memory.loose_json import Json, list_of, loose_json, words_of
from memory.text import folded, words

Standing: TypeAlias = Literal["holds", "ended", "denied"]
MOST_PROPOSALS = 40  # of one batch; no talk of that length says more about a person
MOST_EVIDENCE = 8
VALUE_CHARS = 200
NAME_CHARS = 60
SHARED_LETTERS = 4
_STANDINGS: dict[str, Standing] = {"holds": "holds", "ended": "ended", "denied": "denied", "": "holds"}
_NOT_PLAIN = re.compile(r"https?://|www\.|[<>{}`\[\]]|\bm\d+\b", re.IGNORECASE)
_SELF = frozenset({"user", "person", "the user", "the person", "i", "me", "self", "student"})


class Proposed(msgspec.Struct, frozen=True, kw_only=True):
    """A fact as a model proposes it; ``evidence`` are ids of the person's messages."""

    subject: str
    attribute: str
    value: str
    category: str
    standing: Standing
    evidence: tuple[str, ...]


class Learned(msgspec.Struct, frozen=True, kw_only=True):
    """What a student showed to have learned (tutor document, extractLearnings)."""

    topic: str
    learned: str
    evidence: tuple[str, ...]


def read_proposals(answer: str, said: Mapping[str, str], marks: Mapping[str, str]) -> tuple[Proposed, ...]:
    """The proposals in ``answer``; ``marks`` gives the id of each of the person's messages, ``said`` its text."""
    found = [_proposal(entry, said, marks) for entry in _entries(answer, "facts")]
    return tuple(dict.fromkeys(each for each in found if each is not None))[:MOST_PROPOSALS]


def _proposal(entry: dict[str, Json], said: Mapping[str, str], marks: Mapping[str, str]) -> Proposed | None:
    evidence = _evidence(entry.get("evidence"), marks)
    value = words_of(entry.get("value"), most=VALUE_CHARS + 1)
    attribute = "_".join(words(words_of(entry.get("attribute"), most=NAME_CHARS)))
    category = "_".join(words(words_of(entry.get("category"), most=NAME_CHARS)))
    standing = _STANDINGS.get(words_of(entry.get("status"), most=NAME_CHARS).lower())
    subject = _subject(words_of(entry.get("subject"), most=NAME_CHARS), [said[each] for each in evidence])
    usable = value and attribute and category and standing is not None and evidence and subject
    if not usable or len(value) > VALUE_CHARS or _NOT_PLAIN.search(value):
        return None
    if not grounded(value, [said[each] for each in evidence]):
        return None
    assert standing is not None
    return Proposed(
        subject=subject,
        attribute=attribute,
        value=value,
        category=category,
        standing=standing,
        evidence=evidence,
    )


def _subject(named: str, said: Sequence[str]) -> str:
    """``user``, or somebody the person named in the messages that are cited; '' for anybody else."""
    if folded(named) in _SELF:
        return "user"
    inside = any(f" {folded(named)} " in f" {' '.join(words(each))} " for each in said)
    return named if named and inside else ""


def grounded(value: str, said: Sequence[str]) -> bool:
    """Whether some longer word of ``value`` stands, by its beginning, in the messages cited, and every number."""
    heard = {word for each in said for word in words(each)}
    told = words(value)
    if not {word for word in told if word.isdigit()} <= heard:
        return False
    return shares_a_word(value, said) or (bool(told) and set(told) <= heard)


def shares_a_word(text: str, said: Sequence[str]) -> bool:
    """Whether a longer word of ``text`` stands in what was said, by its beginning."""
    heard = {word[:SHARED_LETTERS] for each in said for word in words(each)}
    told = (word for word in words(text) if len(word) >= SHARED_LETTERS and not word.isdigit())
    return any(word[:SHARED_LETTERS] in heard for word in told)


def read_learnings(answer: str, said: Mapping[str, str], marks: Mapping[str, str]) -> tuple[Learned, ...]:
    """What was learned, each with the student's messages that show it."""
    found: list[Learned] = []
    for entry in _entries(answer, "learnings"):
        evidence = _evidence(entry.get("evidence"), marks)
        learned = words_of(entry.get("learned"), most=VALUE_CHARS)
        topic = words_of(entry.get("topic"), most=NAME_CHARS)
        shown = shares_a_word(f"{topic} {learned}", [said[each] for each in evidence])
        if shown and learned and not _NOT_PLAIN.search(learned):
            found.append(Learned(topic=topic, learned=learned, evidence=evidence))
    return tuple(dict.fromkeys(found))[:MOST_PROPOSALS]


def read_names(answer: str, most: int) -> tuple[str, ...]:
    """Short names (topics), the most important first; prose gives none."""
    found = loose_json(answer)
    if isinstance(found, dict):
        found = next((each for each in found.values() if isinstance(each, list)), None)
    names = list_of(found, most=most, chars=NAME_CHARS) if isinstance(found, list) else ()
    return tuple(each for each in names if not _NOT_PLAIN.search(each))


def _entries(answer: str, name: str) -> Iterator[dict[str, Json]]:
    found = loose_json(answer)
    if isinstance(found, dict):
        inner = found.get(name)
        found = inner if isinstance(inner, list) else [found]
    for each in found[: 4 * MOST_PROPOSALS] if isinstance(found, list) else ():
        if isinstance(each, dict):
            yield each


def _evidence(value: Json, marks: Mapping[str, str]) -> tuple[str, ...]:
    """The messages cited, by id; none at all when one of them was not given."""
    cited = [value] if isinstance(value, str | int) else value
    if not isinstance(cited, list) or not 1 <= len(cited) <= MOST_EVIDENCE:
        return ()
    names = [f"m{each}" if isinstance(each, int) else str(each).strip(" []()#.").lower() for each in cited]
    if any(name not in marks for name in names):
        return ()
    return tuple(dict.fromkeys(marks[name] for name in names))
