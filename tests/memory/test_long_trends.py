"""What months show to those who care for a person, and what is not said."""

import random

import pytest

from memory.clocks import Placed
from memory.long_trends import Asked, Felt, Told, baseline, day_parts, followed, long_trends


def felt(session: int, at: int, distress: float, *, private: bool = False, hour: int | None = 9) -> Felt:
    return Felt(
        message=f"m{session}-{at}",
        session=f"s{session}",
        placed=Placed(session, hour),
        distress=distress,
        private=private,
    )


def talks(levels: list[float], *, hour: int = 9, says: int = 4) -> list[Felt]:
    return [felt(at, place, level, hour=hour) for at, level in enumerate(levels) for place in range(says)]


def test_a_baseline_rests_on_six_talks_at_least_and_on_the_last_thirty() -> None:
    assert baseline(talks([0.4] * 5)) is None
    found = baseline(talks([0.9] * 10 + [0.4] * 30))
    assert found is not None
    assert (found.usual.middle, found.sessions) == (0.4, 30)


def test_what_lies_far_above_is_called_unusual_and_only_when_enough_is_known() -> None:
    usual = [0.3, 0.35, 0.4, 0.45, 0.5]
    few = baseline(talks([*usual, *usual[:4], 0.9]))
    enough = baseline(talks([*usual, *usual, 0.9]))
    calm = baseline(talks([*usual, *usual, 0.5]))
    assert few is not None
    assert enough is not None
    assert calm is not None
    assert (few.unusual, enough.unusual, calm.unusual) == (None, True, False)


def test_mornings_and_evenings_are_told_apart_day_by_day() -> None:
    mornings = talks([0.3, 0.25, 0.35, 0.3, 0.2], hour=8)
    evenings = talks([0.6, 0.55, 0.65, 0.7, 0.6], hour=20)
    found = day_parts([*mornings, *evenings])
    assert found is not None
    assert (found.mornings, found.evenings, found.morning_days, found.evening_days) == (0.3, 0.6, 5, 5)
    assert found.later.low > 0
    assert day_parts([*mornings[:-4], *evenings]) is None, "four mornings are too few"


def test_what_was_stored_under_a_wrong_clock_is_in_no_figure_by_the_hour() -> None:
    known = [*talks([0.3] * 5, hour=8), *talks([0.6] * 5, hour=20)]
    lost = [felt(3, 90 + each, 1.0, hour=None) for each in range(50)]
    assert day_parts([*known, *lost]) == day_parts(known)
    assert long_trends([*known, *lost], [], []).set_aside == 50


def test_weeks_end_with_the_last_talk_and_are_silent_where_too_little_was_said() -> None:
    found = long_trends(talks([0.2] * 7 + [0.8] * 7 + [0.4]), [], [])
    assert [(each.ago, each.distress, each.days) for each in found.weeks] == [
        (2, None, 1),
        (1, 0.2, 7),
        (0, 0.8, 7),
    ]


def test_a_direction_over_weeks_is_found() -> None:
    falling = long_trends(talks([0.7 - 0.015 * day for day in range(28)]), [], [])
    assert falling.direction is not None
    assert falling.direction.direction == "falling"
    assert long_trends(talks([0.7, 0.5, 0.3]), [], []).direction is None


def test_questions_are_counted_by_week_and_what_is_of_no_kind_is_none() -> None:
    asked = [Asked(kind="location", placed=Placed(day, 9)) for day in range(35) for _ in range(day // 7 + 1)]
    asked += [Asked(kind="general", placed=Placed(day, 9)) for day in range(35)]
    (found,) = long_trends([], asked, []).questions
    assert (found.kind, found.count, found.weeks) == ("location", 105, (7, 14, 21, 28, 35))
    assert found.direction is not None
    assert found.direction.direction == "rising"


def told_often(uses: int, change: float) -> tuple[list[Felt], list[Told]]:
    """A story told ``uses`` times to somebody at 0.7; without one, 0.7 comes down by 0.05."""
    dice = random.Random(uses)
    said: list[Felt] = []
    stories: list[Told] = []
    for at in range(uses):
        before, after = felt(at, 0, 0.7), felt(at, 1, 0.7 + change + dice.uniform(-0.03, 0.03))
        said += [before, after, felt(at + 1_000, 0, 0.7), felt(at + 1_000, 1, 0.65)]
        stories.append(Told(message=before.message, story="the-garden", category="calming_story"))
    return said, stories


@pytest.mark.parametrize(
    ("change", "verdict"), [(-0.2, "calms"), (0.2, "unsettles"), (0.0, "no_clear_change")]
)
def test_a_story_is_said_to_calm_when_all_its_limits_lie_below_nothing(change: float, verdict: str) -> None:
    found = long_trends(*_with_questions(told_often(12, change)))
    for effect in (*found.stories, *found.categories):
        assert effect.verdict == verdict
        assert effect.uses == 12
        assert effect.change.low <= change + 0.01
        assert effect.change.high >= change - 0.01
        assert effect.otherwise == pytest.approx(-0.05)
        assert effect.otherwise_uses == 12


def test_below_six_uses_nothing_is_said_of_a_story() -> None:
    found = long_trends(*_with_questions(told_often(5, -0.3)))
    assert (found.stories, found.categories, found.too_few) == ((), (), 1)


def _with_questions(said: tuple[list[Felt], list[Told]]) -> tuple[list[Felt], list[Asked], list[Told]]:
    return said[0], [], said[1]


def test_what_is_private_is_in_no_figure_and_neither_is_what_it_answers() -> None:
    """Decision D25: the figures are those of the same talks without it."""
    open_talks = talks([0.3 + 0.01 * day for day in range(20)])
    secret = [felt(at, 9, 1.0, private=True) for at in range(20)]
    assert long_trends([*open_talks, *secret], [], []) == long_trends(open_talks, [], [])
    before, hidden, after = felt(1, 0, 0.5), felt(1, 1, 0.9, private=True), felt(1, 2, 0.2)
    assert followed([before, hidden, after]) == {}


def test_nothing_shows_nothing() -> None:
    found = long_trends([], [], [])
    assert (found.baseline, found.parts, found.direction, found.weeks, found.questions) == (
        None,
        None,
        None,
        (),
        (),
    )
