"""How well the emotion reader reads: macro-F1 by label set, with bootstrap intervals, and calibration.

    python -m evaluation.emotion [--goemotions DIR] [--labels] [--misses] [--set second]

Each development set is read by the cues alone, by the trained weights without cues, and as the server reads it.
``--goemotions`` scores the dev part of GoEmotions by the grouping of ``evaluation.train_emotion`` as well.
"""

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from evaluation.intervals import row
from memory import emotion_weights
from memory.emotion import SETS, EmotionSet, Spread, by_cues, by_weights, emotion_of, read_emotion, spread
from memory.emotion_cues import Fine, cues
from memory.emotion_features import features
from memory.phrases import tokens

SETS_DIR = Path(__file__).parent / "sets"
ROUNDS = 500


class Row(msgspec.Struct, frozen=True):
    """A message and the label a careful person would give it."""

    id: str
    label: str
    kind: str
    text: str


def rows(labels: EmotionSet, which: str = "") -> list[Row]:
    """A frozen development set: the first one, or the one named by ``which``."""
    lines = (SETS_DIR / f"emotion_{labels}{which and '_'}{which}.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Row) for line in lines]


def macro_f1(pairs: Sequence[tuple[str, str]]) -> float:
    """The mean F1 over the labels that occur among the right answers; a pair is (right, read)."""
    right = Counter(label for label, read in pairs if label == read)
    gold = Counter(label for label, _ in pairs)
    read = Counter(read for _, read in pairs)
    return sum(2 * right[label] / (gold[label] + read[label]) for label in gold) / len(gold)


def interval(pairs: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """The middle 95 % of macro-F1 over resampled rows."""
    draw = random.Random(7)  # noqa: S311  # a bootstrap, not a secret
    scores = sorted(macro_f1(draw.choices(pairs, k=len(pairs))) for _ in range(ROUNDS))
    return scores[ROUNDS * 25 // 1000], scores[ROUNDS * 975 // 1000]


def cues_only(text: str, labels: EmotionSet) -> Spread:  # noqa: ARG001  # a reader like the others
    """The reading of the hand rules alone."""
    return by_cues(cues(tokens(text)))


def weights_only(text: str, labels: EmotionSet) -> Spread:
    """The reading of the trained weights without any cue."""
    return by_weights(emotion_weights.score(features(tokens(text), [])), labels)


READERS: dict[str, Callable[[str, EmotionSet], Spread]] = {
    "cues only": cues_only,
    "weights only": weights_only,
    "both": spread,
}


def line(name: str, pairs: Sequence[tuple[str, str]]) -> str:
    """One line of the table."""
    low, high = interval(pairs)
    return f"{name:<36}{macro_f1(pairs):6.3f}   {low:.3f} to {high:.3f}   {len(pairs)} rows"


def report(labels: EmotionSet, which: str, by_label: bool, misses: bool) -> list[str]:
    """The lines about one label set."""
    gold = rows(labels, which)
    out: list[str] = []
    for name, reader in READERS.items():
        read = [emotion_of(reader(item.text, labels), item.text, labels).label for item in gold]
        out.append(line(f"{labels}, {name}", [(r.label, p) for r, p in zip(gold, read, strict=True)]))
    readings = [read_emotion(item.text, labels) for item in gold]
    judged = [
        (item, reading, item.label == reading.label) for item, reading in zip(gold, readings, strict=True)
    ]
    for low, high in ((0.0, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.01)):
        part = [right for _, reading, right in judged if low <= reading.confidence < high]
        out.append(row(f"  right at confidence {low:.1f} to {min(high, 1):.1f}", sum(part), len(part)))
    if by_label:
        for label in dict.fromkeys(item.label for item in gold):
            part = [right for item, _, right in judged if item.label == label]
            out.append(row(f"  {label} found", sum(part), len(part)))
    if misses:
        out += [f"  {i.id} {i.label} -> {r.label} {r.confidence}: {i.text}" for i, r, ok in judged if not ok]
    return out


def goemotions(folder: Path) -> str:
    """The line about the dev part of GoEmotions."""
    from evaluation.train_emotion import reddit_rows  # needs numpy, the rest does not

    pairs: list[tuple[str, str]] = []
    for text, label in reddit_rows(folder / "dev.tsv"):
        fine: Fine = msgspec.convert(label, Fine)
        pairs.append((SETS["wellness"][fine], read_emotion(text, "wellness").label))
    return line("GoEmotions dev, eleven labels", pairs)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goemotions", type=Path)
    parser.add_argument(
        "--set", default="", help="the ending of the sets' names, as in emotion_dementia_second"
    )
    parser.add_argument("--labels", action="store_true")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    for labels in SETS:
        print("\n".join(report(labels, options.set, options.labels, options.misses)))
    if options.goemotions:
        print(goemotions(options.goemotions))
    texts = [item.text for labels in SETS for item in rows(labels, options.set)]
    start = time.perf_counter()
    for text in texts:
        read_emotion(text, "wellness")
    print(f"{(time.perf_counter() - start) / len(texts) * 1e6:.0f} µs a message")


if __name__ == "__main__":
    main()
