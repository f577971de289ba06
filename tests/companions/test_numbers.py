"""Each companion keeps the numbers of its own document."""

import pytest

from companions.policy import Policy
from companions.policy_memory import Tier
from tests.companions.library import NAMES, shipped


def policy(name: str) -> Policy:
    return shipped(name)[0].policy


def tokens(name: str, tier: Tier) -> int:
    return policy(name).budget.tiers[tier].tokens


def test_wellness_shares_out_32768_tokens() -> None:
    budget = policy("serenity").budget
    assert (budget.context, budget.response) == (32_768, 10_000)
    tiers: list[Tier] = ["system", "static", "dynamic", "health", "facts", "summaries", "window"]
    assert [tokens("serenity", tier) for tier in tiers] == [2000, 300, 200, 200, 1000, 2000, 4000]
    summaries = budget.tiers["summaries"]
    assert (summaries.items, summaries.item_tokens, summaries.reduced_items) == (5, 400, 3)


def test_wellness_cuts_health_first_then_summaries_then_facts() -> None:
    tiers = policy("serenity").budget.tiers
    order = sorted(tiers, key=lambda tier: -tiers[tier].priority)
    assert order == ["health", "summaries", "dynamic", "facts", "static", "window", "system"]


def test_wellness_keeps_ten_messages_and_folds_beyond_fifteen() -> None:
    serenity = policy("serenity")
    assert (serenity.window.messages, serenity.window.until_summary) == (10, 15)
    assert serenity.summary is not None
    assert (serenity.summary.during_over, serenity.summary.during_keep) == (15, 10)
    assert serenity.summary.during_keep + serenity.summary.during_every == 15 + 1
    assert (serenity.summary.kept, serenity.summary.archive_after_days, serenity.summary.words) == (
        5,
        90,
        100,
    )
    assert set(serenity.session.types) == {
        "freeform",
        "check_in",
        "guided_exercise",
        "crisis_support",
        "goal_review",
    }
    assert serenity.facts is not None
    assert len(serenity.facts.categories) == 7
    assert (serenity.facts.start, serenity.facts.step, serenity.facts.most) == (0.5, 0.1, 0.95)


def test_the_desktop_gives_the_model_twenty_messages_or_a_summary() -> None:
    extremis = policy("extremis")
    assert extremis.window.messages == 20
    assert extremis.summary is not None
    assert (extremis.summary.during_over, extremis.summary.during_keep, extremis.summary.during_every) == (
        20,
        10,
        10,
    )
    assert extremis.facts is not None
    assert (extremis.facts.soft_limit, extremis.facts.hard_limit, extremis.facts.stale_after_days) == (
        50,
        100,
        90,
    )
    assert extremis.facts.categories == ("preference", "technical", "personal", "work", "project", "other")
    assert extremis.memory.summaries == "conversation"


def test_the_coach_adds_at_most_1200_tokens_300_of_them_for_safety() -> None:
    coach = policy("coach")
    assert (coach.budget.added, coach.budget.safety_reserve, coach.budget.shortest_message) == (1200, 300, 40)
    assert tokens("coach", "window") == 1200 - 300
    assert coach.window.messages == 10
    assert (coach.window.messages + 1, coach.recall.last_back, coach.recall.beyond_by_facts) == (11, 50, True)
    assert (coach.recall.search_results, coach.recall.search_tokens) == (3, 200)
    assert coach.order.index("recalled") < coach.order.index("window")


def test_the_dementia_companion_keeps_its_windows_and_its_strategy() -> None:
    clara = policy("clara")
    window = clara.window
    assert (window.messages, window.young_session, window.repeats_messages, window.distress_messages) == (
        12,
        6,
        6,
        16,
    )
    assert (window.repeats_from, window.distress_over, window.distress_lookback) == (4, 0.7, 3)
    assert (clara.repetition.similarity, clara.repetition.across_days, clara.repetition.chronic_from) == (
        0.6,
        7,
        5,
    )
    steps = {step.repeats: step for step in clara.repetition.strategy}
    assert list(steps) == [0, 1, 3, 5]
    assert [step.warmth for step in steps.values()] == [0, 1, 2, 3]
    assert [step.narrative for step in steps.values()] == ["none", "seed", "seed", "primary"]
    assert (steps[1].length, steps[3].length, steps[5].max_tokens) == ("standard", "brief", 80)
    assert (steps[3].category, steps[3].prefer) == ("memory_loop", "short")
    assert (clara.answers.hold_chars, clara.answers.hold_seconds, len(clara.answers.rules)) == (240, 1.5, 7)


def test_nothing_of_another_session_may_reach_the_dementia_companions_prompt() -> None:
    clara = policy("clara")
    memory = {field: getattr(clara.memory, field) for field in clara.memory.__struct_fields__}
    assert {key for key, reach in memory.items() if reach == "across"} == {"caregiver"}
    assert {key for key, reach in memory.items() if reach == "conversation"} == {"anchors"}
    assert clara.model.tools == ()
    assert (clara.session.transcript, clara.session.after_crash) == ("current", "answer")
    assert not clara.session.edit
    assert not clara.session.regenerate


def test_the_tutor_stays_at_1150_tokens_and_ends_after_fifteen_minutes() -> None:
    maestro = policy("maestro")
    tiers: list[Tier] = ["system", "summaries", "key_facts", "topics"]
    assert [tokens("maestro", tier) for tier in tiers] == [800, 200, 100, 50]
    assert (maestro.budget.tiers["key_facts"].items, maestro.budget.tiers["topics"].items) == (5, 10)
    assert maestro.budget.tiers["summaries"].items == 3
    assert maestro.session.silence_seconds == 900
    assert set(maestro.session.jobs) == {
        "summary",
        "facts",
        "topics",
        "learnings",
        "parent_note",
        "evaluation",
    }
    assert len(maestro.personas) >= 4


@pytest.mark.parametrize("name", [name for name in NAMES if name != "maestro"])
def test_all_others_end_after_half_an_hour_of_silence(name: str) -> None:
    assert policy(name).session.silence_seconds == 1800


def test_only_the_two_private_companions_stay_on_the_device() -> None:
    assert {name for name in NAMES if policy(name).model.local_only} == {"clara", "serenity"}


def test_each_maestro_has_a_name_a_subject_and_a_character() -> None:
    members = shipped("maestro")
    assert len({member.texts.persona for member in members}) == len(members)
    assert len({(member.id, member.name, member.subject) for member in members}) == len(members)
    for member in members:
        assert member.name in member.texts.persona
        assert member.subject is not None
        assert member.subject in member.texts.persona
        assert member.name in " ".join(member.texts.greetings.plain)
