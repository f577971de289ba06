"""What people were promised in a simulation, and what the file and the prompts hold against it."""

import re
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from companions.ports import Prompt
from memory.statements_ends import single_valued

MARK = re.compile(r"\b(p\d+)n(\d+)x\b")


def mark(person: str, number: int | str) -> str:
    """A word that nobody else says, and this person once."""
    return f"{person}n{number}x"


@dataclass
class Ledger:
    """The promises."""

    companions: dict[str, str] = field(default_factory=dict[str, str])  # of each person
    messages: dict[str, str] = field(default_factory=dict[str, str])  # id to text, acknowledged as durable
    answers: dict[str, str] = field(default_factory=dict[str, str])  # id to text, in a durable response.done
    refused: set[str] = field(default_factory=set[str])  # texts
    where: dict[str, str] = field(default_factory=dict[str, str])  # the conversation of each message
    removed: set[str] = field(default_factory=set[str])  # messages: an acknowledged removal
    unsure: set[str] = field(default_factory=set[str])  # messages whose removal may have happened
    doomed: set[str] = field(default_factory=set[str])  # conversations whose removal may have happened
    blamed: list[str] = field(default_factory=list[str])  # promises that were seen broken
    counts: Counter[str] = field(default_factory=Counter[str])

    def blame(self, what: str) -> None:
        """A promise was not kept."""
        self.blamed.append(what)

    def gone(self, conversation: str) -> None:
        """Everything that is known to have been said in a conversation was removed."""
        self.removed |= {message for message, its in self.where.items() if its == conversation}

    def stands(self, message: str) -> bool:
        """Whether nobody has asked for its removal."""
        return message not in self.unsure and self.where.get(message) not in self.doomed


def findings(store: Path, ledger: Ledger) -> list[str]:
    """Everything in the file that breaks a promise."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
        return [*_kept(db, ledger), *_ordered(db), *_once(db), *_facts(db), *ledger.blamed]


def _kept(db: sqlite3.Connection, ledger: Ledger) -> list[str]:
    rows: dict[str, str | None] = dict(db.execute("SELECT id, text FROM messages").fetchall())
    found = [
        f"lost {message}: {text}"
        for message, text in (ledger.messages | ledger.answers).items()
        if ledger.stands(message) and rows.get(message) != text
    ]
    found += [f"not removed {message}" for message in ledger.removed if rows.get(message)]
    said = {text for text in rows.values() if text is not None}
    return found + [f"refused, and stored: {text}" for text in ledger.refused & said]


def _ordered(db: sqlite3.Connection) -> list[str]:
    found = [
        f"a gap in {conversation}"
        for (conversation,) in db.execute(
            "SELECT conversation FROM messages GROUP BY conversation HAVING MAX(position) <> COUNT(*)"
        )
    ]
    found += [
        f"out of order in {conversation}"
        for (conversation,) in db.execute(
            """
            SELECT a.conversation FROM messages a JOIN messages b
                ON b.conversation = a.conversation AND b.position = a.position + 1
            WHERE b.stored <= a.stored
            """
        )
    ]
    numbers: dict[str, list[int]] = {}
    for (text,) in db.execute(
        "SELECT text FROM messages WHERE role = 'user' AND text IS NOT NULL ORDER BY stored"
    ):
        for person, number in MARK.findall(text):
            numbers.setdefault(person, []).append(int(number))
    for person, each in numbers.items():
        found += [f"{person} said {number} twice" for number, count in Counter(each).items() if count > 1]
        found += [
            f"{person} said {after} after {before}" for before, after in pairwise(each) if after < before
        ]
    return found


def _once(db: sqlite3.Connection) -> list[str]:
    questions = {
        "answered twice": "SELECT answers FROM messages WHERE answers IS NOT NULL GROUP BY answers HAVING COUNT(*) > 1",
        "summed up twice": "SELECT conversation FROM summaries WHERE partial = 0 GROUP BY conversation, covers_last "
        "HAVING COUNT(*) > 1",
        "queued twice": "SELECT conversation FROM jobs GROUP BY conversation, kind, first, last, revision "
        "HAVING COUNT(*) > 1",
        "an open answer in a closed talk": "SELECT o.response FROM open_responses o JOIN conversations c "
        "ON c.id = o.conversation WHERE c.closed IS NOT NULL",
    }
    return [f"{what} {row[0]}" for what, query in questions.items() for row in db.execute(query)]


def _facts(db: sqlite3.Connection) -> list[str]:
    rows = db.execute(
        "SELECT user_id, companion, subject, attribute, COUNT(DISTINCT value) FROM facts WHERE status = 'active' "
        "AND tense = 'present' GROUP BY user_id, companion, subject, attribute HAVING COUNT(DISTINCT value) > 1"
    ).fetchall()
    return [f"two values at once: {row[:4]}" for row in rows if row[3] in single_valued()]


def leaks(store: Path, ledger: Ledger, prompts: list[Prompt]) -> list[str]:
    """What prompts hold of another person, or, where a companion keeps to one session, of another talk."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
        rows = db.execute(
            "SELECT text, conversation FROM messages WHERE role = 'user' AND text IS NOT NULL"
        ).fetchall()
    talks = {mark(*each): talk for text, talk in rows for each in MARK.findall(text)}
    found: list[str] = []
    for prompt in prompts:
        marks = MARK.findall(" ".join([prompt.system, *(each.text for each in prompt.messages)]))
        people = {person for person, _ in marks}
        if len(people) > 1:
            found.append(f"one prompt of {sorted(people)}")
        if any(ledger.companions.get(person) == "clara" for person in people):
            held = {talks[name] for each in marks if (name := mark(*each)) in talks}
            if len(held) > 1:
                found.append(f"clara was given {len(held)} talks of {sorted(people)}")
    return found
