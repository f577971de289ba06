"""Train the readings of what messages tell and what requests need, and write them as package data.

    python -m evaluation.train_recall [--hands] [--without SET ...] [--out memory/data/recall.bin]

Reads `evaluation/training/recall_said.jsonl` and `recall_asked.jsonl`: sentences written for this project by several
people who knew nothing of the reader, each with the matters it tells of or needs. Of the sets of recall is learned as
well: whether a request needs anything; whether a message tells a change, or of somebody else; which message is the
latest word on the matter of which earlier one; and in which order what is found comes back. ``--hands`` leaves each
hand out in turn and prints the average precision on it. Needs numpy, scipy and scikit-learn.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from sklearn.metrics import average_precision_score

from evaluation.recall_rows import VECTOR, Maker, Row, alike, classes, fit_label, is_so
from evaluation.recall_talk import Talk, dialogues, taught
from memory.lanes import OFFSET
from memory.recall_heard import ASKS, MATTERS, NEEDS, TELLS, File, Weights, pack

HERE = Path(__file__).parent
OUT = HERE.parent / "memory/data/recall.bin"
SLIGHT = 0.02  # of the heaviest weight: a feature that says less of everything is left out


def rows(name: str) -> list[Row]:
    """Sentences of training."""
    lines = (HERE / f"training/{name}.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Row) for line in lines]


def requests(talks: Sequence[Talk]) -> list[Row]:
    """The requests of the sets; of them is known only whether they need anything."""
    return [
        Row(each.hand, query.query, (NEEDS,) if query.right else (), known=(NEEDS,))
        for each in talks
        for query in each.row.queries
    ]


def reading(labels: Sequence[str], among: Sequence[Row], like: dict[str, str]) -> Weights:
    """One reading."""
    maker = Maker([row.text for row in among], like)
    made = maker([row.text for row in among])
    models = [fit_label(label, made, among) for label in labels]
    found = [(model.coef_[0], float(model.intercept_[0])) for model in models]
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
            chance = fit_label(label, made, learn).predict_proba(unseen)[:, 1]
            told.append(f"{label} {average_precision_score([*map(is_so(label), judge)], chance):.2f}")
        print(f"{hand}: {'  '.join(told)}")


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", action="store_true")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument(
        "--without", nargs="*", default=(), help="sets of which nothing is learned (recall_tenth)"
    )
    chosen = parser.parse_args()
    said, asked, of = rows("recall_said"), rows("recall_asked"), classes()
    like = alike(of)
    if chosen.hands:
        by_hands(TELLS, said, like)
        by_hands(ASKS, asked, like)
    talks = dialogues(chosen.without)
    learned = taught(talks, said, like)
    tells = reading(TELLS, [*said, *learned.talk], like)
    asks = reading(ASKS, [*asked, *requests(talks)], like)
    file = File(tells, asks, of, learned.latest, learned.order)
    content = pack(file)
    chosen.out.write_bytes(content)
    sizes = " and ".join(str(len(one.features.split("\n"))) for one in (file.tells, file.asks))
    print(" ".join(f"{one:.2f}" for one in (*learned.latest, *learned.order)))
    print(
        f"{chosen.out}: {len(content)} bytes, {sizes} features, {len(said)} and {len(asked)} sentences, {MATTERS}"
    )


if __name__ == "__main__":
    main()
