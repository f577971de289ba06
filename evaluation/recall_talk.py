"""What the dialogues of the sets of recall teach: what is a change, whose a thing is, what is the latest word on it,
and what comes before what.

A request of a set names the messages that it needs and those that would be wrong: what is outdated, and what is
somebody else's. So where both are the person's own, the needed one tells a change and is the latest word on the matter
of the wrong one; and what is needed is outdated by nothing. How surely a message tells a change, or of somebody else,
is taken, for a dialogue, from what was learned of the other hands, as it will be for dialogues that nobody has seen;
the rest is heard as by the file that ships.
"""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace
from sklearn.linear_model import LogisticRegression

from evaluation.recall import Row as Dialogue
from evaluation.recall_rows import Maker, Row, fit_label
from memory.recall import WORKING, Remembered, Stated, stated_by
from memory.recall_heard import CHANGES, OTHERS
from memory.recall_latest import signs
from memory.recall_order import Signs
from memory.recall_told import OVERHEARD, as_value, heard_in, told_in

HERE = Path(__file__).parent
UNSEEN = ("recall_twentyfifth", "recall_twentysixth")
"""Sets of which nothing is learned, so that they tell how well what is learned does."""
LIKELY = 0.5  # from here on a wrong message is taken for somebody else's
STRENGTH = 0.3
ORDER_STRENGTH = 0.1
LIMIT = 3  # messages that are brought back
WRONG = 3.0  # what it counts that a message that would be wrong comes after the needed one
BESIDE = 0.3  # and that any other does
PARTS = 6  # of the hands: one is read by what was learned of the others


class Talk(msgspec.Struct, frozen=True):
    """A dialogue of a set, and by whom it is."""

    hand: str
    row: Dialogue

    def places(self) -> dict[str, int]:
        """Where each message stands."""
        return {one.id: at for at, one in enumerate(self.row.messages)}


class Marked(msgspec.Struct, frozen=True):
    """What the requests of a dialogue tell of its messages, by their places: latest words with what they are of."""

    needed: frozenset[int]
    others: frozenset[int]
    pairs: frozenset[tuple[int, int]]


def dialogues(without: Sequence[str] = ()) -> list[Talk]:
    """The dialogues of the sets, but for the unseen and some."""
    files = [*sorted((HERE / "sets").glob("recall*.jsonl")), HERE / "training/recall_ends.jsonl"]
    return [
        Talk(file.stem, msgspec.json.decode(line, type=Dialogue))
        for file in files
        if file.stem not in {*UNSEEN, *without}
        for line in file.read_bytes().splitlines()
    ]


def marked(talk: Talk, likely: dict[str, float]) -> Marked:
    """What its requests tell of a dialogue; ``likely`` is the chance of a text to tell of somebody else."""
    places, texts = talk.places(), {one.id: one.text for one in talk.row.messages}
    needed: set[int] = set()
    others: set[int] = set()
    pairs: set[tuple[int, int]] = set()
    for query in talk.row.queries:
        right = [places[each] for each in query.right]
        needed.update(right)
        for wrong in query.wrong if right else ():
            at = places[wrong]
            if at > max(right) or likely[texts[wrong]] >= LIKELY:
                others.add(at)
            else:
                pairs.update((each, at) for each in right if each > at)
    return Marked(frozenset(needed), frozenset(others), frozenset(pairs))


class Lesson(msgspec.Struct, frozen=True):
    """A message of the person, its dialogue and place there, and its row."""

    dialogue: int
    at: int
    row: Row


def lessons(
    talks: Sequence[Talk], said: Sequence[Row], like: dict[str, str]
) -> tuple[list[Lesson], list[Marked]]:
    """What is known of each message of the dialogues, and what is marked in each."""
    spoken = [one.text for talk in talks for one in talk.row.messages if one.role == "user"]
    maker = Maker([row.text for row in said], like)
    model = fit_label(OTHERS, maker([row.text for row in said]), said)
    likely = dict(zip(spoken, model.predict_proba(maker(spoken))[:, 1], strict=True))
    marks = [marked(talk, likely) for talk in talks]
    found: list[Lesson] = []
    for number, (talk, mark) in enumerate(zip(talks, marks, strict=True)):
        new = {one for one, _ in mark.pairs}
        own = new | {one for _, one in mark.pairs}
        for at, one in enumerate(talk.row.messages):
            if one.role != "user":
                continue
            surely = at in own or (at in mark.needed and likely[one.text] < LIKELY)
            known = (CHANGES, OTHERS) if surely or at in mark.others else (CHANGES,)
            row = Row(
                talk.hand,
                one.text,
                (),
                other=at in mark.others and at not in own,
                change=at in new,
                known=known,
            )
            found.append(Lesson(number, at, row))
    return found, marks


