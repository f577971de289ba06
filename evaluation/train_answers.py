"""Train the weights of the reader of forbidden answers and write them as package data.

    python -m evaluation.train_answers [--vectors WORDS.npz] [--out memory/data/answers.bin]

Reads `evaluation/training/answers.jsonl`: sentences written for this project, each with the message before it, the
family it breaks (or none) and the number of the form it was made from. The rows of the sets are never read. Words
are put into classes of like meaning by their vectors (``evaluation.sentence_vectors``); without vectors the classes
in the package are kept. The threshold is the least one at which few innocent sentences of forms not trained on would
be stopped, and that of reminders and quizzes a part of it; a family's bar is the least at which few of the forbidden
ones that its patterns find would be let pass.
Needs numpy, scipy and scikit-learn.
"""

import argparse
import re
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import scipy.sparse as sp
from sklearn.cluster import MiniBatchKMeans
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from memory.answer_features import context, features
from memory.answer_reader import FEWEST_FEATURES, INNOCENT, OFFSET, Weights, pack, weights
from memory.answer_rules import ALL, broken
from memory.answers import Turn, heard_in, plainly, sentence_spans

HERE = Path(__file__).parent
CLASSES = 250
OWN_TEXTS, OWN_WEIGHT = 20_000, 20.0  # forms from here on are what the companion says by itself: it must pass
LEAST_OF_A_FORM = (
    5.0  # what the rows of a form count for together: one of a single sentence is as good as one of five
)
STRENGTH = 3.0
MOST_ROUNDS = 100
FEWEST_ROWS, FEWEST_FORMS = 3, 2  # a feature of a single form says nothing of others
MOST_FEATURES = 13_500
PARTS = 3
MOST_CHANGED = 0.026  # of the innocent sentences of forms not trained on
FOREMOST_PART = 0.75  # of the threshold: a reminder or a quiz is stopped sooner than the rest
MOST_PASSED = 0.01  # of the forbidden sentences of such forms that a pattern of a family finds
LEAST_BAR = 0.95  # a pattern names its words: less than this never outweighs it
GRID = np.linspace(0.3, 0.9, 61)
WORD = re.compile(r"[a-z-]{2,13}")


class Row(msgspec.Struct, frozen=True):
    """A sentence of training; rows of one ``form`` were made from one template or text."""

    form: int
    rule: str | None
    said: str
    answer: str


