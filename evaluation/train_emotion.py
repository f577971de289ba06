"""Train the weights of the emotion reader and write them as package data.

    python -m evaluation.train_emotion --data GOEMOTIONS_DIR --vectors WORDS.npz [--out memory/data/emotion.bin]

Two linear readings are trained: ``spoken`` on the sentences in ``evaluation/training`` (written for this project),
``written`` on GoEmotions (Demszky et al., 2020, Apache-2.0), and a gate that tells the two kinds of text apart.
Character pieces and word vectors (``evaluation.sentence_vectors``) take part in training only: what they add to a
word is folded into the word's own weights. Development sets are used for one thing, the temperature of the
confidence. Needs numpy, scipy and scikit-learn.
"""

import argparse
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from memory.emotion import SETS, EmotionSet
from memory.emotion_cues import FINE, cues
from memory.emotion_features import features
from memory.emotion_weights import FEWEST_WORDS, Weights, pack
from memory.lanes import OFFSET
from memory.phrases import tokens

HERE = Path(__file__).parent
MOST_WORDS = 21_500
MOST_SPOKEN_PAIRS = 5_000
MOST_WRITTEN_PAIRS = 14_500
PIECE_SHARE = 0.5
CLIPPED = 0.99995
SPOKEN_FIT = (10.0, 1.0, 150)  # strength, power, rounds
WRITTEN_FIT = (1.8, 0.5, 60)
GATE_FIT = (1.0, 1.0, 100)
SPOKEN_ONLY = "emotion_[0-9].txt"  # plain statements are said and written alike and tell the gate nothing
RARITY = 0.1  # how much a frequent word's vector counts less (smooth inverse frequency)

# The grouping of GoEmotions' labels; rows with several labels, or with one that is not here, are left out.
GROUPS = {
    "joy": "joy amusement excitement love pride",
    "sadness": "sadness grief disappointment remorse",
    "anger": "anger annoyance",
    "anxious": "nervousness",
    "calm": "relief",
    "hopeful": "optimism",
    "grateful": "gratitude",
    "fear": "fear",
    "surprise": "surprise",
    "disgust": "disgust",
    "neutral": "neutral",
}
SCARCE = {"calm": 1.0}  # 88 rows in 26,000: without a push it is never read; chosen on the dev part
MASKS = re.compile(r"\[(NAME|RELIGION)\]")

Rows = list[tuple[str, str]]


def reddit_rows(file: Path) -> Rows:
    """The rows of a GoEmotions file with one label that has a group: text and group."""
    groups = {name: group for group, names in GROUPS.items() for name in names.split()}
    names = (file.parent / "labels.txt").read_text().split()
    rows = []
    for line in file.read_text().splitlines():
        text, labels, _ = line.split("\t")
        if "," not in labels and names[int(labels)] in groups:
            rows.append((text, groups[names[int(labels)]]))
    return rows


def own_rows(files: str = "emotion_*.txt") -> Rows:
    """The sentences written for training, in these files: text and fine label."""
    rows, label = [], ""
    for file in sorted((HERE / "training").glob(files)):
        for line in filter(None, map(str.strip, file.read_text().splitlines())):
            if line.startswith("# "):
                label = line[2:]
            else:
                rows.append((line, label))
    return rows


def development(labels: EmotionSet) -> Rows:
    """A frozen development set: text and label."""
    lines = (HERE / "sets" / f"emotion_{labels}.jsonl").read_text().splitlines()
    return [(row["text"], row["label"]) for row in map(json.loads, lines)]


def pieces(word: str) -> list[str]:
    """The runs of three to five characters of a word, its ends marked."""
    marked = f"^{word}$"
    return ["#" + marked[at : at + size] for size in (3, 4, 5) for at in range(len(marked) - size + 1)]


def is_word(feature: str) -> bool:
    """Whether a feature is a word itself, not a pair, a denial or a cue."""
    return " " not in feature and feature[0] not in "!="


class Vectors:
    """Word vectors, centred, frequent words counting less."""

    def __init__(self, file: Path, counts: Counter[str], texts: int) -> None:
        stored = np.load(file)
        self.row = {str(word): at for at, word in enumerate(stored["words"])}
        raw = stored["vectors"].astype(np.float32)
        share = np.array([counts.get(word, 1) / texts for word in self.row])
        mean = (raw * (share / share.sum())[:, None]).sum(0)
        self.values = (raw - mean) * (RARITY / (RARITY + share))[:, None].astype(np.float32)


