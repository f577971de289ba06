"""Tier 2 brings back what a message needs, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall import Reach, Remembered, recall, recall_batch, stated_by
from memory.recall_topics import default_reader
from memory.statements_kinds import StatementKind

needed = default_reader().asked
SMALL_TALK = [("user", "The bus was late again."), ("assistant", "That is annoying.")]


def dialogue(*said: str, then: int = 30) -> list[tuple[str, str, str]]:
    lines = [("user", text) for text in said] + SMALL_TALK * (then // 2)
    return [(f"m{number}", role, text) for number, (role, text) in enumerate(lines, 1)]


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("I'm allergic to dairy and shellfish", "What should I eat for dinner?"),
        ("I'm allergic to dairy", "Give me a meal plan"),
        ("I have a bad knee, can't do squats", "Give me a leg workout"),
        ("My goal is to lose 20 lbs", "How many calories should I eat?"),
        ("I'm allergic to peanuts and tree nuts", "Give me a high-protein snack list"),
        ("I injured my shoulder last month, can't do overhead press", "Give me an upper body workout"),
        ("My goal is to gain 10 lbs of muscle over 3 months", "Should I cut calories?"),
    ],
)
def test_the_examples_of_the_coachs_design_are_brought_back(said: str, query: str) -> None:
    assert recall_batch(dialogue(said), query) == ["m1"]


def test_breakfast_brings_nothing_when_nothing_about_food_was_said() -> None:  # D12
    said = dialogue("I have a bad knee.", "My goal is weight loss.", "I live in Leeds.")
    assert recall_batch(said, "What's good for breakfast?") == []


def test_breakfast_brings_a_food_allergy_on_record() -> None:  # D12
    assert recall_batch(
        dialogue("I have a bad knee.", "I'm allergic to eggs."), "What's good for breakfast?"
    ) == ["m2"]


@pytest.mark.parametrize(
    "chat",
    [
        "thanks, see you tomorrow",
        "haha nice",
        "who won the game?",
        "how are you?",
        "Brenda dropped an egg in the staff room!",
    ],
)
def test_small_talk_brings_nothing(chat: str) -> None:
    assert recall_batch(dialogue("I'm allergic to eggs.", "I have a bad knee."), chat) == []


def test_a_request_in_words_no_topic_has_brings_what_matters_for_safety() -> None:
    said = dialogue("I'm allergic to eggs.", "I love jazz.")
    assert recall_batch(said, "should I try the zorbing next week?") == ["m1"]


def test_what_no_rule_reads_comes_beside_what_is_needed_and_never_for_somebody_elses_sake() -> None:
    said = dialogue(
        "I have a bad knee.",
        "I only get half a breath in when my chest is squeezed.",
        "My dad trains at a gym.",
    )
    assert recall_batch(said, "a leg workout for me tomorrow?") == ["m1", "m2"]


def test_a_relation_means_who_was_told_of_by_name() -> None:
    said = dialogue("My son Owen is allergic to eggs.", "I have a nut allergy.")
    assert recall_batch(said, "the kid is hungry, what can he snack on?")[0] == "m1"


@pytest.mark.parametrize(
    "asked", ["how long is a rugby match?", "do people still make plimsolls?", "wie hoch ist der Säntis?"]
)
def test_a_question_about_the_world_brings_nothing(asked: str) -> None:
    assert recall_batch(dialogue("I have a bad knee.", "I train on Tuesdays."), asked) == []


def test_what_two_short_sentences_state_together_is_brought_back() -> None:
    assert recall_batch(dialogue("Prawns? My lips blow up like balloons."), "what shall I order there?") == [
        "m1"
    ]


def test_an_allergy_told_as_a_bare_answer_is_there_after_two_hundred_messages() -> None:
    lines = [("assistant", "Any food allergies?"), ("user", "Yes, peanuts."), *SMALL_TALK * 100]
    messages = [(f"m{number}", role, text) for number, (role, text) in enumerate(lines, 1)]
    assert recall_batch(messages, "what snack could I take to the office?") == ["m2"]


def test_the_last_ten_messages_are_not_brought_back_again() -> None:
    assert recall_batch(dialogue("I'm allergic to eggs.", then=8), "dinner ideas?") == []


def test_another_persons_fact_stays_away_unless_they_are_named() -> None:
    said = dialogue("My friend Jack is allergic to peanuts.", "I'm allergic to kiwi.")
    assert recall_batch(said, "any snack ideas?") == ["m2"]
    assert recall_batch(said, "Jack is coming for dinner, what do I cook?")[0] == "m1"


def test_what_was_superseded_stays_away() -> None:
    said = dialogue("I live in Lisbon.", "I moved to Berlin.")
    assert recall_batch(said, "any good running routes near me?") == ["m2"]


def test_what_ended_inside_the_last_ten_stays_away_too() -> None:
    lines = [("user", "I sprained my ankle."), *SMALL_TALK * 10, ("user", "My ankle is fine now.")]
    messages = [(f"m{number}", role, text) for number, (role, text) in enumerate(lines, 1)]
    assert recall_batch(messages, "trail run tomorrow?") == []


def test_safety_is_marked_and_the_reason_named() -> None:
    (found,) = recall("dinner ideas?", stated_by(dialogue("I'm allergic to eggs.")))
    assert found.safety
    assert found.why == "food: allergy"


@given(
    st.lists(
        st.sampled_from(["I'm allergic to eggs.", "I have a bad knee.", "I eat halal.", "Nice day."]),
        max_size=9,
    )
)
def test_never_more_than_the_limit_and_each_message_once(said: list[str]) -> None:
    found = recall("what should I eat before my run?", stated_by(dialogue(*said)), limit=2)
    assert len(found) <= 2
    assert len({one.message_id for one in found}) == len(found)


def test_growing_by_one_message_recalls_as_reading_all_at_once() -> None:
    stated = stated_by(dialogue("I live in Lisbon.", "I moved to Berlin.", "I'm allergic to eggs."))
    grown = Remembered()
    for one in stated:
        grown.add(one)
    assert grown.recall("a dinner place near me?") == recall("a dinner place near me?", stated)


SAID = st.lists(
    st.sampled_from(
        [
            "I'm allergic to eggs.",
            "I have a bad knee.",
            "My knee is fine now.",
            "I eat halal.",
            "I eat eggs again.",
            "I live in Lisbon.",
            "I moved to Berlin.",
            "My friend Jack is allergic to peanuts.",
        ]
    ),
    max_size=9,
)


@given(first=SAID, then=SAID, kept=st.integers(0, 9))
def test_following_another_past_recalls_as_if_it_had_been_so_from_the_start(
    first: list[str], then: list[str], kept: int
) -> None:
    """What an answer took back is not ended by it any more, and what it ended holds again."""
    said = stated_by(dialogue(*first))
    other = [*said[:kept], *stated_by(dialogue(*then))]
    following = Remembered(said)
    following.follow(other)
    fresh = Remembered()
    fresh.follow(other)
    for query in (
        "a dinner place near me?",
        "what should I eat before my run?",
        "Is Jack's snack all right?",
    ):
        assert following.recall(query, limit=9) == fresh.recall(query, limit=9)


def test_from_further_back_comes_what_is_kept_as_a_fact_and_what_is_critical() -> None:
    said = ["I live in Lisbon.", "I have a bad knee.", "I like to run in the rain.", "I run with Tom."]
    index = Remembered(stated_by(dialogue(*said)))

    def ids(latest: int, *beyond: StatementKind) -> set[str]:
        reach = Reach(latest, frozenset(beyond))
        found = index.bring_back(needed("any good running routes near me?"), most=9, reach=reach)
        return {each.message_id for each, _ in found}

    assert ids(9) >= {"m1", "m2"}
    assert "m1" not in ids(1)
    assert "m2" in ids(1)
    assert "m1" in ids(1, "place")


def test_a_message_that_states_more_than_something_critical_counts_as_critical() -> None:
    index = Remembered(stated_by(dialogue("I'm allergic to eggs and I eat vegan.", "I eat halal.")))
    ((found, _), *_) = index.bring_back(needed("dinner ideas?"), most=1, reach=Reach(9, frozenset()))
    assert (found.message_id, found.safety) == ("m1", True)


def test_what_is_shown_anyway_is_not_brought_back() -> None:
    index = Remembered(stated_by(dialogue("I'm allergic to eggs.", "I'm allergic to nuts.")))
    found = index.bring_back(needed("dinner ideas?"), most=5, reach=Reach(9, frozenset()), shown={"m2"})
    assert [each.message_id for each, _ in found] == ["m1"]


def test_plurals_apart_are_no_phrase_and_side_by_side_they_are() -> None:
    asked = default_reader().asked
    apart = asked("Which radio services do I get at all those stations?")
    beside = asked("Which radio do I get at all those service stations?")
    assert apart is not None
    assert "food" not in apart.topics
    assert beside is not None
    assert "food" in beside.topics
