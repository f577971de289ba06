"""The coach document's test scenarios, through the whole planning of a turn, and its real-world examples."""

from companions.turn import PolicyRules
from tests.companions.library import shipped
from tests.companions.scenes import Table

SMALL_TALK = (
    "It was sunny today.",
    "I watched a match with my brother.",
    "The new shoes look great.",
    "My playlist needs some fresh songs.",
    "Traffic was bad again this morning.",
    "I tidied the garage.",
)


def prompt_for(request: str, *, after: str = "", messages_later: int = 0) -> str:
    """Everything the model is given for ``request``, so many messages after the statement ``after``."""
    table = Table()
    table.by = PolicyRules(shipped("coach")[0])
    if after:
        table.talk(after, "Noted.")
    for number in range(messages_later // 2):
        table.talk(SMALL_TALK[number % len(SMALL_TALK)], "Good to hear.")
    table.say(request)
    prompt = table.ask().prompt
    return "\n".join([prompt.system, *(message.text for message in prompt.messages)])


def test_scenario_1_an_allergy_is_remembered_for_a_meal_plan() -> None:
    assert "allergic to dairy" in prompt_for(
        "Give me a meal plan", after="I'm allergic to dairy", messages_later=30
    )


def test_scenario_2_an_injury_is_remembered_for_a_leg_workout() -> None:
    assert "bad knee" in prompt_for("Give me a leg workout", after="I have a bad knee", messages_later=20)


def test_scenario_3_a_goal_is_remembered_for_calories() -> None:
    assert "weight loss" in prompt_for(
        "How many calories should I eat?", after="My goal is weight loss", messages_later=40
    )


def test_scenario_4_breakfast_recalls_nothing_when_nothing_about_food_was_said() -> None:
    prompt = prompt_for("What's good for breakfast?", after="I have a new bicycle", messages_later=40)
    assert "new bicycle" not in prompt
    assert "at another time" not in prompt


def test_scenario_4_breakfast_recalls_a_food_allergy_on_record() -> None:
    assert "allergic to eggs" in prompt_for(
        "What's good for breakfast?", after="I'm allergic to eggs", messages_later=40
    )


def test_example_1_nuts_and_a_snack_list() -> None:
    assert "peanuts and tree nuts" in prompt_for(
        "Give me a high-protein snack list", after="I'm allergic to peanuts and tree nuts", messages_later=48
    )


def test_example_2_a_shoulder_and_an_upper_body_workout() -> None:
    assert "injured my shoulder" in prompt_for(
        "Give me an upper body workout",
        after="I injured my shoulder last month, can't do overhead press",
        messages_later=40,
    )


def test_example_3_a_goal_to_gain_and_a_question_about_cutting() -> None:
    assert "gain 10 lbs of muscle" in prompt_for(
        "Should I cut calories?", after="My goal is to gain 10 lbs of muscle over 3 months", messages_later=52
    )


def test_small_talk_recalls_nothing() -> None:
    prompt = prompt_for("What a lovely evening!", after="I'm allergic to dairy", messages_later=30)
    assert "dairy" not in prompt


def test_the_last_ten_messages_are_always_there() -> None:
    prompt = prompt_for("And now?", messages_later=20)
    last_five = [SMALL_TALK[number % len(SMALL_TALK)] for number in range(5, 10)]
    assert all(said in prompt for said in last_five)
    assert SMALL_TALK[4] not in prompt