def by_others(label: str, said: Sequence[Row], talk: Sequence[Row], like: dict[str, str]) -> list[float]:
    """The chance of a label of each row of ``talk``, by what was learned of the other hands."""
    every = [*said, *talk]
    made = Maker([row.text for row in every], like)([row.text for row in every])
    hands = np.array([row.hand for row in every])
    found = np.zeros(len(every))
    names = sorted({row.hand for row in talk})
    for part in range(PARTS):
        unseen = np.isin(hands, names[part::PARTS])
        known = np.flatnonzero(~unseen)
        model = fit_label(label, made[known], [every[at] for at in known])
        found[unseen] = model.predict_proba(made[unseen])[:, 1]
    return [float(one) for one in found[len(said) :]]


class Taught(msgspec.Struct, frozen=True):
    """What is known of each message of the dialogues, what each sign of a latest word counts, that of all first, and
    what each sign of the order counts.
    """

    talk: list[Row]
    latest: tuple[float, ...]
    order: Signs


def taught(talks: Sequence[Talk], said: Sequence[Row], like: dict[str, str]) -> Taught:
    """What the dialogues teach."""
    found, marks = lessons(talks, said, like)
    talk = [one.row for one in found]
    chances = zip(*(by_others(label, said, talk, like) for label in (CHANGES, OTHERS)), strict=True)
    heard = {(one.dialogue, one.at): each for one, each in zip(found, chances, strict=True)}
    stated = [
        [_as_heard(one, *heard[number, one.position]) for one in _stated(talk)]
        for number, talk in enumerate(talks)
    ]
    latest = _latest(stated, marks)
    return Taught(talk, latest, _order(talks, stated, latest))


def _stated(talk: Talk) -> list[Stated]:
    return stated_by([(one.id, one.role, one.text) for one in talk.row.messages])


def _as_heard(one: Stated, change: float, other: float) -> Stated:
    """A message as it is heard with these chances to tell a change, and of somebody else."""
    statements = [
        replace(each, value=as_value({**heard_in(each), CHANGES: change, OTHERS: other}))
        if each.attribute == OVERHEARD
        else each
        for each in one.statements
    ]
    return replace(one, statements=tuple(statements))


def _latest(stated: Sequence[Sequence[Stated]], marks: Sequence[Marked]) -> tuple[float, ...]:
    rows: list[tuple[float, ...]] = []
    right: list[bool] = []
    for every, mark in zip(stated, marks, strict=True):
        telling = [(one.position, told_in(one.text, one.statements)) for one in every]
        for (at, old), (later, new) in combinations(telling, 2):
            if new.is_news():
                rows.append(signs(new, old))
                right.append((later, at) in mark.pairs)
    made = np.array(rows)
    spread = made.std(axis=0)
    model = LogisticRegression(C=STRENGTH, max_iter=1_000).fit(made / spread, right)
    weights = model.coef_[0] / spread
    return float(model.intercept_[0]), *map(float, weights)


def _order(talks: Sequence[Talk], stated: Sequence[Sequence[Stated]], latest: tuple[float, ...]) -> Signs:
    """What is needed comes before all else that may be brought back, and above all before what would be wrong."""
    apart: list[np.ndarray] = []
    counts: list[float] = []
    for talk, every in zip(talks, stated, strict=True):
        remembered = Remembered(every, latest=latest)
        for query in talk.row.queries:
            weighed = remembered.weighed(query.query, LIMIT, len(talk.row.messages) - WORKING)
            found = {stated.message_id: its for (_, stated), its in weighed}
            right = [np.array(found[name]) for name in query.right if name in found]
            for name in found.keys() - {*query.right}:
                apart += [one - np.array(found[name]) for one in right]
                counts += [(WRONG if name in query.wrong else BESIDE) / len(right) for _ in right]
    made = np.array(apart)
    spread = made.std(axis=0)
    both = np.concatenate([made, -made]) / spread
    model = LogisticRegression(C=ORDER_STRENGTH, fit_intercept=False, max_iter=1_000)
    model.fit(both, [True] * len(made) + [False] * len(made), sample_weight=counts * 2)
    worth, safety, other, overtaken = map(float, model.coef_[0] / spread)
    return worth, safety, other, overtaken
