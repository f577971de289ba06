"""How somebody has been, from their check-ins alone, and the habits of their talks."""

from memory.check_ins import Entry, Habits, Sitting, habits, part_of_day, stressors, trends, wins
from memory.clocks import Placed


def entry(
    day: int, *, mood: int | None = None, sleep: int | None = None, anxiety: int | None = None
) -> Entry:
    return Entry(placed=Placed(day, 9), mood=mood, sleep=sleep, anxiety=anxiety)


def test_where_mood_sleep_and_anxiety_go_is_told_with_what_it_rests_on() -> None:
    entries = [entry(day, mood=3 + day // 3, sleep=5, anxiety=9 - day // 3) for day in range(0, 15, 2)]
    found = trends(entries)
    assert {measure: each.direction for measure, each in found.items()} == {
        "mood": "rising",
        "sleep": "steady",
        "anxiety": "falling",
    }
    assert (found["mood"].entries, found["mood"].days, found["mood"].span) == (8, 8, 15)


def test_a_measure_left_out_is_silent_and_so_is_what_is_too_little() -> None:
    entries = [entry(day, mood=day) for day in range(1, 9)]
    assert set(trends(entries)) == {"mood"}
    assert trends(entries[:4]) == {}
    assert trends([]) == {}


def test_only_the_last_four_weeks_count() -> None:
    early = [entry(day, mood=1) for day in range(10)]
    late = [entry(100 + day, mood=7) for day in range(10)]
    assert trends([*early, *late])["mood"].direction == "steady"


def test_what_weighs_and_what_went_well_are_those_named_last_and_not_long_ago() -> None:
    named = Entry(placed=Placed(1, 9), mood=3, stressors=("the move",), wins=("ran",))
    later = Entry(placed=Placed(9, 9), mood=4, wins=("slept",))
    assert (stressors([named, later]), wins([named, later])) == (("the move",), ("slept",))
    assert stressors([named, entry(40, mood=5)]) == ()
    assert (stressors([]), wins([])) == ((), ())


def test_habits_are_told_when_enough_talks_show_them() -> None:
    evenings = [Sitting(placed=Placed(day, 18), minutes=20.0 + day) for day in range(5)]
    nights = [Sitting(placed=Placed(day, 23), minutes=10.0) for day in range(2)]
    assert habits([*evenings, *nights], 40) == Habits(talks=40, minutes=21, parts=("evening",))
    assert habits(evenings[:2], 2) == Habits(talks=2)


def test_a_wrong_clock_lengthens_no_talk_and_names_no_hour() -> None:
    wrong = [Sitting(placed=Placed(3, None), minutes=5_000_000.0) for _ in range(6)]
    long = [Sitting(placed=Placed(3, 9), minutes=5_000_000.0) for _ in range(4)]
    assert habits([*wrong, *long], 10) == Habits(talks=10)


def test_the_parts_of_a_day() -> None:
    hours = {0: "night", 4: "night", 5: "morning", 11: "morning", 12: "afternoon", 17: "evening", 21: "night"}
    assert {hour: part_of_day(hour) for hour in hours} == hours
