"""Scores full-text search over any set of dialogues with labelled evidence.

A set is JSON lines: ``{"id", "messages": [{"id", "role", "speaker", "text", "session"}], "questions": [{"id",
"query", "kind", "evidence": [message id, …]}]}``. Reported are recall@3/5/10/20 (the mean over questions of
the part of the evidence that is among the first k), MRR (of the first piece of evidence found), and the time
of one search; then the same with all dialogues told as one, between the same two people.

    python -m evaluation.search [--misses] [--embedder onnx] [SET …]      (default: evaluation/sets/search.jsonl)

With an embedder (``onnx``, or as ``fireside serve --embedder`` takes it) the same questions are asked by meaning too.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from server.models import embedding_at_once
from storage.fulltext import Embed, Query, Utterance, answered

DEPTHS = (3, 5, 10, 20)


class Labelled(msgspec.Struct, frozen=True):
    """A question with the messages that answer it."""

    id: str
    query: str
    evidence: tuple[str, ...]
    kind: str = "all"


class Talk(msgspec.Struct, frozen=True):
    """One dialogue of a set."""

    id: str
    messages: tuple[Utterance, ...]
    questions: tuple[Labelled, ...]


class Score(msgspec.Struct, frozen=True):
    """How well the questions of a set were answered."""

    questions: int
    recall: dict[int, float]
    mrr: float
    misses: tuple[str, ...]


def read(path: Path) -> list[Talk]:
    """The dialogues of a set."""
    return [msgspec.json.decode(line, type=Talk) for line in path.read_bytes().splitlines() if line.strip()]


def crowded(talks: list[Talk]) -> list[Talk]:
    """All dialogues as one, between the same two people: with rivals for every answer."""
    return [_merged(talks)]


def _merged(talks: list[Talk]) -> Talk:
    messages: list[Utterance] = []
    questions: list[Labelled] = []
    for talk in talks:
        names: dict[str, str] = dict(
            zip(dict.fromkeys(one.speaker for one in talk.messages), ("Ruth", "Ines"), strict=True)
        )

        def renamed(text: str, names: dict[str, str] = names) -> str:
            for name, other in names.items():
                text = text.replace(name, other)
            return text

        messages += [
            msgspec.structs.replace(
                one, text=renamed(one.text), speaker=names[one.speaker], session=f"{talk.id}:{one.session}"
            )
            for one in talk.messages
        ]
        questions += [msgspec.structs.replace(one, query=renamed(one.query)) for one in talk.questions]
    return Talk("crowd", tuple(messages), tuple(questions))


def kinds(talks: list[Talk]) -> list[str]:
    """The kinds of questions there are, in order of appearance."""
    return list(dict.fromkeys(question.kind for talk in talks for question in talk.questions))


def scored(talks: list[Talk], kind: str | None = None, embed: Embed | None = None) -> Score:
    """The figures over all questions of ``talks``, or over those of one kind."""
    recalls: dict[int, list[float]] = {depth: [] for depth in DEPTHS}
    ranks: list[float] = []
    misses: list[str] = []
    for talk in talks:
        queries = [
            Query(id=one.id, query=one.query, limit=max(DEPTHS))
            for one in talk.questions
            if kind in {None, one.kind}
        ]
        results = answered(talk.messages, queries, embed)
        texts = {message.id: f"{message.speaker}: {message.text}" for message in talk.messages}
        for question in talk.questions:
            if question.id not in results:
                continue
            found = results[question.id]
            wanted = set(question.evidence)
            for depth in DEPTHS:
                recalls[depth].append(len(wanted & set(found[:depth])) / len(wanted))
            ranks.append(next((1 / place for place, one in enumerate(found, start=1) if one in wanted), 0.0))
            if not wanted & set(found[:10]):
                misses.append(f"{question.query}  <-  {' / '.join(texts[one] for one in question.evidence)}")
    return Score(
        questions=len(ranks),
        recall={depth: statistics.fmean(values) for depth, values in recalls.items()},
        mrr=statistics.fmean(ranks),
        misses=tuple(misses),
    )


def main(arguments: list[str]) -> None:
    """Print the figures of each set."""
    parser = argparse.ArgumentParser(prog="evaluation.search")
    parser.add_argument("sets", type=Path, nargs="*", metavar="SET")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--embedder")
    options = parser.parse_args(arguments)
    if options.embedder is None:
        _all(options.sets, None, explain=options.misses)
        return
    with embedding_at_once(options.embedder) as embed:
        _all(options.sets, _kept(embed), explain=options.misses)


def _kept(embed: Embed) -> Embed:
    """``embed``, which is asked once for each text: every set is searched several times."""
    known: dict[str, Sequence[float]] = {}

    def kept(texts: Sequence[str]) -> list[Sequence[float]]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(new, embed(new), strict=True))
        return [known[text] for text in texts]

    return kept


def _all(paths: Sequence[Path], embed: Embed | None, *, explain: bool) -> None:
    for path in paths or [Path(__file__).parent / "sets" / "search.jsonl"]:
        talks = read(path)
        for name, form in ((path.stem, talks), (f"{path.stem} crowded", crowded(talks))):
            for kind in kinds(form):
                _report(f"{name}, {kind}", form, kind, embed, explain=explain)


def _report(name: str, talks: list[Talk], kind: str, embed: Embed | None, *, explain: bool) -> None:
    began = time.perf_counter()
    score = scored(talks, kind, embed)
    each = (time.perf_counter() - began) / score.questions * 1000
    figures = "  ".join(f"recall@{depth} {value:.3f}" for depth, value in score.recall.items())
    print(f"{name}: {score.questions} questions  {figures}  MRR {score.mrr:.3f}  {each:.1f} ms each")
    if explain:
        print("\n".join(score.misses))


if __name__ == "__main__":
    main(sys.argv[1:])
