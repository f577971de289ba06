"""Learn the weights of `memory.alike` and write them as package data.

    python -m evaluation.train_repetition [--out memory/data/repetition.json]
    python -m evaluation.train_repetition --sets

Learns from every pair of messages of a conversation in the sets of `evaluation.repetition` that raise a matter or fit
a pattern together, and that nothing else tells apart. ``--sets`` prints how well each set is judged by what was learned
of all others. Run it after `evaluation.train_questions`. Needs numpy and scikit-learn.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression

from evaluation.intervals import row
from evaluation.repetition import Session, sessions
from memory import alike
from memory.repetition import LIKELY_SAME, Asked, asked, comparable, in_context

HERE = Path(__file__).parent
STRENGTH = 0.3


class Pair(NamedTuple):
    """A message with an earlier one: its signs, none where what is learned says nothing; and whether it repeats it."""

    signs: tuple[float, ...] | None
    exact: bool
    same: bool


def pairs(session: Session) -> Iterator[list[Pair]]:
    """For each message its pairs with all earlier ones, oldest first."""
    earlier: list[Asked] = []
    for at, said in enumerate(session.messages):
        one = asked(str(at), said.text)
        question = in_context(one.question, said.text, earlier)
        yield [
            Pair(
                alike.signs(question, other.question) if comparable(question, other.question) else None,
                one.text == other.text,
                said.same is not None and said.same == before.same,
            )
            for other, before in zip(earlier, session.messages, strict=False)
        ]
        earlier.append(one)


def learned(found: Sequence[Pair]) -> alike.Weights:
    """What each sign counts for."""
    judged = [(pair.signs, pair.same) for pair in found if pair.signs is not None and not pair.exact]
    table = np.array([signs for signs, _ in judged], dtype=float)
    mean, spread = table.mean(0), table.std(0)
    model = LogisticRegression(C=STRENGTH, max_iter=2000)
    model.fit((table - mean) / spread, [same for _, same in judged])
    weights = model.coef_[0] / spread
    bias = float(model.intercept_[0] - weights @ mean)
    named = zip(alike.SIGNS, weights.tolist(), strict=True)
    return alike.Weights(round(bias, 3), {sign: round(weight, 3) for sign, weight in named})


def judge(found: Mapping[str, Sequence[Sequence[Pair]]]) -> None:
    """Print how well the repeats of each set are found by what was learned of all others."""
    for name, messages in found.items():
        others = [pair for one, each in found.items() if one != name for message in each for pair in message]
        weights = learned(others)
        called = [
            next((p.same for p in m if p.exact or alike.likely(p.signs, weights) > LIKELY_SAME), None)
            for m in messages
        ]
        right = sum(each is True for each in called)
        repeats = sum(any(pair.same for pair in message) for message in messages)
        print(name)
        print(row("precision", right, sum(each is not None for each in called)))
        print(row("recall", right, repeats))


def main() -> None:
    """Learn and write, or judge each set by all others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", action="store_true")
    parser.add_argument("--out", type=Path, default=HERE.parent / "memory" / "data" / alike.FILE)
    chosen = parser.parse_args()
    paths = sorted((HERE / "sets").glob("repetition*.jsonl"))
    found = {
        path.stem: [message for session in sessions(path) for message in pairs(session)] for path in paths
    }
    if chosen.sets:
        judge(found)
        return
    every = [pair for messages in found.values() for message in messages for pair in message]
    chosen.out.write_bytes(msgspec.json.format(msgspec.json.encode(learned(every)), indent=1) + b"\n")
    print(f"{chosen.out}: of {len(every)} pairs")


if __name__ == "__main__":
    main()