class Space:
    """The columns a reading is trained on, and how texts become rows of them."""

    def __init__(self, read: list[tuple[set[str], int]], least: int, vectors: Vectors | None, chars: bool):
        self.vectors, self.chars = vectors, chars
        counts: Counter[str] = Counter()
        for found, _ in read:
            counts.update(found)
            if chars:
                counts.update({piece for word in filter(is_word, found) for piece in pieces(word)})
        kept = sorted(name for name, count in counts.items() if count >= (4 if name[0] == "#" else least))
        self.column = {name: at for at, name in enumerate(kept)}

    def row(self, found: set[str]) -> dict[int, float]:
        """The sparse part of one text, before scaling."""
        cells: Counter[int] = Counter()
        for name in found:
            if name in self.column:
                cells[self.column[name]] += 1.0
        if self.chars:
            for piece in (piece for word in filter(is_word, found) for piece in pieces(word)):
                if piece in self.column:
                    cells[self.column[piece]] += PIECE_SHARE
        return cells

    def matrix(self, read: list[tuple[set[str], int]]):
        """One row a text."""
        at, values, ends = [], [], [0]
        dense = np.zeros((len(read), self.vectors.values.shape[1] if self.vectors else 0), np.float32)
        for line, (found, words) in enumerate(read):
            scale = 1 / np.sqrt(max(words, FEWEST_WORDS))
            cells = self.row(found)
            at += cells.keys()
            values += [value * scale for value in cells.values()]
            ends.append(len(at))
            if self.vectors:
                known = [self.vectors.row[word] for word in found if word in self.vectors.row]
                dense[line] = self.vectors.values[known].sum(0) * scale
        sparse = sp.csr_matrix((values, at, ends), shape=(len(read), len(self.column)), dtype=np.float32)
        return sp.hstack([sparse, sp.csr_matrix(dense)]).tocsr() if self.vectors else sparse

    def folded(self, coefficients, names: list[str]):
        """The weight of each named feature: its own, its pieces' and its vector's."""
        width = len(self.column)
        weights = np.zeros((len(names), coefficients.shape[0]), np.float32)
        for line, name in enumerate(names):
            for cell, value in self.row({name}).items():
                weights[line] += coefficients[:, cell] * value
            if self.vectors and is_word(name) and name in self.vectors.row:
                weights[line] += coefficients[:, width:] @ self.vectors.values[self.vectors.row[name]]
        return weights


def read(texts: list[str]) -> list[tuple[set[str], int]]:
    """The features of texts, as the server reads them."""
    split = [tokens(text) for text in texts]
    seen = [features(words, cues(words)) for words in split]
    return [({*each.words, *each.others}, len(each.words)) for each in seen]


def fit(space: Space, texts, labels: list[str], strength: float, power: float, rounds: int):
    """A multinomial logistic regression; rare labels weigh more, by ``power`` (1 is balanced)."""
    counts = Counter(labels)
    share = np.array([(len(labels) / len(counts) / counts[label]) ** power for label in labels])
    model = LogisticRegression(C=strength, max_iter=rounds)
    return model.fit(space.matrix(texts), labels, sample_weight=share)


def held_out(texts, labels: list[str], vectors: Vectors):
    """Each own sentence's scores by a reading that was not trained on it."""
    scores = np.zeros((len(texts), len(FINE)))
    for learn, judge in StratifiedKFold(3, shuffle=True, random_state=1).split(texts, labels):
        known = [texts[at] for at in learn]
        space = Space(known, 1, vectors, chars=False)
        model = fit(space, known, [labels[at] for at in learn], *SPOKEN_FIT)
        scores[judge] = model.decision_function(space.matrix([texts[at] for at in judge]))
    return scores


def macro_f1(scores, labels: list[str], classes: list[str], folding: dict[str, str]) -> float:
    """Macro-F1 of the labels read from scores, the fine labels being summed by ``folding``."""
    chances = np.exp(scores - scores.max(1, keepdims=True))
    names = sorted(set(folding.values()))
    sums = chances @ np.array([[folding[fine] == name for name in names] for fine in classes])
    return float(f1_score(labels, np.array(names)[sums.argmax(1)], average="macro"))


def loss(scores, labels: list[str], classes: list[str], folding: dict[str, str], temperature: float) -> float:
    """The mean surprise at the right labels, the fine labels being summed by ``folding``."""
    chances = np.exp((scores - scores.max(1, keepdims=True)) / temperature)
    chances /= chances.sum(1, keepdims=True)
    right = np.array([[folding[fine] == label for fine in classes] for label in labels])
    return float(-np.log(np.maximum((chances * right).sum(1), 1e-6)).mean())


