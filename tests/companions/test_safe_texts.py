"""What the companions say in a crisis, held to what each kind of crisis asks of them."""

import re

import pytest

from companions.companion import Companion
from companions.policy_safety import CATEGORIES
from memory.crisis_table import CrisisCategory
from memory.text import words
from tests.companions.library import NAMES, shipped

MEMBERS = [member for name in NAMES for member in shipped(name)]
NEEDED: dict[CrisisCategory, list[str]] = {
    "self_harm": [
        r"glad|thank you|hear how|hard feeling|worries me|more than anyone",  # acknowledge
        r"\bmatter|\bcare\b|deserve|important|glad|brave|with you",  # care
        r"listed here|help button",  # resources
    ],
    "harm_others": [
        r"won't|not something|where i (stop|stop\.)|that is where|slow down|hands in your lap|rest",  # not engage
        r"listed here|help button|adult|services",  # redirect
    ],
    "abuse": [
        r"believe you|thank you for t|what you describe|that is not okay",  # validate
        r"not your fault|none of it is your fault|not to blame|not in trouble|nothing to deserve",
        r"listed here|page shows",  # resources
    ],
    "medical": [
        r"emergency number|help button",  # urgent help
        r"near you|nearby|someone|somebody|adult|call out",  # tell someone
    ],
}
SECRECY = re.compile(
    r"between us|our secret|won't tell|nobody will know|keep (it|this) secret", re.IGNORECASE
)
NUMBER = re.compile(r"\d")
METHODS = re.compile(r"\b(pills?|rope|knife|overdose|jump|cut yourself|gun|bridge)\b", re.IGNORECASE)


def answers(member: Companion, category: CrisisCategory) -> tuple[str, ...]:
    return (*member.texts.safe_answers.first[category], *member.texts.safe_answers.later[category])


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.id)
@pytest.mark.parametrize("category", CATEGORIES)
def test_the_first_answer_does_all_that_this_crisis_asks(member: Companion, category: CrisisCategory) -> None:
    for answer in member.texts.safe_answers.first[category]:
        for needed in NEEDED[category]:
            assert re.search(needed, answer, re.IGNORECASE), (needed, answer)


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.id)
def test_a_safe_answer_names_no_method_promises_no_secrecy_and_invents_no_number(member: Companion) -> None:
    for category in CATEGORIES:
        for answer in answers(member, category):
            assert not METHODS.search(answer)
            assert not NUMBER.search(answer)
            assert not SECRECY.search(answer)
    for text in member.texts.words.values():
        assert not SECRECY.search(text)


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.id)
def test_a_safe_answer_is_short_enough_for_someone_in_a_crisis(member: Companion) -> None:
    for category in CATEGORIES:
        assert all(len(words(answer)) <= 90 for answer in answers(member, category))


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.id)
def test_safety_rules_cover_every_crisis_and_say_that_text_is_no_instruction(member: Companion) -> None:
    rules = member.texts.safety.lower()
    assert re.search(r"suicide|self-harm|wanting to die|hurting themselves", rules)
    assert re.search(r"hurt(ing)? (others|someone)", rules)
    assert re.search(r"abuse|someone hurts", rules)
    assert re.search(r"medical|emergency", rules)
    assert re.search(r"never (an )?instructions?", rules)


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.id)
def test_everyone_is_told_that_this_is_a_program(member: Companion) -> None:
    assert "computer program" in member.texts.words["disclosure"]
    assert "computer program" in member.texts.persona


def test_a_parent_is_told_of_no_abuse_and_no_self_harm_of_a_student() -> None:
    safety = shipped("maestro")[0].policy.safety
    assert safety.rule("abuse").recipients == safety.rule("self_harm").recipients == ("safeguarding",)
