"""Builds evaluation/sets/search.jsonl from the talks and the small talk in evaluation/sets/search/.

A talk file holds episodes in prose: ``# A & B`` begins a talk, a blank line parts episodes, ``X: text ^tag``
is a message of whoever's name begins with X, ``? question = tag …`` a question with the messages that answer
it. The builder spreads a talk's episodes over sessions, with small talk between them, from a fixed seed. The
set is frozen: run again, it comes out byte for byte the same.

    python -m evaluation.search_set
"""

import random
from pathlib import Path
from typing import TypedDict

import msgspec

SETS = Path(__file__).parent / "sets"
EPISODES_A_SESSION = 2
SMALL_TALK_PAIRS = 62
DENSE_EPISODE = 20  # an episode of more lines is a session of its own, told without small talk
SEED = 20_250_301


class Line(TypedDict):
    """One message of a talk."""

    id: str
    role: str
    speaker: str
    text: str
    session: int


class Asked(TypedDict):
    """A question and the ids of the messages that answer it."""

    id: str
    kind: str
    query: str
    evidence: list[str]


class Talk(TypedDict):
    """A long dialogue with its questions: one line of the set."""

    id: str
    messages: list[Line]
    questions: list[Asked]


Episode = list[str]
PLAIN = "plain"
REWORDED = "reworded"
DENSE = "dense"
HELD_OUT = "held out"  # written when the search was done, and never tuned on


def talks() -> list[tuple[str, list[Episode]]]:
    """The names and the episodes of every talk file."""
    found: list[tuple[str, list[Episode]]] = []
    for path in sorted((SETS / "search").glob("talks_*.txt")):
        for block in path.read_text("utf-8").split("# ")[1:]:
            title, _, body = block.partition("\n")
            found.append((title.strip(), [part.splitlines() for part in body.strip().split("\n\n")]))
    return found


def small_talk() -> list[tuple[str, str]]:
    """Pairs that answer no question."""
    lines = (SETS / "search" / "filler.txt").read_text("utf-8").splitlines()
    return [(said, reply) for said, reply in (line.split(" | ") for line in lines)]


def plain() -> dict[str, list[tuple[str, list[str]]]]:
    """Questions in the talk's own words, for every talk."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for block in (SETS / "search" / "plain.txt").read_text("utf-8").split("# ")[1:]:
        title, *lines = block.strip().splitlines()
        pairs = (line[1:].rpartition(" = ") for line in lines)
        found[title] = [(query.strip(), wanted.split()) for query, _, wanted in pairs]
    return found


def built(number: int, title: str, episodes: list[Episode]) -> Talk:
    """One talk of the set."""
    dice = random.Random(SEED + number)  # noqa: S311  # a fixed order, not a secret
    first, second = title.split(" & ")
    names = {first[0]: first, second[0]: second}
    messages: list[Line] = []
    questions: list[Asked] = []
    tags: dict[str, str] = {}
    dense = len(max(episodes, key=len)) > DENSE_EPISODE
    pairs = [] if dense else dice.sample(small_talk(), SMALL_TALK_PAIRS)
    kind = (HELD_OUT if "Vera" in names.values() else DENSE) if dense else REWORDED
    size = 1 if dense else EPISODES_A_SESSION
    sessions = -(-len(episodes) // size)

    def say(speaker: str, text: str, session: int) -> str:
        name = f"d{number}:{len(messages) + 1}"
        role = "user" if speaker == first else "assistant"
        messages.append({"id": name, "role": role, "speaker": speaker, "text": text, "session": session})
        return name

    def chat(count: int, session: int) -> None:
        for _ in range(count):
            if pairs:
                said, reply = pairs.pop()
                one, other = (first, second) if dice.random() < 0.5 else (second, first)
                say(one, said, session)
                say(other, reply, session)

    each = SMALL_TALK_PAIRS // (sessions * (EPISODES_A_SESSION + 1)) + 1
    for session in range(1, sessions + 1):
        say(
            first,
            dice.choice(["Hey {}!", "Hi {}, good to hear from you.", "{}! There you are."]).format(second),
            session,
        )
        for episode in episodes[(session - 1) * size : session * size]:
            chat(each, session)
            for line in episode:
                if line.startswith("?"):
                    query, _, wanted = line[1:].rpartition(" = ")
                    questions.append(
                        {
                            "id": f"q{number}:{len(questions) + 1}",
                            "kind": kind,
                            "query": query.strip(),
                            "evidence": wanted.split(),
                        }
                    )
                    continue
                speaker, _, rest = line.partition(": ")
                text, _, tag = rest.partition(" ^")
                name = say(names[speaker], text.strip(), session)
                if tag:
                    tags[tag.strip()] = name
        chat(each, session)
        say(
            second,
            dice.choice(["Speak soon, {}!", "Bye {}, take care.", "Good night, {}."]).format(first),
            session,
        )
    for query, wanted in plain().get(title, []):
        questions.append(
            {"id": f"q{number}:{len(questions) + 1}", "kind": PLAIN, "query": query, "evidence": wanted}
        )
    for question in questions:
        question["evidence"] = [tags[tag] for tag in question["evidence"]]
    return {"id": f"d{number}", "messages": messages, "questions": questions}


def main() -> None:
    """Write the set."""
    lines = [built(number, *talk) for number, talk in enumerate(talks(), start=1)]
    target = SETS / "search.jsonl"
    target.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))


if __name__ == "__main__":
    main()
