"""Score model-free extraction on labelled dialogues: found, missed, invented, wrong person, wrong update.

``python -m evaluation.extract [SET]`` prints one table with 95 % Wilson intervals.
"""

import sys
from pathlib import Path

import msgspec

from evaluation.intervals import row as line
from evaluation.statements import SETS
from memory.facts import Fact, Scheme, facts_from

SCHEMES: dict[str, Scheme | None] = {
    "serenity": "wellness",
    "extremis": "desktop",
    "coach": "plain",
    "maestro": "plain",
    "clara": None,
}


class Said(msgspec.Struct, frozen=True):
    """One message of a dialogue."""

    id: str
    role: str
    text: str


class Wanted(msgspec.Struct, frozen=True):
    """A fact that should be found: any of the subjects, any of the words in its value, any of the states."""

    subject: tuple[str, ...]
    value: tuple[str, ...]
    status: tuple[str, ...]


class Row(msgspec.Struct, frozen=True):
    """A dialogue, the facts it states, and words of values that may be found but need not."""

    id: str
    companion: str
    lang: str
    messages: tuple[Said, ...]
    facts: tuple[Wanted, ...]
    allowed: tuple[str, ...]


def names(wanted: Wanted, fact: Fact) -> bool:
    """Whether the value of ``fact`` is the wanted one."""
    return any(word in fact.value.lower() for word in wanted.value)


def main() -> None:
    """Score the set named on the command line, else the development set."""
    given = [word for word in sys.argv[1:] if not word.startswith("-")]
    path = Path(given[0]) if given else SETS / "extract.jsonl"
    rows = [msgspec.json.decode(line, type=Row) for line in path.read_text(encoding="utf-8").splitlines()]
    wanted = found = stale = made = invented = misplaced = 0
    by_language: dict[str, list[int]] = {}
    for row in rows:
        facts = facts_from([(one.id, one.role, one.text) for one in row.messages], SCHEMES[row.companion])
        for one in row.facts:
            value = [fact for fact in facts if names(one, fact)]
            whose = [fact for fact in value if fact.subject.lower() in one.subject]
            held = [fact for fact in whose if fact.status in one.status]
            wanted += 1
            found += bool(held)
            stale += bool(whose) and not held
            tally = by_language.setdefault(row.lang, [0, 0])
            tally[0] += bool(held)
            tally[1] += 1
            if "--show" in sys.argv and not held:
                print("MISS", row.id, one, [f"{f.subject}:{f.attribute}:{f.value}:{f.status}" for f in facts])
        for fact in facts:
            made += 1
            owners = [one for one in row.facts if names(one, fact)]
            if owners and not any(fact.subject.lower() in one.subject for one in owners):
                misplaced += 1
                print("WHOSE", row.id, fact) if "--show" in sys.argv else None
            elif not owners and not any(word in fact.value.lower() for word in row.allowed):
                invented += 1
                print("EXTRA", row.id, fact) if "--show" in sys.argv else None
    print(line("stated facts found", found, wanted))
    for lang, (hits, of) in sorted(by_language.items()):
        print(line(f"  in {lang}", hits, of))
    print(line("invented", invented, made))
    print(line("given to another person", misplaced, made))
    print(line("wrong update", stale, wanted))


if __name__ == "__main__":
    main()
