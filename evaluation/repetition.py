"""How well repeats are found: `python -m evaluation.repetition [SET] [--misses] [--embedder onnx]`.

A set has small sessions of one person's messages, each labelled with the class of its question and the
group of those that a carer would call the same question. A message is a true repeat when an earlier one of
its session is of its group; it is found when `memory.repetition` points to one of them. Prints a table
with 95 % Wilson intervals, beside the rules of the dementia companion's own document.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import mul
from pathlib import Path

import msgspec

from evaluation.intervals import row
from memory.questions import fingerprint, read_question
from memory.repetition import Asked, asked, find_repeat
from server.models import embedding_at_once
from storage.fulltext import Embed


class Said(msgspec.Struct, frozen=True):
    """A message of a set; ``same`` names its group in the session, None for one that is like no other."""

    text: str
    type: str
    same: str | None


class Session(msgspec.Struct, frozen=True):
    """The messages of one person in one session, oldest first."""

    id: str
    messages: list[Said]


def sessions(path: Path) -> list[Session]:
    """The sessions of the set at ``path``."""
    return [msgspec.json.decode(line, type=Session) for line in path.read_bytes().splitlines()]


def judged(session: Session, embed: Embed | None = None) -> Iterator[tuple[Said, str, set[str], str | None]]:
    """For each message: itself, its class as read, the ids that would be right, the id found."""
    earlier: list[Asked] = []
    vectors = embed([said.text for said in session.messages]) if embed is not None else []
    for number, said in enumerate(session.messages):
        right = {
            str(at)
            for at, other in enumerate(session.messages[:number])
            if said.same and other.same == said.same
        }
        question = read_question(said.text)
        alike = [sum(map(mul, vectors[number], each)) for each in vectors[:number]] if vectors else None
        found = find_repeat(question, said.text, earlier, alike).of
        earlier.append(asked(str(number), said.text))
        yield said, question.type, right, found


def document_repeat(texts: Sequence[str], text: str) -> bool:
    """The document's own first tier over fingerprints: Jaccard similarity above 0.6."""
    words = set(fingerprint(text).split())
    others = [set(fingerprint(other).split()) for other in texts]
    return any(words and len(words & other) / len(words | other) > 0.6 for other in others)


def main(arguments: Sequence[str]) -> None:
    """Score the set named first, or the one kept beside this file; ``--misses`` prints what went wrong."""
    parser = argparse.ArgumentParser(prog="evaluation.repetition")
    parser.add_argument(
        "set", type=Path, nargs="?", default=Path(__file__).parent / "sets" / "repetition.jsonl"
    )
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--embedder")
    options = parser.parse_args(arguments)
    if options.embedder is None:
        _score(sessions(options.set), None, explain=options.misses)
        return
    with embedding_at_once(options.embedder) as embed:
        _score(sessions(options.set), embed, explain=options.misses)


def _score(found: list[Session], embed: Embed | None, *, explain: bool) -> None:
    counts: Counter[str] = Counter()
    for session in found:
        for number, (said, kind, right, of) in enumerate(judged(session, embed)):
            counts.update(_outcomes(said, kind, right, of))
            if explain:
                _explain(session, number, said, kind, right, of)
            plain = document_repeat([other.text for other in session.messages[:number]], said.text)
            counts.update({"document found": plain, "document right": plain and bool(right)})
    print(f"{len(found)} sessions, {counts['messages']} messages, {counts['repeats']} repeats")
    print(row("precision", counts["right"], counts["found"]))
    print(row("recall", counts["right"], counts["repeats"]))
    print(row("question type", counts["typed"], counts["messages"]))
    print(row("fingerprints alone: precision", counts["document right"], counts["document found"]))
    print(row("fingerprints alone: recall", counts["document right"], counts["repeats"]))


def _outcomes(said: Said, kind: str, right: set[str], of: str | None) -> dict[str, int]:
    return {
        "messages": 1,
        "repeats": bool(right),
        "found": of is not None,
        "right": of in right,
        "typed": kind == said.type,
    }


def _explain(session: Session, number: int, said: Said, kind: str, right: set[str], of: str | None) -> None:
    if kind != said.type:
        print(f"type   {session.id}.{number} {said.type} read as {kind}: {said.text}")
    if right and of not in right:
        others = [session.messages[int(at)].text for at in sorted(right)]
        print(f"missed {session.id}.{number} {said.text}  <- {others}")
    if of is not None and of not in right:
        print(f"false  {session.id}.{number} {said.text}  <- {session.messages[int(of)].text}")


if __name__ == "__main__":
    main(sys.argv[1:])
