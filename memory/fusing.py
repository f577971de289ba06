"""Several rankings of the same things made one: weighted reciprocal rank fusion.

Each ranking gives its weight divided by a constant plus the place; what several rankings have near their top comes
first. Weights and constant are those of the memory guarantees: full text 4, vectors 1, constant 20.
Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet", SIGIR 2009.
"""

from collections.abc import Iterable, Sequence

WORDS = 4.0
MEANING = 1.0
CONSTANT = 20


def fused(rankings: Iterable[tuple[float, Sequence[int]]]) -> list[tuple[int, float]]:
    """What is in any of ``rankings`` (a weight, and numbers from the best on) with its score, the best first."""
    scores: dict[int, float] = {}
    for weight, ranking in rankings:
        for place, one in enumerate(ranking, start=1):
            scores[one] = scores.get(one, 0.0) + weight / (CONSTANT + place)
    return sorted(scores.items(), key=lambda each: (-each[1], each[0]))


def joined(by_words: Sequence[int], by_meaning: Sequence[int]) -> list[tuple[int, float]]:
    """Full text and vectors as one ranking."""
    return fused(((WORDS, by_words), (MEANING, by_meaning)))
