"""Train what the crisis reader learned and write it as package data.

    python -m evaluation.train_crisis --goemotions FOLDER [--language de] [--folds] [--fresh SET ...] [--out FILE]

Reads `evaluation/training/crisis.txt`, the crisis sets but ``UNSEEN`` and those named with ``--fresh``, and as
everyday talk the other sets, the training sentences of other readers, and GoEmotions (Demszky et al., 2020,
Apache-2.0; a folder with `train.tsv`). Of German and Spanish there is no other talk, so there only `crisis_de.txt`,
`crisis_es.txt` and the sets are read. ``--folds`` leaves one round of sets after the other out, trains on the rest and
prints how the whole reader scores on the round that it has not seen: the figure to believe. Needs numpy, scipy and
scikit-learn.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from evaluation.crisis import SETS, Read, Row, report
from memory.crisis import Crisis
from memory.crisis_learned import (
    CATEGORIES,
    FILES,
    MARKS,
    OFFSET,
    Weights,
    features,
    pack,
    scale,
)
from memory.crisis_reader import ALWAYS, Reader
from memory.crisis_table import language
from memory.crisis_words import UNKNOWN, plain, tokens

HERE = Path(__file__).parent
ROUNDS = (
    ("thirteenth",),
    ("twelfth",),
    ("eleventh", "tenth"),
    ("ninth", "eighth", "seventh"),
    ("sixth",),
    ("crisis", "second"),
    ("third", "fourth", "fifth"),
    ("fourteenth",),
    ("fifteenth", "sixteenth", "seventeenth"),
    ("eighteenth",),
    ("nineteenth", "twentieth"),
    ("twentyfirst", "twentysecond"),
    ("twentythird", "twentyfourth"),
    ("twentyfifth", "twentysixth", "twentyseventh"),
    ("twentyeighth", "twentyninth"),
    ("thirtieth", "thirtyfirst"),
    ("thirtysecond", "thirtythird"),
    ("thirtyfourth", "thirtyfifth"),
    ("thirtysixth", "thirtyseventh"),
    ("thirtyeighth", "thirtyninth", "fortieth"),
    ("fortyfirst", "fortysecond", "fortythird"),
    ("fortyfourth", "fortyfifth", "fortysixth", "fortyseventh"),
    ("fortyeighth", "fortyninth", "fiftyfirst"),
)
UNSEEN = (
    "fiftysecond",
    "fiftythird",
    "fiftyfourth",
    "fiftyfifth",
    "fiftysixth",
    "fiftyseventh",
)  # nothing is learned of them
STRENGTH, STRENGTH_TELLING, STRENGTH_KIND = 30.0, 3.0, 10.0
GRAVE_WEIGHT, MILD_WEIGHT, CALM_WEIGHT = 6.0, 1.5, 5.0  # of a row, beside a line of other everyday talk
MOST_OTHERS = 45_000
FEW = frozenset(("de", "es"))  # languages with few examples
FEWEST_ROWS = {"en": 3, "de": 2, "es": 2}  # a feature of fewer says nothing of others
MOST_FEATURES = {"en": 15_000, "de": 4_500, "es": 4_500}  # as many as gain anything
STRETCH = 127
TELLING, TELLING_ROWS = 2.5, 2  # how much more often a trigger stands in a row of danger, and in how many
SURER, GRAVER = 0.97, 1.0


class Chances(NamedTuple):
    """The least chances of danger in a language; see `memory.crisis_learned.Weights`."""

    raises: float
    keeps: float
    keeps_grave: float
    alone: float
    alone_of_oneself: float  # the same for words of harming oneself
    alone_grave: float


CHANCES = {
    "en": Chances(0.85, 0.05, 0.05, 0.3, 0.05, 0.2),
    "de": Chances(0.87, 0.05, 0.05, 0.15, 0.1, 0.1),
    "es": Chances(0.7, 0.05, 0.05, 0.15, 0.1, 0.1),
}


def own_rows(name: str) -> Iterator[Row]:
    """The rows of the training file of a language."""
    category, severity = None, 0
    file = HERE / "training" / ("crisis.txt" if name == ALWAYS else f"crisis_{name}.txt")
    for line in file.read_text().splitlines():
        if line.startswith("= "):
            category, severity = (None, 0) if line == "= none" else (line.split()[1], int(line.split()[2]))
        elif line and not line.startswith("#"):
            kind = "crisis" if category else "ordinary"
            yield Row("", "open", kind, name, line, category=category, severity=severity or None)


def set_rows(language: str, fresh: Sequence[str]) -> Iterator[tuple[str, Row]]:
    """The rows of the crisis sets in a language with the name of their set, without unseen and ``fresh`` ones."""
    for file in sorted(SETS.glob("crisis*.jsonl")):
        name = file.stem.removeprefix("crisis_")
        if name not in {*UNSEEN, *fresh}:
            rows = (msgspec.json.decode(line, type=Row) for line in file.read_bytes().splitlines())
            yield from ((name, _whole(row)) for row in rows if row.language == language)


def _whole(row: Row) -> Row:
    """A row with what was said before it."""
    return msgspec.structs.replace(row, text="\n".join([*row.recent, row.text]), recent=[])


def said_in(value: object) -> Iterator[str]:
    """What people say in a row of another set."""
    match value:
        case dict():
            for key, each in value.items():
                if key in ("text", "said", "query") and isinstance(each, str):
                    yield each
                else:
                    yield from said_in(each)
        case list():
            for each in value:
                yield from said_in(each)
        case _:
            return


def everyday(goemotions: Path) -> list[str]:
    """Everyday talk of other sets and of GoEmotions that no phrase reads as grave."""
    found = set[str]()
    for file in sorted(SETS.glob("*.jsonl")):
        if not file.name.startswith(("crisis", "answers")):
            for line in file.read_bytes().splitlines():
                found.update(said_in(msgspec.json.decode(line)))
    for file in [*sorted((HERE / "training").glob("emotion_*.txt")), HERE / "training" / "questions.txt"]:
        lines = (
            line for line in file.read_text().splitlines() if line and not line.startswith(("#", "!", "="))
        )
        found.update(line.split("|")[-1] for line in lines)
    comments = [line.split("\t")[0] for line in (goemotions / "train.tsv").read_text().splitlines()]
    random.Random(0).shuffle(comments)  # noqa: S311  # which comments are taken, no secret
    comments = [
        each.replace("[NAME]", "Sam").replace("[RELIGION]", "Christian") for each in comments[:MOST_OTHERS]
    ]
    reader = Reader(language(ALWAYS))
    return [each for each in [*sorted(found), *comments] if _gravest(reader, each) < 2]


def _gravest(reader: Reader, text: str) -> int:
    return max((sign.severity for sign in reader.signs(text)), default=0)


class Corpus:
    """Texts as letters, and these as a matrix of features."""

    def __init__(self, name: str, texts: Sequence[str]) -> None:
        self.name = name
        self.fewest = FEWEST_ROWS[name]
        plainly = Reader(language(name)).speller
        unknown = Counter(
            _bare(token) for text in texts for token in set(tokens(text)) if plainly.met[token] == UNKNOWN
        )
        words = sorted(word for word, count in unknown.items() if count >= self.fewest and word.isalpha())
        self.reader = Reader(language(name), _blank(words))
        speller = self.reader.speller
        self.letters = [speller.joined(map(speller.met.__getitem__, tokens(text))) for text in texts]
        self.seen = [[name for name in features(each) if UNKNOWN not in name] for each in self.letters]

    def names(self) -> list[str]:
        """The features of enough rows."""
        count = Counter(name for seen in self.seen for name in set(seen))
        return [name for name, number in count.items() if number >= self.fewest]

    def matrix(self, names: Sequence[str], rows: Sequence[int]) -> sp.csr_matrix:
        """The features ``names`` of ``rows``."""
        place = {name: at for at, name in enumerate(names)}
        where, ends, values = list[int](), [0], list[float]()
        for row in rows:
            found = Counter(place[name] for name in self.seen[row] if name in place)
            where += found.keys()
            values += [number / scale(len(self.letters[row])) for number in found.values()]
            ends.append(len(where))
        return sp.csr_matrix((values, where, ends), shape=(len(rows), len(names)))


def _bare(token: str) -> str:
    return plain(token).removesuffix("'s")


def _blank(words: Sequence[str]) -> Weights:
    nothing = bytes([OFFSET]) * len(words)
    return Weights("\n".join(words), nothing, 1.0, 0.0, b"", (), (), words[0], 1.0, 1.0, 0.0, (), (), (), ())


def trained(corpus: Corpus, rows: Sequence[Row | None], chosen: Sequence[int]) -> Weights:
    """Weights from the ``chosen`` rows of the corpus; None stands for everyday talk of others."""
    danger = np.array([_is_danger(rows[at]) for at in chosen])
    weight = np.array([_weight(rows[at]) for at in chosen])
    names = corpus.names()
    first, _ = _speaking(corpus.matrix(names, chosen), danger, weight)
    order = np.argsort(-np.abs(first))[: MOST_FEATURES[corpus.name]]
    names = sorted(names[at] for at in order)
    table = corpus.matrix(names, chosen)
    worths, bias = _speaking(table, danger, weight)
    own = table[danger]
    told = [row for at in chosen if (row := rows[at]) is not None and row.kind == "crisis"]
    targets = [np.array([row.category == name for row in told]) for name in CATEGORIES]
    targets.append(np.array([row.severity == 3 for row in told]))
    kinds = [_fitted(own, target, None, STRENGTH_KIND) for target in targets]
    lanes, steps = zip(*(_bytes(kind.coef_[0]) for kind in kinds), strict=True)
    packed, step = _bytes(worths)
    words = {letter: word for word, letter in [*corpus.reader.alphabet.letters.items(), *MARKS.items()]}
    least, wide = CHANCES[corpus.name], len(CATEGORIES)
    few = corpus.name in FEW
    single = [name for name in names if len(name) == 1 and name not in MARKS.values()]
    triggers = single if few else _triggers(names, table, danger)
    own_words = Reader(language(corpus.name)).words
    met = own_words & {words[name] for name in corpus.names() if name in words} - {*map(words.get, single)}
    return Weights(
        "\n".join(" ".join(map(words.__getitem__, name)) for name in names),
        packed.tobytes(),
        step,
        bias,
        np.stack(lanes, axis=1).tobytes(),
        tuple(steps),
        tuple(float(kind.intercept_[0]) for kind in kinds),
        "\n".join(words[each] for each in triggers),
        least.raises,
        SURER,
        GRAVER,
        (least.keeps,) * wide,
        (least.keeps_grave,) * wide,
        tuple(least.alone_of_oneself if name == "self_harm" else least.alone for name in CATEGORIES),
        (least.alone_grave,) * wide,
        "\n".join(sorted(met)) if few else None,
    )


def _is_danger(row: Row | None) -> bool:
    return row is not None and row.kind == "crisis"


def _weight(row: Row | None) -> float:
    if row is None:
        return 1.0
    return CALM_WEIGHT if row.kind != "crisis" else GRAVE_WEIGHT if row.severity == 3 else MILD_WEIGHT


def _speaking(table: sp.csr_matrix, danger: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, float]:
    """What each feature counts, and what is so of all: the mean of two linear readings of equal spread.

    The second sees each feature multiplied by how much more often it stands in dangers (Wang and Manning, "Baselines
    and Bigrams", 2012), so that few telling words outweigh many that are neither here nor there.
    """
    there = (table > 0).astype(np.float64)
    within, without = (
        (there.T @ weights + 1) / weights.sum() for weights in (weight * danger, weight * ~danger)
    )
    ratios = np.log(within / without)
    worths, bias, spread = np.zeros(table.shape[1]), 0.0, 0.0
    for factors, strength in ((np.ones(table.shape[1]), STRENGTH), (ratios, STRENGTH_TELLING)):
        model = _fitted((table @ sp.diags(factors)).tocsr(), danger, weight, strength)
        own = model.coef_[0] * factors
        wide = float(np.std(table @ own))
        spread = spread or wide
        worths += own * spread / wide / 2
        bias += float(model.intercept_[0]) * spread / wide / 2
    return worths, bias


def _fitted(
    table: sp.csr_matrix, target: np.ndarray, weight: np.ndarray | None, strength: float
) -> LogisticRegression:
    return LogisticRegression(C=strength, solver="liblinear").fit(table, target, sample_weight=weight)


def _bytes(numbers: np.ndarray) -> tuple[np.ndarray, float]:
    step = float(np.quantile(np.abs(numbers), 0.9995)) / STRETCH
    return (np.clip(np.round(numbers / step), -STRETCH, STRETCH) + OFFSET).astype(np.uint8), step


def _triggers(names: Sequence[str], table: sp.csr_matrix, danger: np.ndarray) -> list[str]:
    """Words that stand in rows of danger far more often than in others."""
    there = (table > 0).astype(np.float64)
    rows = np.asarray(there[danger].sum(0))[0]
    within = (rows + 0.1) / danger.sum()
    without = (np.asarray(there[~danger].sum(0))[0] + 0.5) / (~danger).sum()
    return [
        name
        for at, name in enumerate(names)
        if len(name) == 1 and rows[at] >= TELLING_ROWS and within[at] >= TELLING * without[at]
    ]


def scored(name: str, file: Weights, rows: Sequence[Row]) -> list[Read]:
    """``rows`` read with these weights, by the whole reader of a language."""
    reader = Reader(language(name), file)
    reads = list[Read]()
    for row in rows:
        signs = [s for s in reader.signs(row.text) if s.severity]
        best = max(signs, key=lambda sign: (sign.severity, len(sign.words)), default=None)
        reads.append(Read(row, Crisis(best.category, best.severity, best.words) if best else None))
    return reads


def main() -> None:
    """Train, and print or write what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goemotions", type=Path, help="needed for English")
    parser.add_argument("--language", choices=sorted(FILES), default=ALWAYS)
    parser.add_argument("--fresh", action="append", default=[])
    parser.add_argument("--folds", action="store_true")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    if asked.goemotions is None and asked.language == ALWAYS:
        parser.error("English needs --goemotions FOLDER, the folder with train.tsv (docs/measures.md)")
    name = asked.language
    named = [*set_rows(name, asked.fresh)]
    own = [*own_rows(name)]
    others = everyday(asked.goemotions) if name == ALWAYS else []
    rows = [row for _, row in named] + own
    corpus = Corpus(name, [row.text for row in rows] + others)
    all_rows: list[Row | None] = [*rows, *[None] * len(others)]
    if asked.folds:
        together = list[Read]()
        for part in ROUNDS:
            out = {at for at, (each, _) in enumerate(named) if each in part}
            file = trained(corpus, all_rows, [at for at in range(len(all_rows)) if at not in out])
            reads = scored(name, file, [rows[at] for at in sorted(out)])
            together += reads
            print("==", *part, "\n" + "\n".join(report(reads)), flush=True)
        print("== all\n" + "\n".join(report(together)))
        return
    file = trained(corpus, all_rows, range(len(all_rows)))
    out = asked.out or HERE.parent / "memory" / "data" / FILES[name]
    out.write_bytes(pack(file))
    print(f"{len(file.triggers.splitlines())} triggers, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
