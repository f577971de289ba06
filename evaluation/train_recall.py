"""Train the readings of what messages tell and what requests need, and write them as package data.

    python -m evaluation.train_recall [--hands] [--out memory/data/recall.bin]

Reads `evaluation/training/recall_said.jsonl` and `recall_asked.jsonl`: sentences written for this project by several
people who knew nothing of the reader, each with the matters it tells of or needs. Whether a request needs anything is
learned from the requests of the sets of recall as well. ``--hands`` leaves each hand out in turn and prints the average
precision on it. Needs numpy, scipy and scikit-learn.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from memory import wordvectors
from memory.answer_reader import weights as weights_of_answers
from memory.lanes import OFFSET
from memory.recall_heard import (
    ASKS,
    CHANGES,
    FEWEST,
    MATTERS,
    NEEDS,
    OTHERS,
    SPREAD,
    TELLS,
    File,
    Weights,
    features,
    heard_words,
    pack,
)

HERE = Path(__file__).parent
OUT = HERE.parent / "memory/data/recall.bin"
FEWEST_ROWS = 2  # with a feature
STRENGTH = 3.0
VECTOR = 1.5  # what the vector of a message counts beside its features
SLIGHT = 0.02  # of the heaviest weight: a feature that says less of everything is left out
MOST_ROUNDS = 500


class Row(msgspec.Struct, frozen=True):
    """A sentence, by whom, and what it tells or needs."""

    hand: str
    text: str
    kinds: tuple[str, ...]
    other: bool = False
    change: bool = False


class Query(msgspec.Struct, frozen=True):
    """A request of a set, and the messages that matter for it."""

    query: str
    right: tuple[str, ...]


class Dialogue(msgspec.Struct, frozen=True):
    """The requests of a dialogue of a set."""

    queries: tuple[Query, ...]


def rows(name: str) -> list[Row]:
    """Sentences of training."""
    lines = (HERE / f"training/{name}.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Row) for line in lines]


def requests() -> list[Row]:
    """The requests of the sets; of them is known only whether they need anything."""
    return [
        Row(file.stem, query.query, (NEEDS,) if query.right else ())
        for file in sorted((HERE / "sets").glob("recall*.jsonl"))
        for line in file.read_bytes().splitlines()
        for query in msgspec.json.decode(line, type=Dialogue).queries
    ]


def classes() -> bytes:
    """The class of each word that has a vector: that of the reader of answers, 0 for none."""
    file = weights_of_answers()
    known = dict(zip(file.words.split("\n"), file.classes, strict=True))
    return bytes(min(255, known[word] + 1) if word in known else 0 for word in wordvectors.known_words())


def alike(of: bytes) -> dict[str, str]:
    """The classes as features."""
    return {word: f"#{one}" for word, one in zip(wordvectors.known_words(), of, strict=True) if one}


class Maker:
    """Sentences as rows of numbers."""

    def __init__(self, texts: Sequence[str], like: dict[str, str]) -> None:
        self.like = like
        count = Counter(name for text in texts for name in features(heard_words(text), like))
        self.names = sorted(name for name, number in count.items() if number >= FEWEST_ROWS)
        self.column = {name: at for at, name in enumerate(self.names)}

    def __call__(self, texts: Sequence[str]) -> sp.csr_matrix:
        """One row a sentence: its features, scaled as the reader scales them, then its vector."""
        at, values, ends, dense = [], [], [0], []
        for text in texts:
            said = heard_words(text)
            found = [self.column[name] for name in features(said, self.like) if name in self.column]
            at += found
            values += [SPREAD / np.sqrt(max(FEWEST, len(found)))] * len(found)
            ends.append(len(at))
            dense.append(wordvectors.sentence(said) or (0.0,) * len(wordvectors.vector("the") or ()))
        sparse = sp.csr_matrix((values, at, ends), shape=(len(texts), len(self.names)))
        return sp.hstack([sparse, sp.csr_matrix(np.array(dense) * VECTOR)]).tocsr()


def is_so(label: str) -> Callable[[Row], bool]:
    """Whether a row has a label."""
    return {
        OTHERS: lambda row: row.other,
        CHANGES: lambda row: row.change,
        NEEDS: lambda row: bool(row.kinds),
    }.get(label, lambda row: label in row.kinds)


def fit(made: sp.csr_matrix, right: Sequence[bool]) -> LogisticRegression:
    """A logistic regression."""
    return LogisticRegression(C=STRENGTH, max_iter=MOST_ROUNDS).fit(made, right)


def reading(
    labels: Sequence[str], among: Sequence[Row], more: Sequence[Row], like: dict[str, str]
) -> Weights:
    """One reading; ``more`` are rows of which only is known whether they need anything."""
    every = [*among, *more]
    maker = Maker([row.text for row in every], like)
    made = maker([row.text for row in every])
    found = []
    for label in labels:
        taken = len(every) if label == NEEDS else len(among)
        model = fit(made[:taken], [*map(is_so(label), every[:taken])])
        found.append((model.coef_[0], float(model.intercept_[0])))
    size = len(maker.names)
    table = np.array([coefficients[:size] for coefficients, _ in found])
    most = np.abs(table).max(axis=1)
    kept = np.flatnonzero((np.abs(table) > SLIGHT * most[:, None]).any(axis=0))
    steps = most / (OFFSET - 1)
    lanes = np.clip(np.rint(table[:, kept] / steps[:, None]) + OFFSET, 0, 255).astype(np.uint8)
    return Weights(
        labels=tuple(labels),
        features="\n".join(maker.names[at] for at in kept),
        bytes=lanes.T.tobytes(),
        steps=tuple(map(float, steps)),
        biases=tuple(bias for _, bias in found),
        rows=tuple(tuple(round(float(one) * VECTOR, 4) for one in each[size:]) for each, _ in found),
    )


def by_hands(labels: Sequence[str], among: Sequence[Row], like: dict[str, str]) -> None:
    """Print how well each hand is read by what was learned from the others."""
    for hand in sorted({row.hand for row in among}):
        learn = [row for row in among if row.hand != hand]
        judge = [row for row in among if row.hand == hand]
        maker = Maker([row.text for row in learn], like)
        made, unseen = maker([row.text for row in learn]), maker([row.text for row in judge])
        told = []
        for label in labels:
            chance = fit(made, [*map(is_so(label), learn)]).predict_proba(unseen)[:, 1]
            told.append(f"{label} {average_precision_score([*map(is_so(label), judge)], chance):.2f}")
        print(f"{hand}: {'  '.join(told)}")


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", action="store_true")
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args()
    said, asked, of = rows("recall_said"), rows("recall_asked"), classes()
    like = alike(of)
    if chosen.hands:
        by_hands(TELLS, said, like)
        by_hands(ASKS, asked, like)
    file = File(reading(TELLS, said, [], like), reading(ASKS, asked, requests(), like), of)
    content = pack(file)
    chosen.out.write_bytes(content)
    sizes = " and ".join(str(len(one.features.split("\n"))) for one in (file.tells, file.asks))
    print(
        f"{chosen.out}: {len(content)} bytes, {sizes} features, {len(said)} and {len(asked)} sentences, {MATTERS}"
    )


if __name__ == "__main__":
    main()
