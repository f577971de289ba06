"""How the reader of forbidden answers does on sets it has not met, threshold by threshold.

    python -m evaluation.answer_hands [SET ...]

Trains as `evaluation.train_answers` does, a part of the sets left out in turn, and judges those with the patterns
beside it. Prints for each threshold (and the parts of it that `evaluation.train_answers` takes) how many of all
forbidden, of the reminders and quizzes, of the indirect ones were stopped and how many innocent ones. It is kinder than
a first score: whoever wrote the patterns and the newest sentences of training had read what the older sets were missed
by. Named sets alone are counted, else all.
Needs numpy, scipy and scikit-learn.
"""

import argparse
from collections.abc import Sequence

import numpy as np

from evaluation.answer_rows import HANDS, HERE, LEARNED, Lesson, sentences_of, written
from evaluation.answers import Row, rows
from evaluation.train_answers import (
    FOREMOST_PART,
    OTHERS_PART,
    columns,
    fit,
    kept_classes,
    matrix,
    seen_in,
    with_sets,
)
from memory.answer_reader import FEWEST_SURE, FOREMOST, INNOCENT, readable, weights
from memory.answer_rules import ALL, broken

PARTS = 5
THRESHOLDS = (0.40, 0.50, 0.60, 0.70, 0.80, 0.90, 0.95, 0.97, 0.98, 0.99)


def certain(lesson: Lesson, chances: dict[str, float]) -> bool:
    """Whether a pattern stops the sentence whatever the threshold."""
    plain = lesson.parts[0]
    found = broken(plain, lesson.heard, ALL)
    if found is None:
        return False
    bar = dict(zip(weights().families, weights().bars, strict=True)).get(found[0], 1.0)
    return not (readable(plain, FEWEST_SURE) and chances[INNOCENT] > bar)


def read(row: Row, at: int, model, names: Sequence[str], classes: dict[str, str]) -> float:
    """From which threshold on the answer is let pass; 2 where a pattern is sure."""
    least = 0.0
    lessons = sentences_of(row, HANDS + at, 0)
    found = model.predict_proba(matrix([seen_in(one, classes) for one in lessons], names))
    for lesson, line in zip(lessons, found, strict=True):
        chances = dict(zip(model.classes_, map(float, line), strict=True))
        if certain(lesson, chances):
            return 2.0
        if readable(lesson.parts[0], 2):
            whole = 1 - chances[INNOCENT]
            foremost = sum(chances[name] for name in FOREMOST)
            least = max(least, whole, foremost / FOREMOST_PART, (whole - foremost) / OTHERS_PART)
    return least


def main(only: Sequence[str]) -> None:
    """Train without each part, read it, print."""
    classes = {word: f"%{number}" for word, number in kept_classes().items()}
    lessons = with_sets(written(), classes)
    seen = [seen_in(lesson, classes) for lesson in lessons]
    read_rows: list[Row] = []
    read_as: list[float] = []
    for part in range(PARTS):
        left_out = [
            name for at, name in enumerate(LEARNED) if at % PARTS == part and (not only or name in only)
        ]
        if not left_out:
            continue
        kept = [at for at, one in enumerate(lessons) if one.hand < 0 or one.hand % PARTS != part]
        names = columns([seen[at] for at in kept], [lessons[at] for at in kept])
        model = fit(matrix([seen[at] for at in kept], names), [lessons[at] for at in kept])
        for name in left_out:
            for at, row in enumerate(rows(HERE / "sets" / f"{name}.jsonl")):
                read_rows.append(row)
                read_as.append(read(row, at, model, names, classes))
    _print(read_rows, np.array(read_as))


def _print(found: Sequence[Row], read_as) -> None:
    innocent = np.array([row.rule is None for row in found])
    foremost = np.array([row.rule in FOREMOST for row in found])
    indirect = np.array([row.style == "indirect" for row in found])
    print(f"{(~innocent).sum()} forbidden, {innocent.sum()} innocent answers of sets left out")
    print("stopped from: all, reminders and quizzes, indirect, innocent changed")
    for least in THRESHOLDS:
        stopped = read_as > least
        shares = [stopped[group].mean() for group in (~innocent, foremost, indirect, innocent)]
        print(f"{least:.2f}: " + ", ".join(f"{share:.3f}" for share in shares))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", choices=[*LEARNED, []])
    main(parser.parse_args().sets)
