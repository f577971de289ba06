"""Train the weights of the reader of forbidden answers and write them as package data.

    python -m evaluation.train_answers [--vectors WORDS.npz] [--out memory/data/answers.bin]

Learns from what `evaluation.answer_rows` reads: sentences written for this project, what remains of them without
their forbidden clause, and the sets whose first scores are written down. Words are put into classes of like meaning
by their vectors (``evaluation.sentence_vectors``); without vectors the classes in the package are kept. Readers that
left out a part of the forms and of the sets tell how it does on what it has not met: the threshold is the least at
which few innocent answers of sets left out are stopped, those of reminders and quizzes and of the rest parts of it; a
family's bar is the least at which few of the forbidden sentences that its patterns find would be let pass.
Needs numpy, scipy and scikit-learn.
"""

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import MiniBatchKMeans
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from evaluation.answer_rows import LEARNED, Lesson, of_sets, written
from memory.answer_features import context, features
from memory.answer_reader import FEWEST_FEATURES, FOREMOST, INNOCENT, OFFSET, Weights, pack, weights
from memory.answer_rules import ALL, broken

HERE = Path(__file__).parent
CLASSES = 250
STRENGTH = 3.0
MOST_ROUNDS = 100
FEWEST_ROWS, FEWEST_FORMS = 3, 2  # a feature of a single form says nothing of others
MOST_FEATURES = 20_000
PARTS = 5
MOST_CHANGED = 0.022  # of the innocent answers of sets not trained on, by the trained reader alone
FOREMOST_PART = 0.95  # of the threshold: a reminder or a quiz is stopped sooner than what may be anything
OTHERS_PART = 0.85  # so is what is neither: seldom met, it is seldom mistaken for
MOST_PASSED = 0.01  # of the forbidden sentences of forms not trained on that a pattern of a family finds
LEAST_BAR = 0.95  # a pattern names its words: less than this never outweighs it
MOST_QUIZZES_PASSED = 0.04  # the patterns of quizzes name nearly any question,
LEAST_QUIZ_BAR = 0.75  # so less outweighs them
GRID = np.linspace(0.3, 0.99, 70)
WORD = re.compile(r"[a-z-]{2,13}")


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


def seen_in(lesson: Lesson, classes: dict[str, str]) -> set[str]:
    """The features of all sentences of a lesson, as the server reads them."""
    before = context(lesson.heard.text, asked=lesson.heard.asked, offers=lesson.heard.offers)
    return set().union(*(features(part, before, classes) for part in lesson.parts))


def columns(seen: Sequence[set[str]], lessons: Sequence[Lesson]) -> list[str]:
    """The features that occur often enough, in more than one form."""
    counts: Counter[str] = Counter()
    among: dict[str, set[int]] = {}
    for found, lesson in zip(seen, lessons, strict=True):
        for name in found:
            counts[name] += lesson.weight
            among.setdefault(name, set()).add(lesson.form)
    return sorted(name for name, n in counts.items() if n >= FEWEST_ROWS and len(among[name]) >= FEWEST_FORMS)


def matrix(seen: Sequence[set[str]], names: Sequence[str]):
    """One row a sentence, scaled as the server scales."""
    column = {name: at for at, name in enumerate(names)}
    at, values, ends = [], [], [0]
    for found in seen:
        cells = [column[name] for name in found if name in column]
        at += cells
        values += [np.sqrt(FEWEST_FEATURES / max(len(found), FEWEST_FEATURES))] * len(cells)
        ends.append(len(at))
    return sp.csr_matrix((values, at, ends), shape=(len(seen), len(names)), dtype=np.float32)


def labels_of(lessons: Sequence[Lesson]):
    """The family of each, or that it is innocent."""
    return np.array([lesson.rule or INNOCENT for lesson in lessons])


def fit(rows, lessons: Sequence[Lesson]):
    """A multinomial logistic regression."""
    weight = np.array([lesson.weight for lesson in lessons])
    return LogisticRegression(C=STRENGTH, max_iter=MOST_ROUNDS).fit(
        rows, labels_of(lessons), sample_weight=weight
    )


