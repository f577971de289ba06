"""What the benchmark of a turn is made of: people's own sentences from the sets, and a memory full of them.

Messages are of all lengths from 20 to 2,000 characters, as many long ones as short: far longer than what people
write, so the figures are of bad days. Sentences in which the crisis reader sees a danger are left out, because a safe
answer is planned in no time.
"""

import random
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from companions.remembered import Caregiver, CheckIn, FactLine, Health, PastTalk, Profile, Remembered
from companions.state import State, Who
from companions.talk import MOST_MESSAGES, Talk, answered, heard
from companions.turn import PolicyRules
from memory.crisis import read_crisis
from memory.messages import Message
from memory.recall import Remembered as Index
from memory.recall import Stated, stated

SETS = Path(__file__).parent / "sets"
DANGERS = "crisis"
SHORTEST, LONGEST = 20, 2_000  # characters
STATEMENTS, FACTS, PAST, STORIES_TOLD = 1_000, 100, 5, 100
CHARS_OF_SUMMARY = 1_200  # about the 400 tokens a summary may have (wellness document)


class _Said(msgspec.Struct, frozen=True):
    text: str = ""
    role: str = "user"


class _Row(msgspec.Struct, frozen=True):
    text: str = ""
    messages: tuple[_Said, ...] = ()


class Texts(msgspec.Struct, frozen=True, kw_only=True):
    """``sentences`` of people, ``questions`` as they come back in a talk, and what was ``stated``, ready to recall."""

    sentences: tuple[str, ...]
    questions: tuple[str, ...]
    stated: tuple[Stated, ...]


def texts() -> Texts:
    """All of it, read from the sets that ship."""
    files = [file for file in sorted(SETS.glob("*.jsonl")) if not file.stem.startswith((DANGERS, "answers"))]
    sentences = dict.fromkeys(text for file in files for text in _spoken(file))
    calm = tuple(text for text in sentences if read_crisis(text) is None)
    repeated = [text for file in files if file.stem.startswith("repetition") for text in _spoken(file)]
    held = frozenset(calm)
    found = (stated(f"old_{at}", at - len(calm), text) for at, text in enumerate(calm))
    return Texts(
        sentences=calm,
        questions=tuple(text for text in repeated if text in held),
        stated=tuple(one for one in found if one is not None),
    )


def _spoken(file: Path) -> list[str]:
    rows = [msgspec.json.decode(line, type=_Row) for line in file.read_bytes().splitlines() if line]
    said = [text for row in rows for text in (row.text, *(_user(row.messages)))]
    return [text for text in said if len(text) >= SHORTEST]


def _user(messages: Sequence[_Said]) -> list[str]:
    return [each.text for each in messages if each.role == "user"]


def message(chance: random.Random, pool: Sequence[str], *, most: int) -> str:
    """A message of up to ``most`` characters, its length drawn evenly."""
    length, text = chance.randint(SHORTEST, most), ""
    while len(text) < length:
        said = chance.choice(pool)
        text += said + (" " if said.endswith((".", "!", "?")) else ". ")
    return text[:length].strip()


def remembered(chance: random.Random, pool: Texts) -> Remembered:
    """Everything that a person may have, as much of it as is kept."""
    kinds = ("identity", "preference", "theme", "event", "strategy", "trigger", "goal", "technical", "work")
    facts = tuple(
        FactLine(id=f"fct_{at}", category=kinds[at % 9], text=chance.choice(pool.sentences))
        for at in range(FACTS)
    )
    summaries = (
        message(chance, pool.sentences, most=CHARS_OF_SUMMARY).ljust(CHARS_OF_SUMMARY, ".")
        for _ in range(PAST)
    )
    picked = chance.choices(pool.stated, k=STATEMENTS)
    lines = tuple(chance.sample(pool.sentences, 6))
    stated_before = tuple(
        replace(each, message_id=f"old_{at}", position=at - STATEMENTS) for at, each in enumerate(picked)
    )
    return Remembered(
        profile=Profile(name="Ann", age=42, primary_goals=lines[:2], coping_strategies=lines[2:4]),
        caregiver=Caregiver(preferred_name="Ann", known_topics=lines[:3], routine=lines[3:]),
        check_in=CheckIn(on="2026-01-01", mood=4, sleep=5, anxiety=6, stressors=lines[:2], wins=lines[2:4]),
        facts=facts,
        summaries=tuple(
            PastTalk(id=f"sum_{at}", on="2026-01-01", part="evening", text=text)
            for at, text in enumerate(summaries)
        ),
        key_facts=lines,
        topics=("sleep", "running", "work", "the garden", "an exam", "music"),
        stated=stated_before,
        index=Index(stated_before),  # as it is read back
        told_before=tuple(f"story_{at}" for at in range(STORIES_TOLD)),
    )


def full(rules: PolicyRules, chance: random.Random, pool: Texts, *, most: int) -> State:
    """A session in the middle of a long talk: as many messages as are held, and everything remembered."""
    who = Who(session="ses", space="ses", user="ann", companion=rules.companion.id)
    health = Health(lines=("Sleep: 6 h", "Pulse: 64", "Steps: 4,000", "Mindful minutes: 12"))
    state = State(
        who=replace(who, session=f"ses_{chance.random()}"),
        remembered=remembered(chance, pool),
        health=health,
        talk=Talk(conversation="cnv"),
    )
    for at in range(MOST_MESSAGES // 2):
        asks = rules.policy.repetition.strategy and at % 3 == 0
        text = chance.choice(pool.questions) if asks else message(chance, pool.sentences, most=most)
        state = went_on(rules, chance, pool, state, f"q{at}", text)
    return state


def went_on(
    rules: PolicyRules, chance: random.Random, pool: Texts, state: State, name: str, text: str
) -> State:
    """The session after one more exchange that begins with ``text``."""
    talk = state.talk
    assert talk is not None
    position = talk.last_position + 1
    said = Message(id=name, role="user", text=text, position=position, at=position)
    talk = heard(talk, said, rules.read(state, text))
    words = message(chance, pool.sentences, most=600)
    answer = Message(
        id=f"{name}_answer",
        role="assistant",
        text=words,
        position=position + 1,
        at=position,
        answers=said.id,
    )
    rested = replace(state, talk=answered(talk, answer, anchors=rules.anchors(words), narrative=None))
    rules.rest(rested)
    return rested
