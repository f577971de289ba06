"""Rankings are joined by their places, full text four times as heavy as vectors (guarantee 1)."""

from hypothesis import given
from hypothesis import strategies as st

from memory.fusing import fused, joined

Ranking = st.lists(st.integers(0, 50), unique=True, max_size=40)


def test_scores_are_weights_by_places() -> None:
    assert dict(joined([7, 8], [8, 9])) == {7: 4 / 21, 8: 4 / 22 + 1 / 21, 9: 1 / 22}


def test_what_both_have_comes_before_what_one_has() -> None:
    assert [one for one, _ in joined([1, 2, 3], [3, 4])] == [3, 1, 2, 4]


def test_equal_scores_have_one_order() -> None:
    assert fused(((1.0, [2]), (1.0, [1]))) == [(1, 1 / 21), (2, 1 / 21)]


@given(Ranking, Ranking)
def test_nothing_is_lost_and_nothing_comes_twice(words: list[int], meaning: list[int]) -> None:
    found = [one for one, _ in joined(words, meaning)]
    assert sorted(found) == sorted({*words, *meaning})


@given(Ranking)
def test_one_ranking_alone_keeps_its_order(words: list[int]) -> None:
    assert [one for one, _ in joined(words, [])] == words
