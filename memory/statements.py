"""Statements a person makes about themselves and their people, read from one message.

Whose it is, whether it is denied, and when it holds are decided beside what it says, because a friend's
allergy or one that is gone must never be taken for the person's own. Questions, suppositions, quotations,
stories and turns of phrase state nothing. The reading needs no model and is the same for recall and for
facts.
"""

import msgspec

from memory.expressions import Expression
from memory.statements_answers import Answer, answered
from memory.statements_frames import Compiled, Frame, compiled, frames, value_fits
from memory.statements_index import index, sense_at
from memory.statements_kinds import SAFETY, Statement, StatementKind, Tense
from memory.statements_loose import loosely, widely
from memory.statements_marks import Marked
from memory.statements_senses import denied, put_in_mouth, taken_back, tense
from memory.statements_subjects import (
    Whose,
    inside,
    is_name,
    is_relation,
    mentioned,
    of_one,
    relation,
    who_is_told_of,
    whose,
    without_aside,
)
from memory.statements_text import Sentence, Sentences, Stretch, own_sentences, said_plainly
from memory.statements_values import cleaned, is_nothing, parts, said_as
from memory.text import sentences

__all__ = [
    "SAFETY",
    "Sentences",
    "Statement",
    "StatementKind",
    "Tense",
    "last_mentioned",
    "own_sentences",
    "read_statements",
    "read_widely",
    "takes_back",
    "warm",
]

NOBODY = ""
"""What a stretch leaves that states something of nobody here; such a sentence is not read loosely."""
_TO_ME = Expression(r"\b(?:me|us|mich|uns) (?:on|onto|off|auf)\b")
_OF_ANOTHER = Expression(r"\b(?:his|her|their)\b")
_KEPT_IN_STORIES: frozenset[StatementKind] = frozenset({"preference", "goal", "project", "learning", "tool"})


class _Found(msgspec.Struct, frozen=True):
    """A match, and the words around it that decide what it means."""

    frame: Compiled
    before: str
    match: str
    value: str
    span: tuple[int, int]
    who: str
    relation: str


def _find(frame: Compiled, possible: int, marked: Marked, sentence: Sentence, values: int) -> _Found | None:
    while possible:
        at = (possible & -possible).bit_length() - 1
        possible &= possible - 1
        pattern = frame.patterns[at]
        seen = marked.seen(pattern.groups)
        match = compiled(pattern.source)(seen)
        if match is None:
            continue
        named = match.groupdict()
        written = marked.plain(named.get("v") or "")
        value = (cleaned(written, values) if written else "") or frame.frame.value
        if (written and not value) or not value_fits(value, frame, sentence.names):
            continue
        before, whole = marked.plain(seen[: match.start()]), marked.plain(match[0])
        start = len(marked.plain(seen[: match.start("v")] if written else before).split())
        end = start + len((written or whole).split())
        who, rel = marked.plain(named.get("who") or ""), marked.plain(named.get("rel") or "")
        return _Found(frame, before, whole, value, (start, end), who, relation(rel))
    return None


def _subject(found: _Found, names: frozenset[str], carried: str | None, other: str | None) -> Whose:
    frame = found.frame.frame
    if frame.subject == "self":
        return Whose("user", False, 0)
    if frame.subject == "inside" and found.who:
        return inside(found.who, names, other)
    if frame.subject == "inside":
        lead = found.match.split(" ", 1)[0]
        return (
            whose([lead], names, None, other)
            if lead in {"his", "her", "he", "she"}
            else Whose("user", False, 0)
        )
    before = without_aside(found.before.split(), found.match)
    first, second = (*found.match.split(" ", 2), "", "")[:2]
    if second == "ich":
        return Whose("user", True, len(before))  # "wohne ich": the verb comes first
    if first in {"my", "his", "her", "our", "their", "mein", "meine", "seine", "ihre", "i"} or is_relation(
        first
    ):
        before.append(first)
    subject = whose(before, names, carried, other)
    if subject.name not in {"user", None} and _TO_ME.search(found.match):
        return Whose("user", True, subject.at)  # "they've put me on lates"
    if not subject.explicit and _OF_ANOTHER.search(found.match):
        return Whose(other or "someone", True, 0)
    return subject


def _as_called(name: str, sentence: str) -> str:
    """A subject as the person writes it; a name from an earlier sentence gets its capital back."""
    if name == "user":
        return name
    called = said_as(name, sentence)
    return called.capitalize() if called == name and is_name(name) else called


def _statements(found: _Found, stretch: Stretch, sentence: str, subject: Whose) -> list[Statement]:
    """One statement for each item of the value, in the sense in which it is said."""
    frame = found.frame.frame
    assert subject.name is not None
    gap = " ".join(found.before.split()[subject.at :])
    verb = f"{gap} {found.match.split(found.value)[0] if found.value else found.match}"
    senses = stretch.possible.senses
    against = frame.negated or taken_back(found.before, senses) or (not frame.fixed and denied(verb, senses))
    when = frame.tense or tense(frame.kind, stretch.text, verb, senses, fixed=frame.fixed)
    name = _as_called(subject.name, sentence)
    attribute = found.relation or frame.attribute or frame.kind
    return [
        Statement(frame.kind, said_as(value, sentence), name, against, when, attribute, sentence)
        for value in (parts(found.value, senses >> sense_at("values")) if frame.many else [found.value])
        if not is_nothing(value)
    ]


def _overlaps(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in taken)


def _may_state(frame: Frame, stretch: Stretch) -> bool:
    if stretch.asks or (stretch.supposes and not frame.supposes):
        return False
    return not stretch.tells or frame.kind in _KEPT_IN_STORIES


