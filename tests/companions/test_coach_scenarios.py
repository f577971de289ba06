"""The coach document's test scenarios, through the whole planning of a turn, and its real-world examples."""

from collections.abc import Sequence

import pytest

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

TRAINING_TALK = (  # of training and eating, and nothing in it lasts
    ("I did my session this morning.", "Thanks. Is there anything I should mind: pain, allergies, time?"),
    ("Traffic was bad today.", "Got it. What is the goal behind that?"),
    ("Lunch was a sandwich at my desk.", "Okay. What would make this week a good one for you?"),
    ("Thanks, that helps.", "Do you have any injuries I should know of?"),
    ("The gym was packed yesterday.", "Which days suit you best?"),
    ("We had a long meeting at work.", "Is there any food you don't eat?"),
    ("Slept okay last night.", "What are you training for?"),
    ("I finished a book on Sunday.", "What equipment do you have at home?"),
    ("Ok cool.", "Good to know. What is the smallest step you could take today?"),
    ("How many grams of protein are in an egg?", "About six. Anything you are allergic to?"),
)


def recalled_for(request: str, *, after: Sequence[str] = (), messages_later: int = 30) -> list[str]:
    """What tier 2 adds for ``request``, so many messages of a coach who asks back after the statements ``after``."""
    table = Table()
    table.by = PolicyRules(shipped("coach")[0])
    for said in after:
        table.talk(said, "Noted.")
    for number in range(messages_later // 2):
        table.talk(*TRAINING_TALK[number % len(TRAINING_TALK)])
    table.say(request)
    _, _, notes = table.ask().prompt.system.partition("at another time")
    return [line[3:-1] for line in notes.splitlines() if line.startswith('- "')]


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


@pytest.mark.parametrize(
    ("statement", "messages_later", "request_"),
    [
        ("I'm allergic to dairy", 34, "Give me a meal plan"),
        ("I'm allergic to dairy and shellfish", 44, "What should I eat for dinner?"),
        ("I have a bad knee, can't do squats", 36, "Give me a leg workout"),
        ("My goal is to lose 20 lbs", 38, "How many calories should I eat?"),
        ("I'm allergic to peanuts and tree nuts", 48, "Give me a high-protein snack list"),
        (
            "I injured my shoulder last month, can't do overhead press",
            40,
            "Give me an upper body workout",
        ),
        ("My goal is to gain 10 lbs of muscle over 3 months", 46, "Should I cut calories?"),
        ("I'm allergic to dairy", 30, "Give me a meal plan"),
        ("I have a bad knee", 20, "Give me a leg workout"),
        ("My goal is weight loss", 40, "How many calories should I eat?"),
        ("I'm allergic to eggs", 40, "What's good for breakfast?"),
        ("I'm allergic to sesame", 220, "Give me a snack idea"),
    ],
)
def test_in_a_talk_of_training_and_eating_what_was_told_comes_back_and_nothing_else(
    statement: str, messages_later: int, request_: str
) -> None:
    assert recalled_for(request_, after=[statement], messages_later=messages_later) == [statement]


@pytest.mark.parametrize(
    ("statements", "request_", "recalled"),
    [
        ((), "What's good for breakfast?", []),
        (("I have a bad knee",), "What's good for breakfast?", []),
        (("My sister is allergic to nuts",), "Give me a snack list", []),
        (("I have a bad knee", "I'm allergic to dairy"), "Give me a meal plan", ["I'm allergic to dairy"]),
        (
            ("I'm allergic to dairy", "I'm vegan"),
            "Give me a meal plan",
            ["I'm allergic to dairy", "I'm vegan"],
        ),
        (("I have a bad knee",), "Give me a leg workout", ["I have a bad knee"]),
        (("I'm allergic to dairy",), "What a lovely evening!", []),
    ],
)
def test_what_does_not_matter_to_a_request_is_not_there_whatever_was_chatted_about(
    statements: Sequence[str], request_: str, recalled: Sequence[str]
) -> None:
    assert recalled_for(request_, after=statements) == recalled


@pytest.mark.parametrize(
    ("statement", "request_"),
    [
        ("I have a peanut allergy", "Give me a snack idea"),
        ("I'm coming back from a hamstring injury", "Plan a leg day for me"),
        ("I hurt my back deadlifting", "Should I deadlift today?"),
        ("I get pain in my left shoulder when I press", "Give me a push workout"),
        ("My doctor told me to keep my heart rate under 140", "Give me a cardio session"),
        ("I was prescribed blood thinners", "Can I take ibuprofen for my sore legs?"),
        ("I have a heart condition", "Give me a HIIT workout"),
        ("I have celiac disease", "What should I have for dinner?"),
        ("I was diagnosed with type 2 diabetes", "Give me a dessert idea"),
        ("I can't do burpees", "Give me a full body workout"),
        ("I cannot run on hard ground", "Plan my cardio for the week"),
        ("I'm unable to raise my right arm above my head", "Give me a shoulder workout"),
        ("I have to avoid caffeine", "What should I drink before training?"),
        ("I shouldn't lift more than 20 kilos", "Give me a strength workout"),
        ("I've got a bad back", "Give me a deadlift programme"),
        ("My bad shoulder is acting up", "Give me a bench press plan"),
        ("I'm vegan", "Give me a high protein meal plan"),
        ("I'm vegetarian", "What should I cook tonight?"),
        ("I keep kosher", "Give me a lunch idea"),
        ("I only eat halal", "Suggest a dinner"),
        ("I don't eat gluten", "Give me a breakfast idea"),
        ("I'm lactose intolerant", "What protein shake should I take?"),
        ("I have a fructose intolerance", "Which snack should I take along?"),
        ("I have a sensitivity to soy", "Suggest a dinner"),
        ("My target is 80 kilos by June", "How many calories should I eat?"),
        ("I want to run a marathon in spring", "Plan my training week"),
        ("I'm trying to build muscle", "How much protein do I need?"),
        ("I'm aiming for a ten pull-up set", "Plan my training week"),
        ("My objective is to get under 15% body fat", "Should I eat less?"),
        ("I plan to do a triathlon in August", "Make me a training plan"),
        ("I hate running", "Give me a cardio plan"),
        ("I love swimming", "Give me a cardio plan"),
        ("My favorite meal is chicken and rice", "Give me a meal plan"),
        ("I prefer training at home", "Make me a workout plan"),
        ("I always skip breakfast", "Give me a meal plan"),
        ("I never eat fish", "Give me a meal plan"),
        ("I'm four months pregnant", "Give me an ab workout"),
        ("I'm breastfeeding", "How many calories should I eat?"),
        ("My work schedule is six to two, Monday to Friday", "When should I train?"),
        ("I do shift work at the hospital", "Make me a weekly training plan"),
        ("I'm traveling for work next month", "Make me a training plan for next month"),
    ],
)
def test_every_important_word_of_the_document_brings_its_statement_back(
    statement: str, request_: str
) -> None:
    assert statement in recalled_for(request_, after=[statement])


def test_what_is_important_stands_before_the_last_ten_messages() -> None:
    table = Table()
    table.by = PolicyRules(shipped("coach")[0])
    table.talk("I'm allergic to dairy", "Noted.")
    for said, answer in TRAINING_TALK:
        table.talk(said, answer)
    table.say("Give me a meal plan")
    prompt = table.ask().prompt
    assert "allergic to dairy" in prompt.system
    assert [message.text for message in prompt.messages][:-1] == [
        text for exchange in TRAINING_TALK[-5:] for text in exchange
    ]


@pytest.mark.parametrize("request_", ["What is good for a cough?", "My back hurts, what helps?"])
def test_what_may_be_answered_with_a_medicine_is_never_answered_without_an_allergy_to_one(
    request_: str,
) -> None:
    assert recalled_for(request_, after=["I'm allergic to ibuprofen"], messages_later=40) == [
        "I'm allergic to ibuprofen"
    ]
