"""A mistake in a table is said with its file, its line and what to do; the shipped ones have none."""

from collections.abc import Callable, Iterable

import msgspec
import pytest

from evaluation.tables import CHECKS, faults
from memory.crisis_table import Language
from memory.data import BadTable, raw
from memory.data.faults import empty, undecodable
from memory.recall_topics import Needs

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
