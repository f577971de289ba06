"""What statements are worth to a message, and in which order they are looked at.

Pure: the numbers of statements stand for them, a later one is higher.
"""

from collections.abc import Iterable, Iterator, Reversible, Sequence
from itertools import takewhile

import msgspec

from memory.recall_topics import Needed, Needs
from memory.statements_kinds import SAFETY, StatementKind
from memory.statements_subjects import is_relation

A_HAIR = 1e-9  # more than sums of the same weights in another order differ by


class Kind:
    """Kin that a topic needs alike: of one kind, with the same that tells about it."""

    __slots__ = ("name", "others", "own", "safety")

    def __init__(self, name: StatementKind) -> None:
        self.name: StatementKind = name
        self.safety = name in SAFETY
        self.own: list[Kin] = []  # about the person
        self.others: list[Kin] = []


class Kin:
    """Statements that are needed alike, by their numbers, the latest last."""

    __slots__ = ("kind", "numbers", "own", "related", "subject")

    def __init__(self, kind: Kind, subject: str) -> None:
        self.kind = kind
        self.subject = subject
        self.own = subject == "user"
        self.related = is_relation(subject)
        self.numbers: dict[int, None] = {}


class Want(msgspec.Struct, frozen=True, gc=False):
    """How much a topic needs a kind of statement, and from which number on."""

    kind: Kind
    weight: float
    topic: str
    first: int


class Worth(msgspec.Struct, frozen=True, gc=False):
    """What statements of a kind are worth, by their numbers, which rise."""

    score: float
    want: Want
    numbers: Reversible[int]


Group = tuple[float, Sequence[Worth]]
"""What some statements are worth, and the most that one of them or of those in later groups can be worth."""


def in_turn(groups: Iterable[Group]) -> Iterator[tuple[Worth, int]]:
    """The numbers of statements, the best first, and the latest among those that are worth the same."""
    ranks: dict[tuple[float, bool], list[Worth]] = {}
    for most, group in groups:
        while ranks and (best := max(ranks))[0] > most + A_HAIR:  # nothing that comes is worth as much
            yield from _latest_first(ranks.pop(best))
        for each in group:
            ranks.setdefault((each.score, each.want.kind.safety), []).append(each)
    for rank in sorted(ranks, reverse=True):
        yield from _latest_first(ranks[rank])


def _latest_first(alike: Sequence[Worth]) -> Iterator[tuple[Worth, int]]:
    if len(alike) == 1:
        one = alike[0]
        yield from ((one, number) for number in takewhile(one.want.first.__le__, reversed(one.numbers)))
        return
    together: dict[int, Worth] = {}
    for each in alike:
        together |= dict.fromkeys(each.numbers, each)
    for number in sorted(together, reverse=True):
        if number >= together[number].want.first:
            yield together[number], number


def whose(kin: Kin, asked: Needed, needs: Needs, score: float) -> float:
    """The score with regard to whom the statement is about: somebody else only when the message is too."""
    if kin.own:
        return score * needs.own_aside if asked.aside else score
    if kin.subject in asked.people:
        return score + needs.other_bonus if score else 0.0
    if asked.aside and kin.related:
        return score
    return score * needs.household if asked.household and kin.related else 0.0
