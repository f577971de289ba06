"""What ``fireside companions list``, ``show`` and ``check`` say."""

import pytest

from companions.check import budget_line, checked, listed, prompt_tokens, shown
from tests.companions.library import NAMES, SIXTH, files_of, shipped


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_companion_has_nothing_to_be_warned_of(name: str) -> None:
    report = checked(name, files_of(name))
    assert report.errors == ()
    assert report.warnings == ()


@pytest.mark.parametrize("name", NAMES)
def test_the_fixed_prompt_fits_its_budget_in_every_session_type(name: str) -> None:
    for companion in shipped(name):
        limit = companion.policy.budget.tiers["system"].tokens
        assert set(prompt_tokens(companion)) == set(companion.policy.session.types)
        assert all(0 < count <= limit for count in prompt_tokens(companion).values())


def test_an_error_is_reported_and_nothing_else() -> None:
    files = {**files_of(SIXTH), "companion.toml": "format = 1"}
    report = checked(SIXTH, files)
    assert report.errors == ("lotse/companion.toml: name: this key is required",)
    assert report.lines == report.warnings == ()


WARNINGS = [
    ("persona.md~", "", "a", "persona.md~: nothing reads this file"),
    (
        "rules.md",
        "",
        "a" * 4_000,
        "sessions/wache.md: the prompt takes 4088 tokens, budget.tiers.system is 700",
    ),
    ("reflections.md", "## sad\n", "## person\n", "reflections.md: sad: nothing to say for this feeling"),
    ("narratives/hafen.toml", '"sad", ', "", "narratives: reassurance: none for someone who is sad"),
    (
        "companion.toml",
        'prefer = "medium"',
        'prefer = "long"',
        "narratives: none is long, as repetition.strategy prefers",
    ),
    (
        "companion.toml",
        'recipients = ["safeguarding"]',
        "",
        "companion.toml: safety.abuse: an alert is raised and nobody is told",
    ),
    (
        "companion.toml",
        'country = "DE"',
        'country = "XX"',
        "companion.toml: safety.country: XX has no entry in resources.toml",
    ),
    ("companion.toml", "crisis = true", "", "companion.toml: session.types: none is for a crisis"),
    (
        "companion.toml",
        "items = 2, item_tokens = 52",
        "items = 3, item_tokens = 52",
        "companion.toml: budget.tiers.summaries: 3 × 52 do not fit",
    ),
    (
        "safe_answers/abuse.md",
        "Bleib nicht allein damit.",
        "",
        "safe_answers/abuse.md: later: one variant, which will sound the same each time",
    ),
]


@pytest.mark.parametrize(("path", "old", "new", "warning"), WARNINGS)
def test_what_a_writer_may_want_to_look_at_is_said(path: str, old: str, new: str, warning: str) -> None:
    files = files_of(SIXTH)
    assert old in files.get(path, "")
    text = files[path].replace(old, new, 1) if old else new
    report = checked(SIXTH, {**files, path: text})
    assert report.errors == ()
    assert warning in report.warnings


def test_the_list_has_a_line_for_each() -> None:
    lines = listed([*shipped("clara"), *shipped("maestro")])
    assert lines[0].startswith("clara                ")
    assert lines[1].startswith("maestro/mathematics  Maestra Livia  Mathematics")
    assert len(lines) == 1 + len(shipped("maestro"))


def test_a_companion_is_shown_with_its_sums_and_its_ways_in_a_crisis() -> None:
    lines = shown(shipped("coach")[0])
    assert "  memory     recall (across), search (across)" in lines
    assert any("at most 1200 added" in line for line in lines)
    assert "  crisis     medical: 1 pass · 2 redirect · 3 redirect; told: nobody" in lines
    assert budget_line(shipped("serenity")[0]) == (
        "9700 in tiers, 10000 for the answer, 13068 spare of 32768 tokens"
    )