def classes_of_words(file: Path) -> dict[str, int]:
    """The words that have a vector, by the number of their class."""
    stored = np.load(file)
    words = [str(word) for word in stored["words"]]
    kept = [at for at, word in enumerate(words) if WORD.fullmatch(word)]
    vectors = stored["vectors"].astype(np.float32)[kept]
    vectors -= vectors.mean(0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = MiniBatchKMeans(CLASSES, random_state=0, n_init=3, batch_size=4096).fit_predict(vectors)
    return {words[at]: int(number) for at, number in zip(kept, found, strict=True)}


def kept_classes() -> dict[str, int]:
    """The classes of words in the file that ships with the package."""
    file = weights()
    return dict(zip(file.words.split("\n"), file.classes, strict=True))


def seen_in(row: Row, classes: dict[str, str]) -> set[str]:
    """The features of all sentences of a row, as the server reads them."""
    heard = heard_in([Turn("user", row.said)])
    before = context(heard.text, asked=heard.asked)
    parts = (plainly(row.answer[start:end]) for start, end in sentence_spans(row.answer))
    return set().union(*(features(part, before, classes) for part in parts))


def columns(seen: list[set[str]], forms: list[int]) -> list[str]:
    """The features that occur often enough, in more than one form."""
    counts: Counter[str] = Counter()
    among: dict[str, set[int]] = {}
    size = Counter(forms)
    for found, form in zip(seen, forms, strict=True):
        for name in found:
            counts[name] += max(1, LEAST_OF_A_FORM / size[form])
            among.setdefault(name, set()).add(form)
    return sorted(name for name, n in counts.items() if n >= FEWEST_ROWS and len(among[name]) >= FEWEST_FORMS)


def matrix(seen: list[set[str]], names: list[str]):
    """One row a sentence, scaled as the server scales."""
    column = {name: at for at, name in enumerate(names)}
    at, values, ends = [], [], [0]
    for found in seen:
        cells = [column[name] for name in found if name in column]
        at += cells
        values += [np.sqrt(FEWEST_FEATURES / max(len(found), FEWEST_FEATURES))] * len(cells)
        ends.append(len(at))
    return sp.csr_matrix((values, at, ends), shape=(len(seen), len(names)), dtype=np.float32)


def fit(rows, labels, forms):
    """A multinomial logistic regression."""
    _, at, sizes = np.unique(forms, return_inverse=True, return_counts=True)
    weight = np.where(forms >= OWN_TEXTS, OWN_WEIGHT, np.maximum(1.0, LEAST_OF_A_FORM / sizes[at]))
    return LogisticRegression(C=STRENGTH, max_iter=MOST_ROUNDS).fit(rows, labels, sample_weight=weight)


def held_out(rows, labels, forms):
    """Each row's chance of being forbidden, by a reader that never saw its form."""
    chance = np.zeros(len(labels))
    for learn, judge in GroupKFold(PARTS, shuffle=True, random_state=0).split(rows, labels, forms):
        model = fit(rows[learn], labels[learn], forms[learn])
        chance[judge] = 1 - model.predict_proba(rows[judge])[:, list(model.classes_).index(INNOCENT)]
    return chance


def threshold(chance, labels, forms) -> float:
    """The least threshold that changes few innocent look-alikes; prints what it finds."""
    innocent = (labels == INNOCENT) & (forms < OWN_TEXTS)
    least = next(float(step) for step in GRID if np.mean(chance[innocent] > step) <= MOST_CHANGED)
    print(f"threshold {least:.2f}: innocent changed {np.mean(chance[innocent] > least):.3f}")
    for name in sorted(set(labels) - {INNOCENT}):
        print(f"  {name}: found {np.mean(chance[labels == name] > least):.3f}")
    return least


def found_by_pattern(row: Row) -> str | None:
    """The family of the first pattern that a sentence of a row breaks."""
    heard = heard_in([Turn("user", row.said)])
    parts = (plainly(row.answer[start:end]) for start, end in sentence_spans(row.answer))
    return next((found[0] for part in parts if (found := broken(part, heard, ALL))), None)


def bars(chance, labels, families, patterns) -> tuple[float, ...]:
    """Of each family the chance of being innocent that few forbidden sentences found by its patterns exceed."""
    patterns = np.array([family or "" for family in patterns])

    def bar(family: str) -> float:
        found = 1 - chance[(patterns == family) & (labels != INNOCENT)]
        return max(LEAST_BAR, round(float(np.quantile(found, 1 - MOST_PASSED)), 3)) if len(found) else 1.0

    least = tuple(bar(family) for family in families)
    print("bars:", ", ".join(f"{name} {one}" for name, one in zip(families, least, strict=True)))
    return least


def quantised(weights):
    """Weights as bytes with a step for each lane."""
    steps = np.maximum(np.abs(weights).max(axis=0), 1e-6) / 127
    return (np.clip(np.round(weights / steps), -127, 127) + OFFSET).astype(np.uint8), steps


def main() -> None:
    """Train, judge by forms held out, prune, quantise, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--out", type=Path, default=HERE.parent / "memory" / "data" / "answers.bin")
    options = parser.parse_args()
    lines = (HERE / "training" / "answers.jsonl").read_bytes().splitlines()
    rows = [msgspec.json.decode(line, type=Row) for line in lines]
    numbers = classes_of_words(options.vectors) if options.vectors else kept_classes()
    classes = {word: f"%{number}" for word, number in numbers.items()}
    seen = [seen_in(row, classes) for row in rows]
    labels = np.array([row.rule or INNOCENT for row in rows])
    forms = np.array([row.form for row in rows])
    names = columns(seen, forms.tolist())
    found = matrix(seen, names)
    chance = held_out(found, labels, forms)
    least = threshold(chance, labels, forms)
    size = np.abs(fit(found, labels, forms).coef_).max(0) * np.sqrt(np.asarray((found > 0).sum(0)).ravel())
    names = sorted(names[at] for at in np.argsort(-size)[:MOST_FEATURES])
    model = fit(matrix(seen, names), labels, forms)
    packed, steps = quantised(model.coef_.T)
    file = Weights(
        families=tuple(map(str, model.classes_)),
        names="\n".join(names),
        lanes=packed.tobytes(),
        steps=tuple(map(float, steps)),
        biases=tuple(map(float, model.intercept_)),
        words="\n".join(sorted(numbers)),
        classes=bytes(numbers[word] for word in sorted(numbers)),
        threshold=least,
        foremost=round(least * FOREMOST_PART, 3),
        bars=bars(chance, labels, tuple(map(str, model.classes_)), list(map(found_by_pattern, rows))),
    )
    options.out.write_bytes(pack(file))
    print(f"{len(rows)} rows, {len(names)} features, {options.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