def with_sets(lessons: list[Lesson], classes: dict[str, str]) -> list[Lesson]:
    """The ``lessons`` of the training file, and those of the sets, which a reader of the former sorts."""
    seen = [seen_in(lesson, classes) for lesson in lessons]
    names = columns(seen, lessons)
    model = fit(matrix(seen, names), lessons)

    def chances(some: Sequence[Lesson]) -> list[dict[str, float]]:
        found = model.predict_proba(matrix([seen_in(one, classes) for one in some], names))
        return [dict(zip(model.classes_, row, strict=True)) for row in found]

    return [*lessons, *of_sets(LEARNED, chances)]


def held_out(rows, lessons: Sequence[Lesson]):
    """Each lesson's chances by family, by a reader that met neither its form nor its set; and the families."""
    groups = np.array([lesson.form if lesson.hand < 0 else -1 - lesson.hand for lesson in lessons])
    families = sorted(set(labels_of(lessons)))
    chance = np.zeros((len(lessons), len(families)))
    for learn, judge in GroupKFold(PARTS, shuffle=True, random_state=0).split(rows, groups=groups):
        model = fit(rows[learn], [lessons[at] for at in learn])
        chance[judge] = model.predict_proba(rows[judge])
    return chance, families


def harm(chance, families: Sequence[str]):
    """How near each sentence is to being stopped: it is where this exceeds the threshold."""
    whole = 1 - chance[:, families.index(INNOCENT)]
    worst = sum(chance[:, families.index(name)] for name in FOREMOST)
    return np.maximum.reduce([whole, worst / FOREMOST_PART, (whole - worst) / OTHERS_PART])


def threshold(harms, lessons: Sequence[Lesson]) -> float:
    """The least threshold at which few innocent answers of sets not trained on are stopped; prints what it finds."""
    most: dict[int, float] = {}
    families: dict[int, str] = {}
    for value, lesson in zip(harms, lessons, strict=True):
        if lesson.hand >= 0:
            most[lesson.form] = max(float(value), most.get(lesson.form, 0.0))
            families[lesson.form] = lesson.rule or families.get(lesson.form, INNOCENT)

    def stopped(name: str, least: float) -> float:
        return float(np.mean([most[form] > least for form, family in families.items() if family == name]))

    least = next(float(step) for step in GRID if stopped(INNOCENT, step) <= MOST_CHANGED)
    print(f"threshold {least:.2f}, by the trained reader alone, on sets left out:")
    for name in sorted(set(families.values())):
        print(f"  {name}: stopped {stopped(name, least):.3f}")
    return least


def found_by_pattern(lesson: Lesson) -> str | None:
    """The family of the first pattern that a sentence of a lesson breaks."""
    return next((found[0] for part in lesson.parts if (found := broken(part, lesson.heard, ALL))), None)


def bars(innocent, lessons: Sequence[Lesson], families: Sequence[str]) -> tuple[float, ...]:
    """Of each family the chance of being innocent that few forbidden sentences found by its patterns exceed."""
    patterns = np.array([found_by_pattern(lesson) or "" for lesson in lessons])
    forbidden = np.array([lesson.rule is not None for lesson in lessons])

    def bar(family: str) -> float:
        found = innocent[(patterns == family) & forbidden]
        quiz = family == "quiz"
        passed, at_least = (MOST_QUIZZES_PASSED, LEAST_QUIZ_BAR) if quiz else (MOST_PASSED, LEAST_BAR)
        return max(at_least, round(float(np.quantile(found, 1 - passed)), 3)) if len(found) else 1.0

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
    numbers = classes_of_words(options.vectors) if options.vectors else kept_classes()
    classes = {word: f"%{number}" for word, number in numbers.items()}
    lessons = with_sets(written(), classes)
    seen = [seen_in(lesson, classes) for lesson in lessons]
    names = columns(seen, lessons)
    found = matrix(seen, names)
    chance, families = held_out(found, lessons)
    least = threshold(harm(chance, families), lessons)
    size = np.abs(fit(found, lessons).coef_).max(0) * np.sqrt(np.asarray((found > 0).sum(0)).ravel())
    names = sorted(names[at] for at in np.argsort(-size)[:MOST_FEATURES])
    model = fit(matrix(seen, names), lessons)
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
        others=round(least * OTHERS_PART, 3),
        bars=bars(chance[:, families.index(INNOCENT)], lessons, families),
    )
    options.out.write_bytes(pack(file))
    print(f"{len(lessons)} sentences, {len(names)} features, {options.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
