"""Check the tables that the readers work from: what is wrong in which file and line, everything at once.

``python -m evaluation.tables`` prints a line for each fault and fails if there is one; ``make evaluate`` begins with
it. A table that cannot be read at all says so wherever it is used. This looks also for what would be found only later
or never: an expression that does not compile, a class, a kind of statement or a topic that nothing is called, a word
that stands for two things.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import get_args

from memory import data, reading
from memory.answer_rules import Rules, expression
from memory.crisis_grammar import Alphabet
from memory.crisis_table import FILES, Language, language
from memory.data import BadTable
from memory.data.faults import line_with
from memory.flags import Flag
from memory.intent import Intent
from memory.recall_topics import Needs
from memory.statements_frames import frames
from memory.statements_kinds import StatementKind
from memory.text import folded
from memory.vocabulary import KINDS

_MARKS = re.compile(r"<[a-z0-9-]+>")


def main() -> None:
    """Print every fault."""
    found = {str(fault): None for check in CHECKS for fault in faults(check)}
    for each in found:
        print(each)
    print(f"{len(found)} faults" if found else "All tables are in order.")
    sys.exit(bool(found))


def faults(check: Callable[[], Iterable[BadTable]]) -> Iterator[BadTable]:
    """What ``check`` finds; a table that cannot be read ends it."""
    try:
        yield from check()
    except BadTable as fault:
        yield fault


def _of(name: str, words: str, why: str) -> BadTable:
    return BadTable(name, why, line=line_with(data.raw(name).decode(), words))


def noticed() -> Iterator[BadTable]:
    """Topics are named freely; flags and intents are those there are."""
    data.table("topics.toml", dict[str, tuple[str, ...]])
    for name, known in (("flags.toml", get_args(Flag)), ("intents.toml", get_args(Intent))):
        for each in data.table(name, dict[str, tuple[str, ...]]):
            if each not in known:
                yield _of(name, f"{each} =", f"nothing is called {each!r}; there are {', '.join(known)}")


def synonyms() -> Iterator[BadTable]:
    """Words are of a known kind, and each stands for one thing of its kind, unless two are the same word."""
    name = "synonyms.toml"
    for kind, rows in data.table(name, dict[str, dict[str, str | list[str]]]).items():
        if kind == "names":
            continue
        if kind not in KINDS:
            yield _of(name, f"[{kind}]", f"no kind is called {kind!r}; there are {', '.join(KINDS)}")
            continue
        if kind == "act":
            continue  # who lives and what is alive are one word in Spanish
        first: dict[str, str] = {}
        for concept, variants in rows.items():
            for each in {concept.replace("_", " "), *variants}:
                other = first.setdefault(folded(each), concept)
                if other != concept:
                    yield _of(name, f"{concept} =", f"{each!r} stands for {other!r} already")


def crisis() -> Iterator[BadTable]:
    """Phrases are written as they can be read, of classes that there are."""
    for name, files in FILES.items():
        whole = language(name)
        alphabet = Alphabet(whole)
        for file in files:
            for rule in data.table(file, Language).rules:
                for phrase in (*rule.phrases, *rule.unless):
                    if why := _unreadable(alphabet, phrase):
                        yield _of(file, phrase, why)


def _unreadable(alphabet: Alphabet, phrase: str) -> str:
    if set("<>") & set(_MARKS.sub("", phrase)):
        return f"in {phrase!r} a class is not written as <name>"
    try:
        alphabet.phrase(phrase).lay_out()
    except (ValueError, re.error) as error:
        return str(error)
    return ""


def answers() -> Iterator[BadTable]:
    """Expressions compile, of fragments that there are."""
    rules: Rules = data.table("answers.toml", Rules)
    for rule in rules.rule:
        for code in (rule.find, rule.unless, rule.said, rule.unsaid):
            try:
                expression(code)
            except (re.error, KeyError) as error:
                yield _of("answers.toml", code, f"the expression cannot be read ({error})")


def statements() -> Iterator[BadTable]:
    """Patterns compile."""
    for compiled in frames().all:
        for pattern, source in zip(compiled.patterns, compiled.frame.patterns, strict=True):
            try:
                re.compile(pattern.source)
            except re.error as error:
                name = next(
                    (each for each in _STATEMENTS if source in data.raw(each).decode()), _STATEMENTS[0]
                )
                yield _of(name, source, f"the pattern cannot be read ({error})")


_STATEMENTS = ("statements_en.toml", "statements_de.toml", "statements_es.toml")


def recall() -> Iterator[BadTable]:
    """Needs are of kinds of statements, and every topic is one that there is, once."""
    name = "recall.toml"
    needs: Needs = data.table(name, Needs)
    topics = Counter(topic.name for topic in needs.topic)
    for topic, times in topics.items():
        if times > 1:
            yield _of(name, f'name = "{topic}"', f"the topic {topic!r} stands there {times} times")
    kinds = get_args(StatementKind)
    for each in (need for one in needs.topic for need in one.needs):
        if each.partition("/")[0] not in kinds:
            yield _of(name, each, f"no kind of statement is called {each!r}; there are {', '.join(kinds)}")
    for each in (*needs.by_group.values(), *needs.only_asked.split()):
        if each not in topics:
            yield _of(name, each, f"no topic is called {each!r}")


def all_others() -> Iterator[BadTable]:
    """Whatever a server reads at its start."""
    try:
        reading.warm()
    except (re.error, ValueError, KeyError) as error:
        yield error if isinstance(error, BadTable) else BadTable("", f"a table cannot be used ({error})")


CHECKS: tuple[Callable[[], Iterable[BadTable]], ...] = (
    noticed,
    synonyms,
    crisis,
    answers,
    statements,
    recall,
    all_others,
)

if __name__ == "__main__":
    main()
