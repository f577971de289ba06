"""Train the weights of `memory.matters` and write them as package data.

    python -m evaluation.train_questions [--out memory/data/questions.bin]

Trains on `evaluation/training/questions.txt` alone. Common questions ("Where am I?") stand there and in the sets that
are scored, and after a set's first score the classes of its misses were written into the file in other words: only
first scores say what to expect. Words the file does not have are read as the nearest that it has (`words.bin`, made by
`evaluation.distil_words`). Needs numpy and scikit-learn.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from memory.lanes import OFFSET
from memory.matters import FILE, OTHERWISE, Weights, pack
from memory.questions import question_features
from memory.vocabulary import names as name_table
from memory.vocabulary import word_set
from memory.wordvectors import known_words, vector

HERE = Path(__file__).parent
FEWEST = 2  # texts a feature must occur in
TYPE_STRENGTH = 3.0
MATTER_STRENGTH = 5.0
ALIKE = 0.65  # cosine from which a word never met is read as the nearest one that was
CLIPPED = 99.97  # percentile of weights beyond which they are cut


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


def likes(names: Sequence[str]) -> Iterator[str]:
    """Each word with a vector that is no feature, with the nearest that is one, if it is near enough."""
    features = set(names)
    left_out = word_set("stop_words") | name_table().known
    words = [word for word in known_words() if len(word) > 2 and word not in left_out]
    rows = np.array([vector(word) for word in words])
    met = np.array([f"w {word}" in features for word in words])
    nearness = rows[~met] @ rows[met].T
    new, old = np.array(words)[~met], np.array(words)[met]
    for word, most, at in zip(new, nearness.max(1), nearness.argmax(1), strict=True):
        if most > ALIKE:
            yield f"{word} {old[at]}"


def trained(found: list[Row]) -> Weights:
    """Both readings over the features that occur often enough, as bytes."""
    read = [question_features(row.text) for row in found]
    vectorizer = DictVectorizer()
    table = vectorizer.fit_transform([dict.fromkeys(features, 1) for features in read])
    often = np.asarray(table.getnnz(0)).ravel() >= FEWEST
    table = table[:, often].tocsr()
    names = vectorizer.get_feature_names_out()[often].tolist()
    types = LogisticRegression(C=TYPE_STRENGTH, max_iter=500).fit(table, [row.type for row in found])
    told = [at for at, row in enumerate(found) if row.matter]
    matters = LogisticRegression(C=MATTER_STRENGTH, max_iter=500)
    matters.fit(table[told], [found[at].matter for at in told])
    weights = np.vstack([types.coef_, matters.coef_])
    steps = np.percentile(np.abs(weights), CLIPPED, axis=1) / 127
    packed = np.clip(np.round(weights / steps[:, None]), -127, 127).astype(int) + OFFSET
    return Weights(
        classes=tuple(types.classes_.tolist()),
        matters=tuple(matters.classes_.tolist()),
        features="\n".join(names),
        likes="\n".join(likes(names)),
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