def calibrated(space: Space, model, own, vectors: Vectors) -> float:
    """The temperature at which confidence fits best: on held-out own sentences and on the development sets."""
    classes = list(model.classes_)
    texts, labels = own
    unseen = held_out(texts, labels, vectors)
    judged = [(unseen, [SETS[name][label] for label in labels], SETS[name]) for name in SETS]
    for scores, right, folding in judged:
        print(f"held-out own sentences: macro-F1 {macro_f1(scores, right, classes, folding):.3f}")
    for name in SETS:
        rows = development(name)
        scores = model.decision_function(space.matrix(read([text for text, _ in rows])))
        judged.append((scores, [label for _, label in rows], SETS[name]))
    steps = [float(step) for step in np.linspace(0.4, 3.0, 27)]
    return min(steps, key=lambda step: sum(loss(s, y, classes, folding, step) for s, y, folding in judged))


def quantised(weights):
    """Weights as bytes with a step for each lane; the rarest extremes are clipped."""
    steps = np.maximum(np.quantile(np.abs(weights), CLIPPED, axis=0), 1e-6) / 127
    return (np.clip(np.round(weights / steps), -127, 127) + OFFSET).astype(np.uint8), steps


def seen_in(texts, names: list[str]):
    """The square root of how many texts have each feature: what a pair is worth grows with it."""
    counts = Counter(name for found, _ in texts for name in found)
    return np.sqrt([counts[name] for name in names])


def largest(size, among: list[int], most: int) -> set[int]:
    """The ``most`` positions ``among`` these with the largest ``size``."""
    return set(sorted(among, key=lambda at: -size[at])[:most])


def kept_features(names: list[str], spoken, written, own_read, reddit_read) -> list[int]:
    """Which features the file has room for."""
    spread = [(part - part.mean(1, keepdims=True)) / part.std() for part in (spoken, written)]
    of_spoken, of_written = (np.abs(part).max(1) for part in spread)
    in_own, in_reddit = seen_in(own_read, names), seen_in(reddit_read, names)
    words = [at for at, name in enumerate(names) if is_word(name) or name[0] == "="]
    pairs = [at for at, name in enumerate(names) if not (is_word(name) or name[0] == "=")]
    kept = largest((of_spoken + of_written) * (1 + in_own + in_reddit), words, MOST_WORDS)
    kept |= largest(of_spoken * in_own, pairs, MOST_SPOKEN_PAIRS)
    kept |= largest(of_written * in_reddit, pairs, MOST_WRITTEN_PAIRS)
    return sorted(kept)


def main() -> None:
    """Train, fold, prune, quantise, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=HERE.parent / "memory" / "data" / "emotion.bin")
    options = parser.parse_args()
    reddit, own = reddit_rows(options.data / "train.tsv"), own_rows()
    reddit_read, own_read = read([MASKS.sub("", text) for text, _ in reddit]), read([text for text, _ in own])
    counts = Counter(word for found, _ in reddit_read for word in filter(is_word, found))
    vectors = Vectors(options.vectors, counts, len(reddit))

    spoken_space = Space(own_read, 1, vectors, chars=False)
    spoken = fit(spoken_space, own_read, [label for _, label in own], *SPOKEN_FIT)
    written_space = Space(reddit_read, 2, None, chars=True)
    written = fit(written_space, reddit_read, [label for _, label in reddit], *WRITTEN_FIT)
    told = read([text for text, _ in own_rows(SPOKEN_ONLY)])
    gate_space = Space(told + reddit_read, 3, None, chars=False)
    kinds = ["spoken"] * len(told) + ["written"] * len(reddit)
    gate = fit(gate_space, told + reddit_read, kinds, *GATE_FIT)

    names = sorted(set(spoken_space.column) | set(vectors.row) | set(written_space.column))
    names = [name for name in names if name[0] != "#"]
    written.intercept_ += [SCARCE.get(label, 0.0) for label in written.classes_]
    parts = [
        space.folded(model.coef_, names)
        for space, model in ((spoken_space, spoken), (written_space, written), (gate_space, gate))
    ]
    kept = kept_features(names, parts[0], parts[1], own_read, reddit_read)
    packed, steps = quantised(np.hstack(parts)[kept])
    file = Weights(
        spoken=tuple(map(str, spoken.classes_)),
        written=tuple(map(str, written.classes_)),
        names="\n".join(names[at] for at in kept),
        bytes=packed.tobytes(),
        steps=tuple(float(step) for step in steps),
        biases=tuple(
            float(b) for b in np.concatenate([spoken.intercept_, written.intercept_, gate.intercept_])
        ),
        temperature=calibrated(spoken_space, spoken, (own_read, [label for _, label in own]), vectors),
    )
    assert set(file.spoken) == set(FINE)
    options.out.write_bytes(pack(file))
    print(
        f"{options.out}: {len(kept)} features, {options.out.stat().st_size:,} bytes, T {file.temperature:.2f}"
    )


if __name__ == "__main__":
    main()
