"""What was given up or replaced stays away, and what replaced it comes in its place."""

import pytest

from memory.recall import Remembered, recall_batch, stated_by
from tests.memory.test_recall import dialogue


@pytest.mark.parametrize(
    ("before", "now", "query"),
    [
        (
            "I'm training for the Exmoor triathlon.",
            "Scrap the triathlon, I just want to walk again.",
            "my plan?",
        ),
        (
            "My aim is a 90 kilo squat.",
            "I've dropped that, I only want to get out of the chair.",
            "my progress?",
        ),
        (
            "I'm training for the York half marathon.",
            "The half's off, I'd be glad of a daily stroll.",
            "my target?",
        ),
        ("My goal is to gain 6 kilos.", "Changed my mind, I want to lose weight.", "how many calories?"),
        ("I own a rower.", "Gave the rower to my nephew, there's a mat left.", "a workout at home?"),
        (
            "We've got judo on Tuesday evenings.",
            "They've moved judo to Fridays.",
            "which evenings can I train?",
        ),
        ("I'm on bisoprolol for my heart.", "They took me off the bisoprolol.", "hard intervals today?"),
        ("Ich habe einen Heimtrainer.", "Den Heimtrainer hab ich verkauft.", "ein Workout für zu Hause?"),
        ("Quiero correr el maratón.", "Lo del maratón ya no, prefiero nadar.", "¿un plan para este mes?"),
        ("I tore my meniscus.", "Seen the consultant, I'm signed off, no restrictions.", "a leg day for me?"),
        (
            "My ankle is in bits.",
            "Physio gave me the green light, so jumping is fine.",
            "can I do box jumps?",
        ),
        ("Mir ist das Kreuzband gerissen.", "Der Arzt sagt, alles verheilt.", "Kann ich wieder laufen?"),
        ("Me rompí el menisco.", "El fisio me ha dado el alta.", "¿puedo correr mañana?"),
        ("There's a pressure sore on my hip.", "The sore's closed up, says the nurse.", "can I row today?"),
        ("We've got netball on Tuesdays.", "They've shifted us to Thursdays.", "which days can I train?"),
    ],
)
def test_what_changed_stands_where_what_it_changed_stood(before: str, now: str, query: str) -> None:
    assert next(iter(recall_batch(dialogue(before, now), query)), None) == "m2"


@pytest.mark.parametrize(
    ("kept", "other", "query"),
    [
        ("I'm training for a marathon.", "My brother has dropped the marathon.", "what mileage next month?"),
        ("I'm training for a marathon.", "I dropped my phone on the treadmill.", "what mileage next month?"),
        ("I've a rower at home.", "I sold some old chairs.", "a workout at home?"),
        ("I train on Tuesdays.", "The Tuesday film was cancelled.", "when shall I do my long run?"),
        ("I'm allergic to walnuts.", "I dropped the walnuts on the floor.", "what cake could I bake?"),
        ("I tore my meniscus.", "Our car is as good as new.", "a leg day for me?"),
        ("I tore my meniscus.", "My sister's meniscus has healed.", "a leg day for me?"),
    ],
)
def test_what_shares_nothing_with_it_or_is_somebody_elses_ends_nothing(
    kept: str, other: str, query: str
) -> None:
    assert next(iter(recall_batch(dialogue(kept, other), query)), None) == "m1"


def test_a_change_that_is_taken_back_leaves_what_it_ended() -> None:
    said = stated_by(dialogue("I'm training for a marathon.", "Scrap the marathon."))
    index = Remembered(said)
    assert [one.message_id for one in index.recall("my training plan?")] == ["m2"]
    index.follow(said[:1])
    assert [one.message_id for one in index.recall("my training plan?")] == ["m1"]


@pytest.mark.parametrize(
    "said",
    [
        "My brother, who I live with, is allergic to nuts.",
        "My father-in-law, who stays with us, is lactose intolerant.",
        "My mate who I train with has a bad knee.",
    ],
)
def test_what_is_told_in_passing_does_not_make_it_the_persons_own(said: str) -> None:
    assert {one.subject for stated in stated_by(dialogue(said)) for one in stated.statements} <= {
        "brother",
        "father-in-law",
        "mate",
    }
