"""Train the weights of `memory.matters` and write them as package data.

    python -m evaluation.train_questions [--out memory/data/questions.bin]

Trains on `evaluation/training/questions.txt` alone. Common questions ("Where am I?") stand there and in the sets that
are scored, and after a set's first score the classes of its misses were written into the file in other words: only
first scores say what to expect. What repeats is learned of these readings, so train it anew after it
(`evaluation.train_repetition`). Needs numpy and scikit-learn.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from memory.lanes import OFFSET
from memory.matters import FILE, OTHERWISE, Weights, pack
from memory.questions import question_features

HERE = Path(__file__).parent
FEWEST = 2  # texts a feature must occur in
TYPE_STRENGTH = 1.0
MATTER_STRENGTH = 1.5
LEAN = 0.6  # added for *general*: what strangers say is oftener a story or a wish than the training has it


class Row(NamedTuple):
    """A text with its class and its matter, None when the line does not say."""

    text: str
    type: str
    matter: str | None


def rows(path: Path) -> Iterator[Row]:
    """The lines of the training file."""
    matter = kind = ""
    for line in path.read_text().splitlines():
        mark, _, rest = line.partition(" ")
        if not line or mark == "#":
            continue
        if mark == "=":
            matter, kind = rest.split()
        elif mark in "!?":
            other, _, text = rest.partition("|")
            yield Row(text, other, OTHERWISE if mark == "!" else None)
        else:
            yield Row(line, kind, matter)


def trained(found: list[Row]) -> Weights:
    """Both readings over the features that occur often enough, as bytes."""
    read = [question_features(row.text) for row in found]
    vectorizer = DictVectorizer()
    table = vectorizer.fit_transform([dict.fromkeys(features, 1) for features in read])
    often = np.asarray(table.getnnz(0)).ravel() >= FEWEST
    table = table[:, often].tocsr()
    names = vectorizer.get_feature_names_out()[often].tolist()
    types = LogisticRegression(C=TYPE_STRENGTH, max_iter=500).fit(table, [row.type for row in found])
    types.intercept_[types.classes_.tolist().index("general")] += LEAN
    told = [at for at, row in enumerate(found) if row.matter]
    matters = LogisticRegression(C=MATTER_STRENGTH, max_iter=500)
    matters.fit(table[told], [found[at].matter for at in told])
    weights = np.vstack([types.coef_, matters.coef_])
    steps = np.abs(weights).max(axis=1) / 127
    packed = np.round(weights / steps[:, None]).astype(int) + OFFSET
    return Weights(
        classes=tuple(types.classes_.tolist()),
        matters=tuple(matters.classes_.tolist()),
        features="\n".join(names),
        bytes=packed.T.astype(np.uint8).tobytes(),
        steps=tuple(float(step) for step in steps),
        biases=tuple(float(bias) for bias in [*types.intercept_, *matters.intercept_]),
    )


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE.parent / "memory" / "data" / FILE)
    out: Path = parser.parse_args().out
    weights = trained(list(rows(HERE / "training" / "questions.txt")))
    out.write_bytes(pack(weights))
    print(
        f"{weights.features.count(chr(10)) + 1} features, {len(weights.matters)} matters, "
        f"{out.stat().st_size} bytes"
    )


if __name__ == "__main__":
    main()
