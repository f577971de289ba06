"""The budget of a prompt: every number of its policy is held, always the same way, and nothing critical is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from companions.policy_memory import Tier
from companions.prompt import Assembled, Scene, assemble
from companions.remembered import (
    FactLine,
    Health,
    PastTalk,
    Permitted,
    permit,
)
from memory.messages import Message
from memory.recall import Recalled
from tests.companions.library import NAMES, shipped
from tests.companions.pasts import ANN, HEALTH
from tests.companions.sitting import Sitting
from tests.companions.test_prompt import FEW, LAKE, LINES, LONG, cost


def made(
    name: str, past: Permitted, texts: tuple[str, ...], message: str, recalled: tuple[str, ...]
) -> Assembled:
    companion = shipped(name)[0]
    roles = ("user", "assistant")
    window = tuple(
        Message(id=f"m{at}", role=roles[at % 2], text=text, position=at, at=at)  # type: ignore[arg-type]  # a pair
        for at, text in enumerate(texts)
    )
    found = tuple(
        (Recalled(f"r{at}", 1.0, "food: allergy", at % 2 == 0), text) for at, text in enumerate(recalled)
    )
    scene = Scene(
        session_type=companion.policy.session.default_type,
        message=message or "Hello.",
        window=window,
        recalled=found if companion.policy.memory.recall != "never" else (),
        summary_here="In short. " * 5,
    )
    return assemble(companion, past, scene)


def permitted(
    name: str, facts: tuple[str, ...], summaries: tuple[str, ...], lines: tuple[str, ...]
) -> Permitted:
    kinds = ("identity", "preference", "goal", "work", "technical")
    remembered = replace(
        ANN,
        facts=tuple(
            FactLine(id=f"fct_{at}", category=kinds[at % 5], text=text) for at, text in enumerate(facts)
        ),
        summaries=tuple(
            PastTalk(id=f"sum_{at}", on="2026-01-01", part="night", text=text)
            for at, text in enumerate(summaries)
        ),
        key_facts=lines,
        topics=lines,
    )
    memory = shipped(name)[0].policy.memory
    return permit(memory, remembered, health=Health(lines=lines), stated_here=(), anchors=())


@FEW
@given(st.sampled_from(NAMES), LINES, LINES, LINES, LINES, LONG)
def test_a_prompt_holds_to_every_number_of_its_policy(
    name: str,
    facts: tuple[str, ...],
    summaries: tuple[str, ...],
    lines: tuple[str, ...],
    said: tuple[str, ...],
    message: str,
) -> None:
    hold_to_the_numbers(name, facts, summaries, lines, said, message)


@pytest.mark.parametrize("name", NAMES)
def test_an_overfull_memory_is_held_to_every_number(name: str) -> None:
    flood = tuple(f"Number {at}. " + "a long day at the lake, " * 60 for at in range(40))
    one = hold_to_the_numbers(name, flood, flood, flood, flood * 3, flood[0] * 40)
    assert 0 < one.items["window"] < one.found["window"]
    assert "prompt_budget" in one.dropped.values()


def hold_to_the_numbers(
    name: str,
    facts: tuple[str, ...],
    summaries: tuple[str, ...],
    lines: tuple[str, ...],
    said: tuple[str, ...],
    message: str,
) -> Assembled:
    past = permitted(name, facts, summaries, lines)
    one, other = (made(name, past, said, message, lines) for _ in range(2))
    budget = shipped(name)[0].policy.budget
    assert one == other  # the same input, the same bytes
    assert cost(one.prompt) + budget.response <= budget.context
    assert one.tokens["all"] == cost(one.prompt)
    for tier, limits in budget.tiers.items():
        if tier not in ("system", "window"):
            assert one.tokens.get(tier, 0) <= limits.tokens
    assert one.tokens["window"] <= budget.tiers["window"].tokens
    memory = sum(tokens for tier, tokens in one.tokens.items() if tier not in ("system", "all"))
    assert budget.added is None or memory <= budget.added
    assert sum(one.found.values()) == sum(one.items.values()) + len(one.dropped)
    return one


@FEW
@given(st.integers(1, 400), st.sampled_from(NAMES))
def test_a_message_that_is_too_long_is_cut_in_its_middle_and_the_rules_stay(times: int, name: str) -> None:
    result = made(name, permitted(name, (), (), ()), (), "花" * 100 * times, ())
    budget = shipped(name)[0].policy.budget
    assert cost(result.prompt) + budget.response <= budget.context
    assert shipped(name)[0].texts.safety[:60] in result.prompt.system
    assert result.shortened == ("[…]" in result.prompt.messages[-1].text)


@FEW
@given(st.lists(LONG.filter(lambda text: bool(text.strip())), min_size=10, max_size=10), st.integers(1, 40))
def test_the_coach_loses_no_recent_message_and_no_allergy(said: list[str], others: int) -> None:
    critical = ("I am allergic to peanuts.", "no", "I take beta blockers.", "no", "My knee is injured.")
    chatter = tuple(f"I like walks by the canal, number {at}." for at in range(1, others + 1))
    texts = (*critical, *chatter)
    companion = shipped("coach")[0]
    found = tuple(
        (Recalled(f"r{at}", 1.0, "", text in critical and text != "no"), text)
        for at, text in enumerate(texts)
    )
    window = tuple(
        Message(id=f"m{at}", role="user" if at % 2 == 0 else "assistant", text=text, position=at, at=at)
        for at, text in enumerate(said)
    )
    result = assemble(
        companion, Permitted(), Scene(session_type="freeform", message="Eat?", window=window, recalled=found)
    )
    assert result.items["window"] == 10
    assert {"r0", "r2", "r4"} <= set(result.used)
    whole = [item for item in texts if f'"{item}"' in result.prompt.system]
    assert len(whole) == result.items["recalled"]


def test_what_is_critical_has_a_reserve_that_no_talk_may_take() -> None:
    coach = shipped("coach")[0]
    tiers = {**coach.policy.budget.tiers}
    tiers["window"] = replace(tiers["window"], tokens=1_200)  # the window alone would hold it to nine hundred
    budget = replace(coach.policy.budget, tiers=tiers)
    window = tuple(
        Message(id=f"m{at}", role="user" if at % 2 == 0 else "assistant", text=LAKE, position=at, at=at)
        for at in range(10)
    )
    found = (
        (Recalled("r0", 1.0, "", True), "I am allergic to peanuts, walnuts and all other nuts there are."),
    )
    scene = Scene(session_type="freeform", message="Eat?", window=window, recalled=found)
    made = assemble(replace(coach, policy=replace(coach.policy, budget=budget)), Permitted(), scene)
    assert made.used == ("r0",)
    assert made.items["window"] == 10


@pytest.mark.parametrize("name", NAMES)
def test_the_beginning_stays_the_same_through_a_conversation(name: str) -> None:
    sitting = Sitting(name, remembered=ANN, health=HEALTH)
    stable = set[str]()
    for at in range(14):
        prompt = sitting.exchange(f"What should I eat, number {at}? I like apples and I am allergic to nuts.")
        assert prompt is not None
        stable.add(prompt.system.partition("Things this person said")[0].partition("<notes>")[0])
        if name != "coach":  # all its memory is recalled for the message at hand
            assert prompt.system == sitting.prompts[0].system
    assert len(stable) == 1


@pytest.mark.parametrize("name", NAMES)
def test_the_order_is_rules_then_memory_then_talk_then_message(name: str) -> None:
    sitting = Sitting(name, remembered=ANN, health=HEALTH)
    sitting.exchange("I like the garden.")
    prompt = sitting.exchange("What should I eat?")
    assert prompt is not None
    texts = sitting.companion.texts
    marks = [texts.persona[:20], texts.rules[:20], texts.safety[:40], texts.prompt["quote"][:40], "<notes>\n"]
    there = [prompt.system.find(mark) for mark in marks if mark in prompt.system]
    assert there == sorted(there)
    assert len(there) >= 4
    assert prompt.messages[-1].text.endswith("What should I eat?")


def test_every_prompt_says_what_each_tier_found_and_cost() -> None:
    sitting = Sitting("serenity", remembered=ANN, health=HEALTH)
    sitting.exchange("Good morning.")
    sitting.exchange("I slept badly.")
    report = sitting.report
    tiers: list[Tier] = ["static", "dynamic", "facts", "summaries", "health", "window"]
    assert {*tiers} <= report.found.keys()
    assert all(report.tokens[tier] > 0 and report.items[tier] <= report.found[tier] for tier in tiers)
    assert "Ann" not in str(report)
