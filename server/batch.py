"""Batch entry points: JSON lines in, JSON lines out, in order, by the same functions as the server's.

A line that cannot be read is answered in its place with an ``error`` that says what was wrong; the others go on.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeVar

import msgspec

from companions.companion import Companion
from companions.filing import filed
from memory.answers import Turn, judge, repaired
from memory.emotion import EmotionSet
from memory.facts import Fact, facts_from
from memory.phrasing import normalised
from memory.reading import Before, Reading, read
from memory.recall import recall_batch
from memory.repetition import Asked
from server.casting import companions
from server.settings import BadSetting, Settings
from storage.fulltext import Embed, Query, Utterance, answered

T = TypeVar("T", bound=msgspec.Struct)
Row = dict[str, Any]  # a line of JSON of the contract's shape
Work = Callable[[bytes], Row]


def companion_named(name: str, settings: Settings) -> Companion:
    """The companion of that id; ``BadSetting`` names those there are."""
    found = companions(settings.companions.folder)
    if name not in found:
        raise BadSetting(
            "--companion", name, f"there is no such companion; there are {', '.join(found)}", "command line"
        )
    return found[name]


def run(work: Work, lines: Iterable[bytes] | None = None, out: BinaryIO | None = None) -> None:
    """Answer every line of standard input on standard output."""
    target = out or sys.stdout.buffer
    for answer in answers(work, lines if lines is not None else sys.stdin.buffer):
        target.write(msgspec.json.encode(answer) + b"\n")
        target.flush()


def answers(work: Work, lines: Iterable[bytes]) -> Iterator[Row]:
    """One answer for each line that is not empty."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield work(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            reason = str(error) if isinstance(error, msgspec.ValidationError) else "is not JSON in UTF-8"
            yield {"id": _id_of(line), "error": f"line {number}: {reason}"}


def _id_of(line: bytes) -> str | int | None:
    try:
        return msgspec.json.decode(line, type=_Named).id
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


class _Named(msgspec.Struct):
    id: str | int | None = None


# ---------------------------------------------------------------- analyse


class _Message(msgspec.Struct):
    id: str | int
    text: str
    session: str | int | None = None


@dataclass
class _Session:
    said: list[str] = field(default_factory=list[str])
    distress: list[float] = field(default_factory=list[float])
    asked: list[Asked] = field(default_factory=list[Asked])
    names: dict[str, str | int] = field(default_factory=dict[str, str | int])


MOST_SAID = 3
MOST_DISTRESS = 10
MOST_ASKED = 300


def analyse(companion: Companion) -> Work:
    """Read messages as the companion's turns would: each session has its own past."""
    sessions: dict[str | int | None, _Session] = {}
    policy = companion.policy
    emotions: EmotionSet = "dementia" if policy.emotion.set == "dementia" else "wellness"

    def work(line: bytes) -> Row:
        message = msgspec.json.decode(line, type=_Message)
        past = sessions.setdefault(message.session, _Session())
        before = Before(said=past.said, distress=past.distress, asked=past.asked)
        reading = read(message.text, before, emotions=emotions)
        past.said = [*past.said, message.text][-MOST_SAID:]
        past.distress = [*past.distress, reading.distress][-MOST_DISTRESS:]
        key = str(len(past.names))
        past.names[key] = message.id
        past.asked = [*past.asked, Asked(key, reading.question, normalised(message.text))][-MOST_ASKED:]
        return _read_row(message, reading, past)

    return work


def _read_row(message: _Message, reading: Reading, past: _Session) -> Row:
    crisis = reading.crisis
    return {
        "id": message.id,
        "emotion": reading.emotion,
        "intensity": reading.intensity,
        "confidence": round(reading.confidence, 3),
        "distress": round(reading.distress, 3),
        "trajectory": reading.trajectory,
        "flags": list(reading.flags),
        "crisis": None
        if crisis is None
        else {"category": crisis.category, "severity": crisis.severity, "words": crisis.words},
        "intent": reading.intent,
        "question_type": reading.question.type,
        "repeat_of": None if reading.repeat_of is None else past.names[reading.repeat_of],
        "repeat_count": reading.repeat_count,
        "statements": [
            {
                "kind": each.kind,
                "value": each.value,
                "subject": each.subject,
                "negated": each.negated,
                "tense": each.tense,
            }
            for each in reading.statements
        ],
    }


