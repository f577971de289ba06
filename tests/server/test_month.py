"""A short month of five people, under jumps and restarts: everything kept, and no view that nobody had allowed."""

from pathlib import Path

from tests.month.calendar import moment
from tests.month.checking import check
from tests.month.people import Decision
from tests.month.playing import play, prepared
from tests.month.seeing import Allowed


async def test_a_few_days_of_five_people_end_as_they_should(tmp_path: Path) -> None:
    month = prepared(tmp_path, seed=5, count=5, days=4)
    told: list[str] = []
    await play(month, told.append)
    assert check(month).wrong == []
    assert month.seen.given > 0
    assert month.seen.refused > 0
    assert (len(told), month.restarts, len(month.jumps)) == (4, 8, 3)


def test_what_is_allowed_is_reckoned_by_the_true_date() -> None:
    allowed = Allowed()
    allowed.decide(Decision(1, "trends", True, days=3))
    assert allowed.allows("trends", moment(3, 23))
    assert not allowed.allows("trends", moment(4)), "it has expired"
    allowed.decide(Decision(1, "transcripts", True))
    allowed.decide(Decision(2, "transcripts", False, by_person=True))
    assert not allowed.allows("transcripts", moment(2))
