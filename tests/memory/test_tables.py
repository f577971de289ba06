"""A mistake in a table is said with its file, its line and what to do; the shipped ones have none."""

import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import pytest

import memory.data
from evaluation.tables import CHECKS, faults, of_needs, of_phrases
from memory.crisis_table import Language, Rule, language
from memory.data import BadTable, raw
from memory.data.faults import empty, undecodable
from memory.recall_topics import Needs, Topic, default_needs

Topics = dict[str, tuple[str, ...]]
Synonyms = dict[str, dict[str, str | list[str]]]


@pytest.mark.parametrize("check", CHECKS, ids=[check.__name__ for check in CHECKS])
def test_the_shipped_tables_are_in_order(check: Callable[[], Iterable[BadTable]]) -> None:
    assert [str(fault) for fault in faults(check)] == []


def fault_of(name: str, change: tuple[str, str], kind: object) -> str:
    """What is said of the shipped table with ``change`` in it."""
    text = raw(name).decode().replace(*change, 1)
    try:
        msgspec.toml.decode(text, type=kind)
    except msgspec.DecodeError as error:
        return str(undecodable(name, text, kind, error))
    return str(empty(name, text))


@pytest.mark.parametrize(
    ("name", "kind", "change", "said"),
    [
        ("topics.toml", Topics, ("grief = [", "grief = [7, "), "`grief`: expected text in quotes"),
        ("topics.toml", Topics, ("grief = [", 'grief = ["", '), "`grief.1`: a phrase is empty"),
        ("topics.toml", Topics, ("grief = [", 'grief = "x"\nnext = ['), "`grief`: expected a list in [ ]"),
        (
            "topics.toml",
            Topics,
            ("\ngrief = [", '\nsleep = ["nap"]\ngrief = ['),
            "the same key stands there twice",
        ),
        ("synonyms.toml", Synonyms, ("son = [", "son = [5, "), "`person.son`: expected text in quotes"),
        ("synonyms.toml", Synonyms, ("son = [", 'son = ["x '), "Unclosed array"),
        (
            "crisis_en_self_harm.toml",
            Language,
            ("severity = 3", "severty = 3"),
            "`rules.1`: there is no key `severty`",
        ),
        (
            "crisis_en_self_harm.toml",
            Language,
            ("severity = 3", "severity = 9"),
            "`rules.1.severity`: expected",
        ),
        ("recall.toml", Needs, ("floor = 0.5", "flor = 0.5"), "there is no key `flor`"),
        (
            "recall.toml",
            Needs,
            ('[topic.needs]\n"injury/upper" = 1.0', '[topic.needs]\n"injury/upper" = 1.5'),
            "expected a number <= 1.0",
        ),
    ],
)
def test_a_mistake_is_said_with_its_place_and_what_to_do(
    name: str, kind: object, change: tuple[str, str], said: str
) -> None:
    whole = raw(name).decode()
    told = fault_of(name, change, kind)
    assert said in told
    assert told.startswith(f"memory/data/{name}, line ")
    assert "python -m evaluation.tables" in told
    line = int(told.partition("line ")[2].split(",")[0].split(":")[0])
    begins = whole[: whole.index(change[0].strip())].count("\n") + 1
    assert begins <= line <= begins + 1 or "twice" in said


def test_an_entry_that_is_right_is_no_fault() -> None:
    text = raw("topics.toml").decode().replace("grief = [", 'grief = ["a wake", ', 1)
    assert empty("topics.toml", text) is None
    msgspec.toml.decode(text, type=Topics)


@pytest.mark.parametrize(
    ("phrase", "word"),
    [
        ("mama haut zu", "mama"),  # read as another word
        ("leb wohl ~3", "wohl"),  # left out of what is read
        ("strick ~12 balken", "~12"),  # no gap is as long
        ("in u-bahn springen", "u-bahn"),  # two words
    ],
)
def test_a_phrase_that_no_message_can_hold_is_told(phrase: str, word: str) -> None:
    rule = Rule("self_harm", 2, "own", ["balken brennt", phrase])
    (fault,) = of_phrases(language("de"), {"crisis_de.toml": Language(rules=[rule])})
    assert f"{phrase!r} is never found: {word!r} " in str(fault)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"never_silent": "medicne"}, "no topic is called 'medicne'"),
        ({"otherwise": "elsewhere"}, "no topic is called 'elsewhere'"),
        ({"asks": "(what"}, "the expression cannot be read"),
        ({"topic": Topic("sea", "sea", {"diet/nosuch": 0.5})}, "no group of words is called 'nosuch'"),
        ({"topic": Topic("sea", "sea", {"boats": 0.5})}, "no kind of statement is called 'boats'"),
    ],
)
def test_a_name_or_an_expression_that_says_nothing_is_told(changed: dict[str, object], said: str) -> None:
    needs = default_needs()
    if "topic" in changed:
        changed = {"topic": (*needs.topic, changed["topic"])}
    (fault,) = of_needs(msgspec.structs.replace(needs, **changed))
    assert said in str(fault)


def test_every_table_is_looked_at() -> None:
    program = """if True:
        import sys
        opened = set()
        sys.addaudithook(lambda event, told: opened.add(str(told[0])) if event == "open" else None)
        from evaluation import tables
        try:
            tables.main()
        finally:
            print(*opened, sep="\\n")
    """
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    looked_at = {Path(line).name for line in told.splitlines()}
    tables = Path(memory.data.__file__).parent
    assert {file.name for file in tables.glob("*.toml")} - looked_at == set()