# ---------------------------------------------------------------- guard


class _Turn(msgspec.Struct):
    role: str
    text: str


class _Answer(msgspec.Struct):
    id: str | int
    answer: str
    window: list[_Turn] = []


def guard(companion: Companion) -> Work:
    """Judge answers by the companion's rules; what remains of a forbidden one, or its safe sentence, is shown."""
    rules = frozenset(companion.policy.answers.rules)
    instead = companion.texts.safe_answers.instead

    def work(line: bytes) -> Row:
        given = msgspec.json.decode(line, type=_Answer)
        if not rules:
            return {"id": given.id, "allowed": True, "rule": None, "shown": given.answer}
        window = [Turn("user" if each.role == "user" else "assistant", each.text) for each in given.window]
        verdict = judge(given.answer, window, rules)
        shown = given.answer if verdict.allowed else repaired(given.answer, window, rules)
        return {
            "id": given.id,
            "allowed": verdict.allowed,
            "rule": verdict.rule,
            "shown": shown if shown.strip() else (instead[0] if instead else ""),
        }

    return work


# ---------------------------------------------------------------- recall, search, extract


class _Said(msgspec.Struct):
    id: str | int
    role: str
    text: str


class _Query(msgspec.Struct):
    id: str | int
    messages: list[_Said]
    query: str


def recall(companion: Companion) -> Work:
    """What keyword recall adds beyond the last messages; nothing where the policy has none."""
    active = companion.policy.memory.recall != "never"
    limit = companion.policy.recall.most

    def work(line: bytes) -> Row:
        given = msgspec.json.decode(line, type=_Query)
        names = {str(at): each.id for at, each in enumerate(given.messages)}
        messages = [(str(at), each.role, each.text) for at, each in enumerate(given.messages)]
        found = recall_batch(messages, given.query, limit=limit) if active else ()
        return {"id": given.id, "recalled": [names[each] for each in found]}

    return work


class _Spoken(msgspec.Struct):
    id: str | int
    text: str
    role: str = "user"
    speaker: str | None = None
    session: str | int | None = None


class _Asked(msgspec.Struct):
    id: str | int
    query: str
    limit: int = 10


class _Searches(msgspec.Struct):
    id: str | int
    messages: list[_Spoken]
    queries: list[_Asked]


def search(line: bytes, embed: Embed | None = None) -> Row:
    """The messages of a dialogue that answer each query best, from an index made for this line.

    With ``embed`` by meaning as well as by words.
    """
    given = msgspec.json.decode(line, type=_Searches)
    messages = [
        Utterance(
            id=str(at),
            text=each.text,
            role=each.role,
            speaker=each.speaker or "",
            session="" if each.session is None else each.session,
        )
        for at, each in enumerate(given.messages)
    ]
    queries = [Query(id=str(each.id), query=each.query, limit=each.limit) for each in given.queries]
    found = answered(messages, queries, embed)
    return {
        "id": given.id,
        "results": {query: [given.messages[int(at)].id for at in places] for query, places in found.items()},
    }


class _Talk(msgspec.Struct):
    id: str | int
    messages: list[_Said]


def extract(companion: Companion) -> Work:
    """Facts by the person's own words; none where the policy keeps none."""

    def work(line: bytes) -> Row:
        given = msgspec.json.decode(line, type=_Talk)
        names = {str(at): each.id for at, each in enumerate(given.messages)}
        messages = [(str(at), each.role, each.text) for at, each in enumerate(given.messages)]
        found = filed(companion, facts_from(messages))
        return {"id": given.id, "facts": [_fact_row(each, names) for each in found]}

    return work


def _fact_row(fact: Fact, names: dict[str, str | int]) -> Row:
    return {
        "subject": fact.subject,
        "attribute": fact.attribute,
        "value": fact.value,
        "category": fact.category,
        "status": fact.status,
        "evidence": [names[each] for each in fact.evidence],
    }
