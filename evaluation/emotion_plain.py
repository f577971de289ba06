"""Whether plain everyday statements are taken for suffering, and suffering in the same words for ease.

    python -m evaluation.emotion_plain [--misses] [SET ...]

A row is at ease (a liking, a fond recollection, a plain fact) or suffers. For each label set: how many rows are read
as a feeling that suffers, by what they are and their language; how many likings are read as glad; and how many rows
have a distress of 0.3 or more.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from evaluation.intervals import row
from memory.emotion import SETS, Emotion, EmotionSet, read_emotion

SETS_DIR = Path(__file__).parent / "sets"
NAMES = ("emotion_plain", "emotion_plain_second")
SUFFERS = {
    "wellness": {"sadness", "anger", "fear", "disgust", "anxiety", "overwhelmed"},
    "dementia": {"sad", "lonely", "anxious", "fearful", "confused"},
}
GLAD = {"joy", "calm", "hopeful", "grateful"}
DISTRESSED = 0.3


class Row(msgspec.Struct, frozen=True):
    """A message, whether its writer is at ease or suffers, and what kind of statement it is."""

    id: str
    felt: str
    kind: str
    language: str
    text: str


Reads = Sequence[tuple[Row, Emotion]]


def line(name: str, reads: Reads, hit: Callable[[Emotion], bool]) -> str:
    """A line of the table: the share of ``reads`` that are a ``hit``."""
    return row(name, sum(hit(emotion) for _, emotion in reads), len(reads))


def report(rows: Sequence[Row], labels: EmotionSet) -> Iterator[str]:
    """The lines about one label set."""
    reads = [(each, read_emotion(each.text, labels)) for each in rows]

    def suffers(emotion: Emotion) -> bool:
        return emotion.label in SUFFERS[labels]

    for felt in ("at_ease", "suffering"):
        part = [read for read in reads if read[0].felt == felt]
        yield line(f"{labels}, {felt}: read as suffering", part, suffers)
        for language in ("en", "de", "es"):
            own = [read for read in part if read[0].language == language]
            yield line(f"  in {language}", own, suffers)
        yield line("  distress of 0.3 or more", part, lambda emotion: emotion.distress >= DISTRESSED)
    liking = [read for read in reads if read[0].kind == "like"]
    yield line(f"{labels}, likings: read as glad", liking, lambda emotion: emotion.label in GLAD)


def misses(rows: Sequence[Row], labels: EmotionSet) -> Iterator[str]:
    """The rows that are taken for the other."""
    for each in rows:
        emotion = read_emotion(each.text, labels)
        if (emotion.label in SUFFERS[labels]) != (each.felt == "suffering"):
            yield f"  {labels} {each.id} {emotion.label} {emotion.confidence}: {each.text}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=NAMES)
    parser.add_argument("--misses", action="store_true")
    asked = parser.parse_args()
    for name in asked.sets:
        lines = (SETS_DIR / f"{name}.jsonl").read_bytes().splitlines()
        rows = [msgspec.json.decode(each, type=Row) for each in lines]
        print(f"== {name}, {len(rows)} rows")
        for labels in SETS:
            print("\n".join([*report(rows, labels), *(misses(rows, labels) if asked.misses else ())]))


if __name__ == "__main__":
    main()
