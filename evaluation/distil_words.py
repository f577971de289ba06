"""Distil static word vectors from a small sentence encoder and write them as package data.

    python -m evaluation.distil_words WORDS.npz --data GOEMOTIONS_DIR [--out memory/data/words.bin]

``WORDS.npz`` is what `evaluation.sentence_vectors` writes: words encoded by all-MiniLM-L6-v2, each by itself. Those of
everyday speech are chosen, and brought to few dimensions by their principal components, after taking the common mean
away. A word's weight falls with its frequency in GoEmotions (smooth inverse frequency: Arora, Liang, Ma,
2017). Nothing of this runs in the server. Needs numpy.
"""

import argparse
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from evaluation.train_emotion import own_rows, reddit_rows
from memory.data import raw
from memory.text import words
from memory.wordvectors import FILE, Vectors, pack

HERE = Path(__file__).parent
TABLES = ("synonyms.toml", "questions.toml", "topics.toml", "recall.toml")
MOST = 9_500
FEWEST = 3  # times a word of the public texts must occur
DIMENSIONS = 40
RARE = 1e-3  # the frequency at which a word counts half
PLAIN = re.compile(r"[a-z']+")


def vocabulary(data: Path, encoded: Mapping[str, int]) -> tuple[list[str], Counter[str]]:
    """The words, ours first, then the commonest of the public texts; and how often each occurs there."""
    counts = Counter(word for text, _ in reddit_rows(data / "train.tsv") for word in words(text))
    ours = set(words((HERE / "training" / "everyday.txt").read_text()))
    for name in TABLES:
        ours.update(words(raw(name).decode()))
    ours.update(word for text, _ in own_rows() for word in words(text))
    common = [word for word, count in counts.most_common() if count >= FEWEST]
    chosen = [
        word for word in dict.fromkeys([*sorted(ours), *common]) if PLAIN.fullmatch(word) and word in encoded
    ]
    return sorted(chosen[:MOST]), counts


def reduced(rows: np.ndarray, dimensions: int) -> np.ndarray:
    """The rows less their mean on their first principal components, each of length one."""
    centred = rows - rows.mean(0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    small = centred @ directions[:dimensions].T
    return small / np.linalg.norm(small, axis=1, keepdims=True)


def main() -> None:
    """Encode, reduce, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=HERE.parent / "memory" / "data" / FILE)
    options = parser.parse_args()
    encoded = np.load(options.vectors)
    places = {word: at for at, word in enumerate(encoded["words"].tolist())}
    chosen, counts = vocabulary(options.data, places)
    rows = reduced(encoded["vectors"][[places[word] for word in chosen]].astype(float), DIMENSIONS)
    total = sum(counts.values())
    weights = [RARE / (RARE + counts[word] / total) for word in chosen]
    file = Vectors(
        dimensions=DIMENSIONS,
        words="\n".join(chosen),
        vectors=np.clip(np.round(rows * 127 / np.abs(rows).max()), -127, 127).astype(np.int8).tobytes(),
        weights=bytes(max(1, round(255 * weight)) for weight in weights),
    )
    options.out.write_bytes(pack(file))
    print(f"{len(chosen)} words, {options.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
