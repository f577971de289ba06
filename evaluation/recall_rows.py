"""Sentences of training for the readings of a recall, and what tells a label of them."""

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from memory import wordvectors
from memory.answer_reader import weights as weights_of_answers
from memory.recall_heard import CHANGES, FEWEST, NEEDS, OTHERS, SPREAD, features, heard_words

FEWEST_ROWS = 2  # with a feature
STRENGTH = 3.0
VECTOR = 1.5  # what the vector of a message counts beside its features
MOST_ROUNDS = 500


class Row(msgspec.Struct, frozen=True):
    """A sentence, by whom, and what it tells or needs."""

    hand: str
    text: str
    kinds: tuple[str, ...]
    other: bool = False
    change: bool = False
    known: tuple[str, ...] = ()
    """The labels of which it is known whether they hold; none when it is known of all."""


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


def fit_label(label: str, made: sp.csr_matrix, among: Sequence[Row]) -> LogisticRegression:
    """What tells a label, from the rows of which it is known whether it holds."""
    known = [at for at, row in enumerate(among) if not row.known or label in row.known]
    return fit(made[known], [is_so(label)(among[at]) for at in known])