def _read_stretch(
    stretch: Stretch,
    called: list[tuple[int, int]],
    sentence: Sentence,
    carried: str | None,
    other: str | None,
) -> tuple[list[Statement], str | None]:
    """The statements of one stretch of ``sentence``, and the subject it leaves to the next."""
    read: list[Statement] = []
    taken: list[tuple[int, int]] = []
    left = carried
    marked = Marked(stretch.said, stretch.text)
    senses = stretch.possible.senses
    values = senses >> sense_at("values")
    every = frames().all
    for number, patterns in called:
        compiled_frame = every[number]
        frame = compiled_frame.frame
        if not _may_state(frame, stretch):
            continue
        found = _find(compiled_frame, patterns, marked, sentence, values)
        if found is None or (not frame.also and _overlaps(found.span, taken)):
            continue
        subject = _subject(found, sentence.names, carried or None, other)
        if subject.name is None or put_in_mouth(found.before, senses):
            left = NOBODY if left is None else left
            continue
        statements = _statements(found, stretch, sentence.text, subject)
        if statements and not frame.also:
            taken.append(found.span)
        read += statements
        left = subject.name
    return read, left


def _from_answer(answer: Answer, text: str) -> list[Statement]:
    if answer.sentence:
        read = _read(own_sentences(answer.sentence))
        return [
            msgspec.structs.replace(one, negated=one.negated or answer.denied, words=text) for one in read
        ]
    if answer.kind is None:
        return []
    attribute = answer.attribute or answer.kind
    if answer.denied and not answer.value:
        return [Statement(answer.kind, "", "user", True, "present", attribute, text)]
    return [
        Statement(answer.kind, said_as(value, text), "user", answer.denied, "present", attribute, text)
        for value in parts(answer.value.replace(",", " , "))
        if not is_nothing(value)
    ]


def _read_sentence(sentence: Sentence, other: str | None) -> tuple[list[Statement], str | None]:
    """What a sentence states, and the last person mentioned who is not the speaker."""
    possible = sentence.possible
    if not (possible.patterns or possible.loose):
        return [], sentence.mentioned(other)
    read: list[Statement] = []
    carried: str | None = None
    before = other
    cut = sentence.stretches
    for at, stretch in enumerate(cut):
        if at and possible.people:
            carried = who_is_told_of(cut[at - 1].said, stretch.said, sentence.names) or carried
            if carried is None and of_one(stretch.said[0]):  # "my daughter, the six year old, is allergic"
                carried = mentioned(cut[at - 1].said, sentence.names, None) or mentioned(
                    cut[0].said, sentence.names, None
                )
        if possible.patterns and (called := index().called(stretch.possible.patterns)):
            found, carried = _read_stretch(stretch, called, sentence, carried, other)
            read += found
        if possible.people and len(cut) > 1:
            other = mentioned(stretch.said, sentence.names, other)
    if len(cut) == 1:
        other = sentence.mentioned(other)
    if read or carried == NOBODY or not possible.loose:
        return read, other
    return loosely(sentence, before), other


def _read(sentences: Sentences, other: str | None = None) -> list[Statement]:
    read: list[Statement] = []
    for sentence in sentences:
        found, other = _read_sentence(sentence, other)
        read += found
    return read


def read_widely(text: str | Sentences, other: str | None = None) -> tuple[Statement, ...]:
    """What ``text`` may state, in words that no frame reads: for a recall, never for a fact."""
    read: list[Statement] = []
    for sentence in own_sentences(text):
        if sentence.possible.wide:
            read += widely(sentence, other)
        other = sentence.mentioned(other)
    return tuple(read)


def _without_repeats(read: list[Statement]) -> tuple[Statement, ...]:
    kept: dict[tuple[str, str, str], Statement] = {}
    for one in read:
        kept.setdefault((one.kind, one.value.lower(), one.subject.lower()), one)
    return tuple(kept.values())


def warm() -> None:
    """Read the tables and compile the patterns now, so that no message waits for them."""
    index()
    for frame in frames().all:
        for pattern in frame.patterns:
            compiled(pattern.source)
    read_statements("My sister, who is 40, is allergic to nuts.", "Are you allergic to anything?")
    read_widely("I had a problem with milk.")


def takes_back(text: str) -> bool:
    """Whether ``text`` denies that something was ever said or true ("I never said I was vegan")."""
    return any(map(taken_back, said_plainly(text)))


def last_mentioned(text: str | Sentences, other: str | None = None) -> str | None:
    """The last person ``text`` mentions who is not the one who wrote it, else ``other``."""
    for sentence in own_sentences(text):
        other = sentence.mentioned(other)
    return other


def read_statements(
    text: str | Sentences, asked: str | None = None, other: str | None = None
) -> tuple[Statement, ...]:
    """What ``text`` states about the person who wrote it and about others they name, in order.

    ``asked`` is what the companion said just before; it lets a bare answer ("Yes, peanuts.") be read.
    ``other`` is whom the person mentioned last in earlier messages: whom "he" or "she" means.
    """
    whole = own_sentences(text)
    read = _read(whole, other)
    if asked is not None and (answer := answered(whole.text, asked)) is not None:
        known = {(one.kind, one.value.lower()) for one in read}
        add = [one for one in _from_answer(answer, whole.text) if (one.kind, one.value.lower()) not in known]
        if (
            answer.value
            and not answer.affirmed
            and not answer.denied
            and read
            and len(sentences(whole.text)) == 1
        ):
            add = []  # what it says it says by itself
        if not any(one.kind == new.kind for one in read for new in add):
            read += add
    return _without_repeats(read)
