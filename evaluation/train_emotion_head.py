"""Train the emotion reader's head on vectors and write it as package data.

    python -m evaluation.train_emotion_head VECTORS.npz [--out memory/data/emotion_head.bin]

``VECTORS.npz`` holds all-MiniLM-L6-v2's vectors (``evaluation.sentence_vectors.Encoder``) of GoEmotions' training
part (``written``, rows of ``reddit_rows``) and of the sentences in ``evaluation/training`` (``spoken``, rows of
``own_rows``), with their labels (``written_labels``, ``spoken_labels``). Needs numpy and scikit-learn.
"""

import argparse
from pathlib import Path

import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression

from memory.emotion_cues import FINE
from memory.emotion_head import Head

MOST_EACH = 1_200  # written rows of a label: neutral alone has ten times as many as most others
SPOKEN_WEIGHT = 4.0
STRENGTH = 3.0
SEED = 3


def main() -> None:
    """Train on both kinds of text and round to signed bytes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--out", type=Path, default=Path("memory/data/emotion_head.bin"))
    options = parser.parse_args()
    data = np.load(options.vectors)
    chance = np.random.default_rng(SEED)
    labels = data["written_labels"]
    chosen = np.concatenate(
        [chance.permutation(np.where(labels == each)[0])[:MOST_EACH] for each in np.unique(labels)]
    )
    texts = np.concatenate([data["spoken"], data["written"][chosen]])
    names = np.concatenate([data["spoken_labels"], labels[chosen]])
    weight = np.concatenate([np.full(len(data["spoken"]), SPOKEN_WEIGHT), np.ones(len(chosen))])
    model = LogisticRegression(C=STRENGTH, max_iter=200).fit(texts, names, sample_weight=weight)
    order = [list(model.classes_).index(fine) for fine in FINE]
    steps = np.abs(model.coef_[order]).max(1) / 127
    rounded = np.round(model.coef_[order] / steps[:, None]).astype(np.int8)
    made = Head(rounded.tobytes(), tuple(steps.tolist()), tuple(model.intercept_[order].tolist()))
    options.out.write_bytes(msgspec.msgpack.encode(made))


if __name__ == "__main__":
    main()
