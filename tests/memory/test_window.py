"""Which messages the model sees word for word: by what is going on, without what would show a repeat."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.messages import Message
from memory.tokens import TURN, count
from memory.window import Repeated, Sizes, fitted, in_turns, shorten_old, size, without_repeats

DEMENTIA = Sizes(
    messages=12,
    young_session=6,
    distress_over=0.7,
    distress_lookback=3,
    distress_messages=16,
    repeats_from=4,
    repeats_messages=6,
)
WELLNESS = Sizes(messages=10, young_session=6, until_summary=15)
DESKTOP = Sizes(messages=20, young_session=20, until_summary=20)
DESKTOP_SUMMED_UP = Sizes(messages=10, young_session=20, until_summary=20)
COACH = Sizes(messages=10, young_session=6)


def said(at: int, text: str = "") -> Message:
    return Message(id=f"q{at}", role="user", text=text or f"question {at}", position=at, at=at)


def answer(at: int, to: int, text: str = "") -> Message:
    words = text or f"answer {at}"
    return Message(id=f"a{at}", role="assistant", text=words, position=at, at=at, answers=f"q{to}")


@pytest.mark.parametrize(
    ("so_far", "repeats", "distress", "expected"),
    [
        (0, 0, (), 0),
        (3, 9, (0.9,), 3),
        (5, 4, (0.9, 0.9), 5),  # a young talk is given whole, whatever goes on
        (6, 0, (), 12),
        (40, 0, (0.1, 0.2, 0.3), 12),
        (40, 3, (0.1,), 12),
        (40, 4, (0.1,), 6),
        (40, 9, (0.7,), 6),  # over 0.7, not at it
        (40, 0, (0.71, 0.1, 0.1), 16),
        (40, 0, (0.9, 0.1, 0.1, 0.1), 12),  # only the last three count
        (40, 8, (0.1, 0.1, 0.8), 16),  # distress wins
    ],
)
def test_the_dementia_companions_window(
    so_far: int, repeats: int, distress: tuple[float, ...], expected: int
) -> None:
    assert size(DEMENTIA, so_far=so_far, repeats=repeats, distress=distress, uncovered=None) == expected


@pytest.mark.parametrize(
    ("sizes", "so_far", "uncovered", "expected"),
    [
        (WELLNESS, 4, 4, 4),
        (WELLNESS, 30, 8, 10),
        (WELLNESS, 12, 12, 12),  # until a summary covers them, messages stay
        (WELLNESS, 30, 15, 15),
        (WELLNESS, 30, 30, 15),
        (DESKTOP, 12, 12, 12),
        (DESKTOP, 60, 60, 20),  # without a summary the last twenty
        (DESKTOP_SUMMED_UP, 60, 10, 10),  # with one the messages after it
        (DESKTOP_SUMMED_UP, 60, 17, 17),
        (DESKTOP_SUMMED_UP, 60, 25, 20),
        (COACH, 60, None, 10),
        (COACH, 5, None, 5),
    ],
)
def test_the_other_companions_windows(
    sizes: Sizes, so_far: int, uncovered: int | None, expected: int
) -> None:
    assert size(sizes, so_far=so_far, repeats=9, distress=(0.99,), uncovered=uncovered) == expected


def test_an_answer_stands_behind_its_question_also_when_another_came_between() -> None:
    talk = [said(1), said(2), said(3), answer(4, 1), answer(5, 2), answer(6, 3)]
    assert [each.id for each in in_turns(talk)] == ["q1", "a4", "q2", "a5", "q3", "a6"]


def test_an_answer_whose_question_is_not_held_keeps_its_place() -> None:
    assert [each.id for each in in_turns([answer(4, 1), said(5), answer(6, 5)])] == ["a4", "q5", "a6"]


def test_from_the_first_repeat_on_earlier_instances_and_their_answers_are_left_out() -> None:
    talk = [said(1), answer(2, 1), said(3), answer(4, 3)]
    kept = without_repeats(talk, [Repeated("now", "q1")], "now")
    assert [each.id for each in kept] == ["q3", "a4"]


def test_of_a_group_that_is_not_asked_now_the_latest_stays() -> None:
    talk = [said(1), answer(2, 1), said(3), answer(4, 3), said(5), answer(6, 5)]
    kept = without_repeats(talk, [Repeated("q3", "q1"), Repeated("q5", "q3")], "now")
    assert [each.id for each in kept] == ["q5", "a6"]


def test_groups_grow_together_in_any_order() -> None:
    talk = [said(1), said(2), said(3), said(4)]
    pairs = [Repeated("q2", "q1"), Repeated("q4", "q3"), Repeated("now", "q3"), Repeated("q1", "q3")]
    assert without_repeats(talk, pairs, "now") == []
    assert without_repeats(talk, [*reversed(pairs), Repeated("q3", "q3")], "now") == []


def test_of_answers_in_the_same_words_the_latest_stays() -> None:
    talk = [said(1), answer(2, 1, "I am here."), said(3), answer(4, 3, "I am here.")]
    assert [each.id for each in without_repeats(talk, [], "now")] == ["q1", "q3", "a4"]


@given(
    pairs=st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), max_size=12),
    now=st.integers(1, 12),
)
def test_no_instance_of_what_is_asked_now_is_left(pairs: list[tuple[int, int]], now: int) -> None:
    talk = [message for at in range(1, 13) for message in (said(2 * at), answer(2 * at + 1, 2 * at))]
    repeats = [Repeated(f"q{2 * a}", f"q{2 * b}") for a, b in pairs]
    kept = {each.id for each in without_repeats(talk, [*repeats, Repeated("now", f"q{2 * now}")], "now")}
    same, grown = {now}, True
    while grown:
        more = {b for a, b in pairs if a in same} | {a for a, b in pairs if b in same}
        grown = not more <= same
        same |= more
    assert not kept & {f"q{2 * at}" for at in same}
    assert not kept & {f"a{2 * at + 1}" for at in same}


def test_only_long_messages_older_than_the_last_four_are_shortened() -> None:
    texts = ["short", "long word " * 60, *["also long " * 60] * 4]
    cut = shorten_old(texts, over_chars=500, keep_last=4)
    assert cut[0] == "short"
    assert len(cut[1]) <= 500
    assert cut[1].endswith("word…") or cut[1].endswith("long…")
    assert cut[2:] == texts[2:]


@given(st.lists(st.text(alphabet="ab ", max_size=700), max_size=9))
def test_shortening_takes_nothing_from_short_or_recent_messages(texts: list[str]) -> None:
    for at, (before, after) in enumerate(
        zip(texts, shorten_old(texts, over_chars=500, keep_last=4), strict=True)
    ):
        if len(before) <= 500 or at >= len(texts) - 4:
            assert after == before
        else:
            assert len(after) <= 500
            assert before.startswith(after[:-1])


@given(st.lists(st.text(alphabet="abc def. ", min_size=1, max_size=900), min_size=10, max_size=10))
def test_the_coachs_ten_messages_are_all_there_the_longest_shortened_first(texts: list[str]) -> None:
    fit = fitted(texts, 900, shortest=40)
    there = [each for each in fit if each is not None]
    assert len(there) == 10
    assert sum(count(each) + TURN for each in there) <= 900
    shortest_cut = min((count(a) for a, b in zip(texts, there, strict=True) if a != b), default=10_000)
    for before, after in zip(texts, there, strict=True):
        if before == after:
            assert count(before) <= shortest_cut  # what is longer was shortened before it
        else:
            assert count(before) > 40


@given(st.lists(st.text(alphabet="ab c", max_size=200), max_size=10), st.integers(0, 400))
def test_where_nothing_may_be_shortened_the_oldest_are_left_out_whole(texts: list[str], tokens: int) -> None:
    fit = fitted(texts, tokens, shortest=0)
    left = [at for at, each in enumerate(fit) if each is None]
    assert left == list(range(len(left)))
    assert sum(count(each) + TURN for each in fit if each is not None) <= tokens
    assert fit[len(left) :] == texts[len(left) :]
