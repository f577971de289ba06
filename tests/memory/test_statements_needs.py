import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from evaluation.statement_needs import OUT, written
from memory.statements_frames import frames
from memory.statements_index import index
from memory.statements_marks import marks
from memory.statements_needs import needs
from memory.statements_rules import rules, wide_rules

_GROUPS = {rune: name for name, rune in marks().items()}
_SOURCES = sorted({pattern.source for frame in frames().all for pattern in frame.patterns})
_SOME = [*_SOURCES[::12], *(rule.beside for rule in (*rules(), *wide_rules())[::4])]


def test_the_needs_of_every_pattern_are_worked_out() -> None:
    assert OUT.read_bytes() == written(), "run: python -m evaluation.statement_needs"


def _there(need: str, runs: list[str]) -> bool:
    if need.startswith("@"):
        return any(_GROUPS.get(run[0]) == need[1:] for run in runs)
    if need == "#":
        return any(re.search(r"\d", run) and run[0] not in _GROUPS for run in runs)
    if need.startswith("*"):
        return any(run.endswith(need[1:]) for run in runs)
    return any(run.startswith(need[:-1]) for run in runs) if need.endswith("*") else need in runs


@pytest.mark.parametrize("source", _SOME)
def test_what_a_pattern_matches_has_all_it_needs(source: str) -> None:
    whole = re.compile(rf"(?<!\w)(?:{source})(?!\w)")

    @settings(
        max_examples=8,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )
    @given(st.from_regex(re.compile(source), fullmatch=True))
    def holds(text: str) -> None:
        assume(whole.search(text))
        runs = re.findall(r"\w+", text)
        assert all(any(_there(word, runs) for word in need) for need in needs(source))

    assert len(needs(source)) <= 3
    holds()


@pytest.mark.parametrize(
    ("said", "names", "tries"),
    [
        ("i am allergic to peanuts", False, True),
        ("the weather turned nice after lunch", False, False),
        ("My sister came over", True, False),
    ],
)
def test_a_sentence_without_what_a_pattern_needs_is_not_tried(said: str, names: bool, tries: bool) -> None:
    possible = index().possible(said.split())
    assert bool(possible.people) == names
    assert bool(possible.patterns) == tries
