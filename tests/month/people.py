"""Who they are and what they say: by numbers that the trends must show again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from companions.consenting import Basis, Scope
from memory.check_ins import Measure, PartOfDay
from memory.slopes import Direction

COMPANIONS = ("serenity", "clara", "coach", "extremis", "maestro")
CHANGE = 5.0  # of 10, over the whole time, where something rises or falls
NOISE = 0.8
CALM = (
    "The roses in the garden are lovely today.",
    "It is a warm and quiet day, I feel fine.",
    "What a lovely day.",
)
UNEASY = (
    "I am afraid and I cannot calm down.",
    "Everything scares me.",
    "I am so frightened and I want to cry.",
)
QUESTIONS = {
    "location": "Where am I?",
    "time": "What time is it?",
    "identity": "Who are you?",
    "activity": "What should I do now?",
}
HOURS: dict[PartOfDay, range] = {
    "morning": range(7, 11),
    "afternoon": range(13, 16),
    "evening": range(18, 20),
    "night": range(21, 23),
}
SLOPES: tuple[dict[Measure, Direction], ...] = (
    {"mood": "rising", "sleep": "steady", "anxiety": "falling"},
    {"mood": "falling", "sleep": "falling", "anxiety": "rising"},
    {"mood": "steady", "sleep": "rising", "anxiety": "steady"},
    {"mood": "steady", "sleep": "steady", "anxiety": "steady"},
)
UNEASINESS: tuple[
    tuple[float, float, float], ...
] = (  # mornings, evenings, and what is left of it at the end
    (0.05, 0.95, 1.0),
    (0.5, 0.5, 1.0),
    (0.95, 0.95, 0.05),
    (0.3, 0.3, 1.0),
)


@dataclass(frozen=True)
class Decision:
    """What somebody decides about who may see what."""

    day: int
    scope: Scope
    allow: bool
    by_person: bool = False
    days: int = 300  # until it is looked at again


@dataclass
class Person:
    """One of the twenty, and what they have said so far."""

    name: str
    companion: str
    kind: int
    basis: Basis
    part: PartOfDay
    decisions: Sequence[Decision]
    secrets: frozenset[int]  # days on which something is said that no family is told
    said: list[str] = field(default_factory=list[str])
    asked: list[str] = field(default_factory=list[str])
    talks: int = 0

    @property
    def word(self) -> str:
        """A word that they alone say."""
        return f"pumpernickel{self.name}"

    @property
    def secret(self) -> str:
        """A word that they say only with what no family is told."""
        return f"quokka{self.name}"


def people(count: int, days: int, dice: Random) -> list[Person]:
    """So many people, of all five companions in turn."""
    return [_person(number, days, dice) for number in range(count)]


def _person(number: int, days: int, dice: Random) -> Person:
    companion = COMPANIONS[number % len(COMPANIONS)]
    return Person(
        name=f"p{number:02}",
        companion=companion,
        kind=number // len(COMPANIONS) % 4,
        basis="parent" if companion == "maestro" else "legal_representative",
        part=dice.choice(tuple(HOURS)),
        decisions=tuple(sorted(_decisions(companion, days, dice), key=lambda each: each.day)),
        secrets=frozenset(dice.sample(range(days), 2)),
    )


def _decisions(companion: str, days: int, dice: Random) -> list[Decision]:
    """Trends and summaries allowed, taken back or let expire; words allowed, and a no by the person."""
    scopes: list[Scope] = ["trends", "summaries", "transcripts"]
    if companion == "maestro":
        scopes.append("notes")
    found: list[Decision] = []
    for scope in scopes:
        begin = dice.randrange(1, max(2, days // 3))
        end = dice.randrange(begin + 1, days)
        way = dice.choice(("stays", "withdrawn", "expires"))
        lasts = end - begin if way == "expires" else 300
        found.append(Decision(begin, scope, True, days=lasts))
        if way == "withdrawn":
            found.append(Decision(end, scope, False))
    if dice.random() < 0.5:
        found.append(Decision(dice.randrange(2, days), "transcripts", False, by_person=True))
    return found


def hours_of(person: Person, dice: Random) -> list[int]:
    """When they talk on a day: Clara's people mornings and evenings, others when they like to."""
    if person.companion == "clara":
        return [hour for hour in (dice.choice((7, 8, 9)), dice.choice((19, 20, 21))) if dice.random() < 0.8]
    return [dice.choice(HOURS[person.part])] if dice.random() < 0.8 else []


def says(person: Person, day: int, hour: int, days: int, dice: Random) -> list[str]:
    """What they say in one talk."""
    morning, evening, left = UNEASINESS[person.kind]
    usual = morning if hour < 12 else evening
    uneasy = usual * (1 - (1 - left) * day / max(1, days - 1))
    lines = [dice.choice(UNEASY if dice.random() < uneasy else CALM) for _ in range(2)]
    if person.companion == "clara":
        lines.append(QUESTIONS[dice.choice(tuple(QUESTIONS))])
    if dice.random() < 0.2:
        lines.append(f"I had a good cup of tea with {person.word}.")
    if day in person.secrets and person.secret not in " ".join(person.said[-8:]):
        lines.append(f"My {person.secret} son hits me when nobody is there.")
    return lines


def check_in(person: Person, day: int, days: int, dice: Random) -> dict[Measure, int]:
    """How they say they are on a day: a line with noise around it."""
    share = day / max(1, days - 1) - 0.5
    ways: dict[Direction, int] = {"rising": 1, "steady": 0, "falling": -1}
    said: dict[Measure, int] = {}
    for measure, direction in SLOPES[person.kind].items():
        value = 5.5 + ways[direction] * CHANGE * share + dice.gauss(0, NOISE)
        said[measure] = min(10, max(1, round(value)))
    return said
