"""Check the tables that the readers work from: what is wrong in which file and line, everything at once.

``python -m evaluation.tables`` prints a line for each fault and fails if there is one; ``make evaluate`` begins with
it. A table that cannot be read at all says so wherever it is used. This looks also for what would be found only later
or never: an expression that does not compile, a class, a kind of statement or a topic that nothing is called, a word
that stands for two things.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import get_args

from memory import data, reading
from memory.answer_rules import Rules, expression
from memory.crisis_grammar import Alphabet, Phrase
from memory.crisis_table import FILES, Language, language
from memory.crisis_words import Speller, tokens
from memory.data import BadTable
from memory.data.faults import line_of, line_with
from memory.flags import Flag
from memory.intent import Intent
from memory.languages import language_of
from memory.learned import learned_in
from memory.noting import own_note
from memory.orders import read_orders
from memory.recall_topics import Needs
from memory.searching import telling
from memory.statements_frames import frames
from memory.statements_kinds import StatementKind
from memory.statements_words import group_names
from memory.summing import read_summary
from memory.text import folded
from memory.turnings import turned
from memory.vocabulary import KINDS

_MARKS = re.compile(r"<[a-z0-9-]+>")


def main() -> None:
    """Print every fault."""
    every = [fault for check in CHECKS for fault in faults(check)]
    found = dict.fromkeys(map(str, filter(lambda fault: fault.name, every))) or dict.fromkeys(map(str, every))
    for each in found:
        print(each)
    told = "1 fault" if len(found) == 1 else f"{len(found)} faults"
    print(told if found else "All tables are in order.")
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
    """Phrases are written as they can be read, of classes that there are and of words that are heard."""
    for name, files in FILES.items():
        yield from of_phrases(language(name), {file: data.table(file, Language) for file in files})


def of_phrases(whole: Language, tables: Mapping[str, Language]) -> Iterator[BadTable]:
    """The faults of the phrases in ``tables``, by file, of a language as ``whole``."""
    alphabet, made = Alphabet(whole), list[tuple[str, Phrase]]()
    for file, source in ((file, source) for file, table in tables.items() for source in _phrases(table)):
        if set("<>") & set(_MARKS.sub("", source)):
            yield _of(file, source, f"in {source!r} a class is not written as <name>")
            continue
        try:
            phrase = alphabet.phrase(source)
            phrase.lay_out()
        except (ValueError, re.error) as error:
            yield _of(file, source, str(error))
        else:
            made.append((file, phrase))
    speller = Speller(whole.spelling, alphabet.letters)
    known = (letters for word, letters in speller.known.items() if tokens(word) == [word])
    heard = {*"".join((*known, *speller.rewrites.values()))}
    for file, phrase in made:
        if word := _unheard(phrase, heard, alphabet):
            why = f"{word!r} is left out of what is read, read as another word (see `spelling`), or no word"
            yield _of(file, phrase.source, f"{phrase.source!r} is never found: {why}")


def _phrases(table: Language) -> Iterator[str]:
    for rule in table.rules:
        yield from (*rule.phrases, *rule.unless)
    for guard in (*table.guards.phrases().values(), table.guards.denials):
        yield from guard


def _unheard(phrase: Phrase, heard: set[str], alphabet: Alphabet) -> str:
    """A word that ``phrase`` needs and that no message has, if there is one."""
    for needed in phrase.needs:
        if not any(heard.issuperset(letters) for letters in needed):
            lacking = {letter for letters in needed for letter in letters if letter not in heard}
            return next(word for word, letter in alphabet.letters.items() if letter in lacking)
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
    """Needs are of kinds and groups of statements, every topic is one that there is, once, and expressions compile."""
    yield from of_needs(data.table("recall.toml", Needs))


def of_needs(needs: Needs) -> Iterator[BadTable]:
    """The faults of the recall's table."""
    name = "recall.toml"
    topics = Counter(topic.name for topic in needs.topic)
    for topic, times in topics.items():
        if times > 1:
            yield _of(name, f'name = "{topic}"', f"the topic {topic!r} stands there {times} times")
    kinds, text = get_args(StatementKind), data.raw(name).decode()
    groups = {*needs.groups, *group_names(), *(each.frame.attribute for each in frames().all)}
    for at, need in ((at, need) for at, one in enumerate(needs.topic) for need in one.needs):
        kind, _, group = need.partition("/")
        line = line_of(text, ["topic", at, "needs", need])
        if kind not in kinds:
            why = f"no kind of statement is called {kind!r}; there are {', '.join(kinds)}"
            yield BadTable(name, why, line=line)
        elif group and group not in groups:
            yield BadTable(name, f"no group of words is called {group!r}", line=line)
    named = (
        *needs.by_group.values(),
        *needs.only_asked.split(),
        *needs.never_silent.split(),
        needs.otherwise,
    )
    for each in named:
        if each and each not in topics:
            yield _of(name, each, f"no topic is called {each!r}")
    for key in ("impersonal", "by_the_way", "asks", "somebody", "personal", "question"):
        try:
            re.compile(getattr(needs, key))
        except re.error as error:
            yield _of(name, f"{key} =", f"the expression cannot be read ({error})")


def all_others() -> Iterator[BadTable]:
    """Whatever a server reads at its start, or when it first needs it."""
    for read in _READ:
        try:
            read()
        except BadTable as fault:
            yield fault
        except (re.error, ValueError, KeyError) as error:
            yield BadTable("", f"a table cannot be used ({error})")


_READ: tuple[Callable[[], object], ...] = (
    reading.warm,
    lambda: language_of(""),
    lambda: learned_in("I learned to swim."),
    lambda: read_orders("Remember that I am a vegan."),
    lambda: turned("I am retired now.", []),
    lambda: telling(""),
    lambda: read_summary("Summary: calm."),
    lambda: own_note("", [], learned=False),
)


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
