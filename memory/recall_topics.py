"""What a message asks for, and what each topic needs to know of the person: the policy of the coach's
recall.

The table (``recall.toml``, or one of the companion's own) says which words touch which topic and how much a
topic needs each kind of statement. Whether a message needs anything at all is heard (`memory.recall_heard`).
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

from memory import data
from memory.recall_heard import MATTERS, NEEDS
from memory.recall_heard import asked as heard
from memory.statements_ends import core
from memory.statements_kinds import Statement
from memory.statements_subjects import relation
from memory.statements_words import known_words, read_groups
from memory.text import Remembered, folded, words

_NONE: frozenset[str] = frozenset()
NEVER: Final = 2.0  # a chance that nothing has
SHORT = 300
"""Characters of a message that may be a question and nothing else."""
MOST_BELONGING = 4_096  # statements whose groups are kept: those read now, and needed with the next message


Weight: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Topic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something a message can be about, and what it needs to know of the person, each from 0 to 1."""

    name: str
    cues: str
    needs: dict[str, Weight]


class Needs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The policy of a recall: topics, their needs, and the floor below which nothing comes back.

    ``silent_below`` and ``heard_from`` are chances that a message needs anything at all (`memory.recall_heard`): below
    the first nothing comes back but for the topics of ``never_silent``, from the second on also what rules do not find.

    A policy without ``speaker`` takes every message for one's own, one without ``otherwise`` leaves a request in words
    that no topic has without anything.
    """

    floor: float
    other_bonus: float
    household: float
    impersonal: str
    by_the_way: str
    asks: str
    only_asked: str
    somebody: str
    family: str
    groups: dict[str, str]
    by_group: dict[str, str]
    topic: tuple[Topic, ...]
    speaker: str = ""
    otherwise: str = ""
    personal: str = ""
    question: str = "$^"
    silent_below: float = 0.0
    never_silent: str = ""
    heard_from: float = NEVER


class Needed(msgspec.Struct, frozen=True):
    """What a message asks for: topics, and people it names.

    ``household`` when it is about guests or the family, ``aside`` when it asks on somebody else's account ("his lunch
    box"). ``matters`` is how likely it needs each of `MATTERS` by its words' like, where it surely needs anything.
    """

    topics: tuple[str, ...]
    people: frozenset[str]
    household: bool
    aside: bool
    matters: tuple[float, ...] = ()


@cache
def default_needs() -> Needs:
    """The needs of the table that ships."""
    found: Needs = data.table("recall.toml", Needs)
    return found


class _Word(NamedTuple):
    """What one word of a message asks for by itself."""

    topics: frozenset[str]
    person: str
    family: bool


class Reader:
    """A policy made ready: reads what a message asks for, and what a statement belongs to."""

    def __init__(self, needs: Needs) -> None:
        self.needs = needs
        self._cues = read_groups({topic.name: _apart(topic.cues) for topic in needs.topic})
        self._groups = read_groups({name: _apart(listed) for name, listed in needs.groups.items()})
        self._of_topic = [(topic.name, topic.needs) for topic in needs.topic]
        self._narrow: dict[str, set[str]] = {}  # by kind, the groups and attributes that make a difference
        for name in (name for _, needed in self._of_topic for name in needed if "/" in name):
            kind, _, group = name.partition("/")
            self._narrow.setdefault(kind, set()).add(group)
        self._by_the_way = re.compile(needs.by_the_way)
        self._impersonal = re.compile(needs.impersonal)
        self._asks = re.compile(needs.asks)
        self._somebody = re.compile(needs.somebody)
        self._never_silent = frozenset(needs.never_silent.split())
        self._only_asked = frozenset(needs.only_asked.split())
        self._family = frozenset(needs.family.split())
        self._speaker = frozenset(needs.speaker.split())
        self._otherwise = frozenset({needs.otherwise} if needs.otherwise else ())
        self._question = re.compile(needs.question)
        self._personal = re.compile(needs.personal)
        self._words = Remembered(self._word)
        self._belongs = lru_cache(maxsize=MOST_BELONGING)(self._groups_of)

    def asked(self, query: str) -> Needed | None:
        """What ``query`` asks for; ``None`` when it needs nothing of the person."""
        found = self._by_rules(query)
        if found is None or self.needs.heard_from >= NEVER:
            return found
        chances = heard(query)
        if chances[NEEDS] < self.needs.silent_below:
            return found if not self._never_silent.isdisjoint(found.topics) else None
        if chances[NEEDS] < self.needs.heard_from:
            return found
        return msgspec.structs.replace(found, matters=tuple(chances[matter] for matter in MATTERS))

    def _by_rules(self, query: str) -> Needed | None:
        text = folded(query)
        if not text:
            return None
        said = words(query)
        spoken = not self._speaker.isdisjoint(said)
        if spoken and len(text) <= SHORT and self._by_the_way.search(text):
            spoken = not self._speaker.isdisjoint(words(self._by_the_way.sub(" ", text)))
        if not spoken and len(text) <= SHORT and self._impersonal.search(text):
            return None
        each = [*map(self._words.__getitem__, dict.fromkeys(said))]
        asks = bool(self._asks.search(text))
        touched = frozenset[str]().union(*(word.topics for word in each), self._of_phrases(said))
        if not asks and self._speaker and not spoken:
            touched = _NONE  # it only tells of others (decision D12)
        elif (
            asks
            and touched <= self._only_asked
            and (self._personal.search(text) or (spoken and self._is_question(text)))
        ):
            touched |= self._otherwise
        return Needed(
            tuple(sorted(touched if asks else touched - self._only_asked)),
            frozenset(word.person for word in each),
            any(word.family for word in each),
            bool(self._somebody.search(text)),
        )

    def _is_question(self, text: str) -> bool:
        return bool(self._question.search(text)) if len(text) <= SHORT else "?" in text

    def _word(self, word: str) -> _Word:
        singular = self._cues.of(word[:-1]) if word.endswith("s") else _NONE
        return _Word(
            topics=self._cues.of(word) | singular | self._by_groups(known_words().of(word)),
            person=relation(word.removesuffix("'s")),
            family=word in self._family,
        )

    def _of_phrases(self, said: list[str]) -> frozenset[str]:
        """The topics that phrases of several words touch."""
        singular = [word.removesuffix("s") for word in said]
        cues = (topics for one in (said, singular) for _, _, topics in self._cues.phrases(one))
        shared = (self._by_groups(groups) for _, _, groups in known_words().phrases(said))
        return frozenset[str]().union(*cues, *shared)

    def _by_groups(self, groups: frozenset[str]) -> frozenset[str]:
        """The topics that words of a shared group touch: any food asks about food."""
        return frozenset(self.needs.by_group[name] for name in groups & self.needs.by_group.keys())

    def take_note(self, statements: Iterable[Statement]) -> None:
        """Look up what ``statements`` belong to, which are about to be held, so that it is known by then."""
        for statement in statements:
            self.groups(statement)
            core(statement.value)

    def groups(self, statement: Statement) -> frozenset[str]:
        """The groups that a statement belongs to, by its value and by the sentence that says it."""
        return self._belongs(statement.value, statement.attribute, statement.words)

    def _groups_of(self, value: str, attribute: str, sentence: str) -> frozenset[str]:
        named = words(f"{value} {attribute}")
        said = words(f"{value} {attribute} {sentence}")
        return self._groups.groups_of(said) | known_words().groups_of(named)

    def telling(self, statement: Statement, groups: frozenset[str]) -> frozenset[str]:
        """Those of a statement's groups, and its attribute, by which a topic's need of it can differ."""
        return (groups | {statement.attribute}) & self._narrow.get(statement.kind, _NONE)

    def needing(self, kind: str, telling: frozenset[str]) -> list[tuple[str, float]]:
        """The topics that need statements of a kind, and how much: of each topic the most specific need that fits
        decides, else its kind's.
        """
        found: list[tuple[str, float]] = []
        for topic, needs in self._of_topic:
            narrow = [needs[name] for name in (f"{kind}/{group}" for group in telling) if name in needs]
            weight = max(narrow, default=needs.get(kind, 0.0))
            if weight:
                found.append((topic, weight))
        return found


def _apart(listed: str) -> str:
    """Cues as messages are read: a word with a hyphen is two."""
    return listed.replace("-", "_")


@cache
def default_reader() -> Reader:
    """The reader of the table that ships, made on first use."""
    return Reader(default_needs())
