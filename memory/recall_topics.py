"""What a message asks for, and what each topic needs to know of the person: the policy of the coach's
recall.

The table (``recall.toml``, or one of the companion's own) says which words touch which topic and how much a
topic needs each kind of statement. A message for general knowledge, or for a chat, asks for nothing.
"""

import re
from functools import cache
from typing import NamedTuple

import msgspec

from memory import data
from memory.statements_ends import core
from memory.statements_kinds import Statement
from memory.statements_subjects import relation
from memory.statements_words import Words, known_words, read_groups
from memory.text import folded, words


class Topic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something a message can be about, and what it needs to know of the person, each from 0 to 1."""

    name: str
    cues: str
    needs: dict[str, float]


class Needs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The policy of a recall: topics, their needs, and the floor below which nothing comes back."""

    floor: float
    named_bonus: float
    other_bonus: float
    household: float
    elsewhere: float
    knowledge: str
    chat: str
    asks: str
    tells: str
    only_asked: str
    movement: str
    somebody: str
    own_aside: float
    family: str
    not_named: str
    groups: dict[str, str]
    by_group: dict[str, str]
    topic: tuple[Topic, ...]
    regions: dict[str, str]


class Wanted(NamedTuple):
    """What a topic needs, by kind of statement: plainly, and of those that belong to a group."""

    name: str
    by_kind: dict[str, tuple[float, tuple[tuple[str, float], ...]]]


class Asked(msgspec.Struct, frozen=True):
    """What a message asks for: topics, regions of the body, people it names, and its own words.

    ``tells`` when it only tells of what was, ``aside`` when it asks on somebody else's account ("his lunch box").
    """

    topics: tuple[Wanted, ...]
    regions: frozenset[str]
    people: frozenset[str]
    household: bool
    words: frozenset[str]
    tells: bool = False
    aside: bool = False


@cache
def default_needs() -> Needs:
    """The needs of the table that ships."""
    found: Needs = data.table("recall.toml", Needs)
    return found


class Reader:
    """A policy made ready: reads what a message asks for, and what a statement belongs to."""

    def __init__(self, needs: Needs) -> None:
        self.needs = needs
        self._cues = read_groups({topic.name: _apart(topic.cues) for topic in needs.topic})
        self._groups = read_groups({name: _apart(listed) for name, listed in needs.groups.items()})
        self._regions = read_groups({name: _apart(listed) for name, listed in needs.regions.items()})
        self._by_name = {topic.name: _wanted(topic) for topic in needs.topic}
        self._narrow = frozenset(
            name.split("/")[1] for topic in needs.topic for name in topic.needs if "/" in name
        )
        self._knowledge = re.compile(needs.knowledge)
        self._chat = re.compile(needs.chat)
        self._asks = re.compile(needs.asks)
        self._tells = re.compile(needs.tells)
        self._somebody = re.compile(needs.somebody)
        self._only_asked = frozenset(needs.only_asked.split())
        self._family = frozenset(needs.family.split())
        self._not_named = frozenset(needs.not_named.split())

    def asked(self, query: str) -> Asked | None:
        """What ``query`` asks for; ``None`` when it needs nothing of the person."""
        text = folded(query)
        if not text or self._chat.match(text) or self._knowledge.search(text):
            return None
        said = words(query)
        asks = bool(self._asks.search(text))
        regions = _all(self._regions, said)
        touched = _all(self._cues, said) | self._by_groups(said)
        if asks and regions:
            touched |= {self.needs.movement}
        topics = sorted(touched if asks else touched - self._only_asked)
        own = frozenset(
            word for word in core(" ".join(said)) if len(word) > 2 and word not in self._not_named
        )
        return Asked(
            tuple(self._by_name[name] for name in topics),
            regions,
            frozenset(relation(word.removesuffix("'s")) for word in said),
            bool(self._family & set(said)),
            own,
            not asks and bool(self._tells.search(text)),
            bool(self._somebody.search(text)),
        )

    def _by_groups(self, said: list[str]) -> frozenset[str]:
        """The topics that words of a shared group touch: any food asks about food."""
        singular = [word[:-1] for word in said if word.endswith("s")]
        groups = known_words().groups(" ".join(said))
        return _all(self._cues, singular) | {
            self.needs.by_group[name] for name in groups & self.needs.by_group.keys()
        }

    def groups(self, statement: Statement) -> frozenset[str]:
        """The groups that a statement belongs to, by its value and by the sentence that says it."""
        said = words(f"{statement.value} {statement.attribute} {statement.words}")
        value = " ".join(words(f"{statement.value} {statement.attribute}"))
        return _all(self._groups, said) | known_words().groups(value)

    def telling(self, statement: Statement, groups: frozenset[str]) -> frozenset[str]:
        """Those of a statement's groups, and its attribute, by which a topic's need of it can differ."""
        return (groups | {statement.attribute}) & self._narrow


def _wanted(topic: Topic) -> Wanted:
    kinds = {name.split("/")[0] for name in topic.needs}
    narrow = [(*name.partition("/")[::2], weight) for name, weight in topic.needs.items() if "/" in name]
    return Wanted(
        topic.name,
        {
            kind: (
                topic.needs.get(kind, 0.0),
                tuple((group, weight) for of, group, weight in narrow if of == kind),
            )
            for kind in kinds
        },
    )


def _apart(listed: str) -> str:
    """Cues as messages are read: a word with a hyphen is two."""
    return listed.replace("-", "_")


@cache
def default_reader() -> Reader:
    """The reader of the table that ships, made on first use."""
    return Reader(default_needs())


def _all(table: Words, said: list[str]) -> frozenset[str]:
    return frozenset[str]().union(*(names for _, _, names in table.spans(said)))


def need(topic: Wanted, kind: str, groups: frozenset[str]) -> float:
    """How much ``topic`` needs a statement of ``kind`` that belongs to ``groups`` (its attribute among them): the most
    specific need that fits decides, else its kind's.
    """
    plain, narrow = topic.by_kind.get(kind, (0.0, ()))
    return max((weight for name, weight in narrow if name in groups), default=plain)
