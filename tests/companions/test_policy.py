"""The small questions a turn asks of a policy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companions.policy_safety import CATEGORIES, CrisisRule
from companions.policy_turn import Repetition, Strategy
from companions.resources import INTERNATIONAL, resources_for
from companions.texts import filled, placeholders, reflection_keys, sections
from memory.statements_kinds import StatementKind
from tests.companions.library import NAMES, shipped


@pytest.mark.parametrize(
    ("rule", "actions"),
    [
        (CrisisRule(redirect_from=2), ["pass", "redirect", "redirect"]),
        (CrisisRule(redirect_from=1, escalate_from=3), ["redirect", "redirect", "escalate"]),
        (CrisisRule(redirect_from=3, escalate_from=2), ["pass", "escalate", "escalate"]),
        (CrisisRule(redirect_from=4), ["pass", "pass", "pass"]),
    ],
)
def test_severity_decides_between_pass_redirect_and_escalate(rule: CrisisRule, actions: list[str]) -> None:
    assert [rule.action(severity) for severity in (1, 2, 3)] == actions


@pytest.mark.parametrize("name", NAMES)
def test_an_acute_crisis_is_never_left_to_the_model_alone(name: str) -> None:
    safety = shipped(name)[0].policy.safety
    for category in CATEGORIES:
        assert safety.rule(category).action(3) != "pass"
        assert safety.rule(category).resources_from <= 2


@given(st.integers(0, 40))
def test_the_strategy_is_the_last_one_reached(repeats: int) -> None:
    steps = (Strategy(repeats=0, warmth=0), Strategy(repeats=3, warmth=1), Strategy(repeats=5, warmth=3))
    found = Repetition(strategy=steps).at(repeats)
    assert found is not None
    assert found.warmth == (0 if repeats < 3 else 1 if repeats < 5 else 3)


def test_without_a_strategy_repeats_mean_nothing() -> None:
    assert Repetition().at(7) is None


@pytest.mark.parametrize(
    ("name", "kind", "category"),
    [
        ("serenity", "life_event", "event"),
        ("serenity", "trigger", "trigger"),
        ("extremis", "tool", "technical"),
        ("extremis", "relation", "personal"),
        ("coach", "allergy", "allergy"),
        ("coach", "work", None),
        ("maestro", "learning", "learned"),
        ("maestro", "goal", "decision"),
        ("maestro", "condition", None),
    ],
)
def test_what_is_said_is_filed_as_each_companion_files_it(
    name: str, kind: StatementKind, category: str | None
) -> None:
    facts = shipped(name)[0].policy.facts
    assert facts is not None
    assert facts.category(kind) == category


def test_help_of_an_unknown_country_is_the_international_one() -> None:
    table = shipped("serenity")[0].resources
    for category in CATEGORIES:
        assert resources_for(table, category, None) == resources_for(table, category, INTERNATIONAL)
        assert resources_for(table, category, "XX") == resources_for(table, category, None) != ()


@pytest.mark.parametrize("country", ["US", "GB", "DE", "ES", "FR", "AT", "CH", "IE", "AU", "CA"])
@pytest.mark.parametrize("category", CATEGORIES)
def test_every_country_has_help_of_its_own_in_every_crisis(country: str, category: str) -> None:
    table = shipped("serenity")[0].resources
    assert set(resources_for(table, category, country)) <= set(table[country].resources)  # type: ignore[arg-type]  # parametrize gives plain text


def test_the_numbers_everyone_knows_are_there() -> None:
    table = shipped("clara")[0].resources
    for country, number in [
        ("US", "988"),
        ("US", "741741"),
        ("CA", "988"),
        ("GB", "116 123"),
        ("IE", "116 123"),
        ("DE", "0800 111 0 111"),
        ("AT", "142"),
        ("CH", "143"),
        ("ES", "024"),
        ("FR", "3114"),
        ("AU", "13 11 14"),
    ]:
        assert any(number in each.contact for each in resources_for(table, "self_harm", country))
    for country, number in [
        ("US", "911"),
        ("GB", "999"),
        ("DE", "112"),
        ("AU", "000"),
        ("CA", "911"),
        ("FR", "15"),
    ]:
        assert any(number in each.contact for each in resources_for(table, "medical", country))


@pytest.mark.parametrize(
    ("reading", "keys"),
    [
        (("location", "grounding", "anxious"), ("location", "grounding", "anxious", "general")),
        (("general", "general", "sad"), ("sad", "general")),
        (("general", "greeting", "calm"), ("greeting", "calm", "general")),
        (("general", "general", ""), ("general",)),
    ],
)
def test_a_question_is_answered_before_a_wish_and_a_feeling_before_anything(
    reading: tuple[str, str, str], keys: tuple[str, ...]
) -> None:
    assert reflection_keys(*reading) == keys


def test_sections_hold_paragraphs_as_variants_and_leave_notes_out() -> None:
    text = "A note.\n\n## first\n\nOne,\nin two lines.\n\nTwo.\n\n## last\nThree."
    assert sections(text) == {"first": ("One, in two lines.", "Two."), "last": ("Three.",)}


@given(st.text(), st.text(alphabet="ab{}_ n"))
def test_filling_is_done_once_and_leaves_what_it_does_not_know(value: str, text: str) -> None:
    assert filled("a {name} b {other}", {"name": value}) == f"a {value} b {{other}}"
    assert filled(text, {}) == text
    assert placeholders("{name} {na me} {} {x}") == {"name", "x"}
