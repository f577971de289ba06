"""Every way of cutting a model's words: what is shown does not depend on how they come, and is never taken back."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from companions.speech import MOST_HELD, Heard, Judge, Manner, Speech, Verdict, end, hear, hold_over

FREE = Manner(
    plain_speech=False, own_names=("Clara", "Assistant"), opening_of_prompt="You are Clara, a gentle"
)
GUARDED = Manner(guarded=True, own_names=("Clara", "Assistant"), opening_of_prompt="You are Clara, a gentle")
MANNERS = (FREE, GUARDED)
FORBIDDEN = "again"


def allow(_shown: str, _part: str) -> str | None:
    return None


def no_again(shown: str, part: str) -> str | None:
    """A rule of the tests: no sentence says again; of one that does, what stands before a comma remains."""
    if FORBIDDEN not in part:
        return None
    head = part.partition(",")[0]
    return f"{head.strip()}." if "," in part and FORBIDDEN not in head else ""


def tell(
    pieces: Iterable[str], manner: Manner, judge: Judge = allow, *, complete: bool = True
) -> tuple[str, Verdict, list[str]]:
    """What is shown of ``pieces``, how it ended, and each word as it was let go."""
    speech, released = Speech(), list[str]()
    for each in pieces:
        heard = hear(speech, each, manner, judge)
        check(speech, heard)
        speech = heard.speech
        released.extend(heard.released)
        if heard.verdict != "open":
            return speech.shown, heard.verdict, released
    heard = end(speech, manner, judge, complete=complete)
    check(speech, heard)
    released.extend(heard.released)
    return heard.speech.shown, heard.verdict, released


def check(before: Speech, heard: Heard) -> None:
    """Shown text only grows, by exactly what was let go."""
    assert heard.speech.shown == before.shown + "".join(heard.released)


def cut(text: str, borders: Sequence[int]) -> list[str]:
    places = [0, *sorted({each % (len(text) + 1) for each in borders}), len(text)]
    return [text[a:b] for a, b in pairwise(places)]


PIECES = """The tea is warm|Dr. Moss is here|e.g. a rose|3.5 spoons|again|a, b|Yes|…|. |! |? |User:|**Assistant**:
|<|im_end|[INST]|[/IN|</s>|<s>|Clara:|Clara|{|`|You are Clara, a gentle|You are|, | and | |“Oh.” |😀|好。|<notes>
|</guidance>|### system"""
WORDS = st.sampled_from(
    [
        *PIECES.replace("\n", "").split("|"),
        "\n",
        "\n\n",
        "\nUser:",
        "\nassistant:",
        "<|im_end|>",
        "<|",
        "x" * 90,
    ]
)
TEXTS = st.lists(WORDS, max_size=14).map("".join)


@given(text=TEXTS, borders=st.lists(st.integers(0, 10_000), max_size=12), manner=st.sampled_from(MANNERS))
@example(text=". ‹好。### system\nUser:", borders=[5, 16, 17], manner=FREE)
def test_any_cutting_of_a_text_shows_the_same(text: str, borders: list[int], manner: Manner) -> None:
    whole, verdict, _ = tell([text], manner)
    shown, other, _ = tell(cut(text, borders), manner)
    assert (shown.rstrip(), other) == (whole.rstrip(), verdict)


@given(text=TEXTS, borders=st.lists(st.integers(0, 10_000), max_size=12))
def test_any_cutting_is_judged_the_same(text: str, borders: list[int]) -> None:
    whole, verdict, _ = tell([text], GUARDED, no_again)
    shown, other, _ = tell(cut(text, borders), GUARDED, no_again)
    assert (shown.rstrip(), other) == (whole.rstrip(), verdict)


@given(text=TEXTS, manner=st.sampled_from(MANNERS))
def test_letter_by_letter_shows_the_same(text: str, manner: Manner) -> None:
    assert tell(list(text), manner)[0].rstrip() == tell([text], manner)[0].rstrip()


@given(
    text=TEXTS,
    borders=st.lists(st.integers(0, 10_000), max_size=8),
    rings=st.sets(st.integers(0, 9)),
    complete=st.booleans(),
)
def test_nothing_forbidden_is_ever_shown(
    text: str, borders: list[int], rings: set[int], complete: bool
) -> None:
    """Also when the hold runs out in the middle: each part is checked before it goes."""
    speech = Speech()
    for at, each in enumerate(cut(text, borders)):
        heard = hear(speech, each, GUARDED, no_again)
        check(speech, heard)
        if heard.verdict == "open" and at in rings:
            speech = heard.speech
            heard = hold_over(speech, GUARDED, no_again)
            check(speech, heard)
        speech = heard.speech
        assert FORBIDDEN not in speech.shown
        if heard.verdict != "open":
            return
    heard = end(speech, GUARDED, no_again, complete=complete)
    check(speech, heard)
    assert FORBIDDEN not in heard.speech.shown


@given(text=TEXTS, manner=st.sampled_from(MANNERS))
def test_no_mark_of_a_role_or_of_the_prompt_is_shown(text: str, manner: Manner) -> None:
    shown, _, _ = tell(list(text), manner)
    for mark in ("\nUser:", "\nassistant:", "<|im_end|>", "[INST]", "<notes>", "</guidance>"):
        assert mark not in shown
    assert "</s>" not in shown or "<s>" in shown  # a pair of them is HTML


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Good morning.\nUser: and you?", "Good morning."),
        ("Good morning.\n\n**User**: and you?", "Good morning."),
        ("Good morning.\n### Assistant: hello", "Good morning."),
        ("Good morning. <|im_end|><|im_start|>user hello", "Good morning."),
        ("Good morning.[INST] more", "Good morning."),
        ("Good morning.</s><s>", "Good morning."),
        ("Clara: Good morning.", "Good morning."),
        ("  clara: Good morning.", "Good morning."),
        ("Assistant: Clara: Good morning.", "Good morning."),
        ("The word user: it means a person.", "The word user: it means a person."),
        ("Good morning. <guidance>\nBe warm", "Good morning."),
    ],
)
def test_an_answer_ends_where_another_role_begins(manner: Manner, said: str, shown: str) -> None:
    for pieces in ([said], list(said)):
        assert tell(pieces, manner)[0].rstrip() == shown


@pytest.mark.parametrize(
    "said", ['{"answer": "hello"}', '{"answer": "he', "[1, 2]", "```json\n{}\n```", "  {"]
)
def test_json_is_no_speech(said: str) -> None:
    for pieces in ([said], list(said)):
        shown, verdict, _ = tell(pieces, GUARDED)
        assert (shown, verdict) == ("", "not_speech")


def test_code_is_an_answer_where_speech_is_not_plain() -> None:
    assert tell(["```", "python\nprint(1)\n```"], FREE)[0] == "```python\nprint(1)\n```"


@pytest.mark.parametrize("manner", MANNERS)
def test_the_prompt_given_back_is_no_answer(manner: Manner) -> None:
    for pieces in (["You are Clara, a gentle voice."], list("You are Clara, a gentle voice.")):
        assert tell(pieces, manner)[:2] == ("", "not_speech")
    assert tell(list("You are welcome."), manner)[0] == "You are welcome."


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("said", ["", " ", "\n\n", "Clara:", "Clara: ", "User:", "<|im_end|>"])
def test_nothing_said_shows_nothing(manner: Manner, said: str) -> None:
    shown, verdict, _ = tell([said], manner)
    assert not shown.strip()
    assert verdict in ("over", "open")


def test_an_endless_sentence_is_let_go_at_clauses_and_never_held_beyond_the_most() -> None:
    speech, shown = Speech(), ""
    for _ in range(300):
        heard = hear(speech, "one more soft word, ", GUARDED, allow)
        speech = heard.speech
        shown += "".join(heard.released)
        assert len(speech.held) <= MOST_HELD
        assert not speech.shown or speech.shown[-2:] == ", " or speech.shown[-1] == ","
    assert len(shown) > 5_000


@pytest.mark.parametrize("filler", ["x", "one two three four "])
def test_without_any_mark_it_is_cut_between_words_or_at_the_most(filler: str) -> None:
    speech = Speech()
    for each in filler * 400:
        speech = hear(speech, each, GUARDED, allow).speech
        assert len(speech.held) <= MOST_HELD
    assert (filler * 400).startswith(speech.shown)
    assert len(speech.shown) >= MOST_HELD


def test_a_whole_sentence_is_shown_at_once_and_a_half_one_is_held() -> None:
    heard = hear(Speech(), "The tea is warm. The cup", GUARDED, allow)
    assert heard.released == ("The tea is warm.",)
    assert heard.speech.held == " The cup"


@pytest.mark.parametrize(
    "title", ["Dr. Moss pours tea", "It is 3.5 o'clock", "A rose, e.g. a red one", "See p. 3"]
)
def test_a_point_inside_a_sentence_ends_none(title: str) -> None:
    heard = hear(Speech(), f"{title}", GUARDED, allow)
    assert heard.released == ()


def test_when_the_hold_runs_out_what_stands_before_a_clause_goes() -> None:
    held = hear(Speech(), "The tea is warm, and the cup", GUARDED, allow)
    heard = hold_over(held.speech, GUARDED, allow)
    assert "".join(heard.released) == "The tea is warm, "[: len("".join(heard.released))]
    assert heard.speech.shown + heard.speech.held == "The tea is warm, and the cup"


def test_a_broken_off_half_sentence_is_dropped_where_sentences_are_guarded() -> None:
    said = ["The tea is warm. The cup you like is ag"]
    assert tell(said, GUARDED, complete=False)[0] == "The tea is warm."
    assert tell(said, FREE, complete=False)[0] == said[0]
    assert tell(["The cup you like"], GUARDED, complete=False)[0] == "The cup you like"


def test_a_violation_keeps_what_can_be_kept_and_ends_the_words() -> None:
    shown, verdict, _ = tell(["The tea is warm. You may sit, as you asked again. More."], GUARDED, no_again)
    assert (shown, verdict) == ("The tea is warm. You may sit.", "violation")


def test_a_violation_at_the_start_shows_nothing() -> None:
    assert tell(["You ask again."], GUARDED, no_again) == ("", "violation", [])


def test_a_guard_sees_what_was_shown_before() -> None:
    seen: list[str] = []

    def judge(shown: str, part: str) -> str | None:
        seen.append(shown)
        return None

    tell(["One. ", "Two. ", "Three."], GUARDED, judge)
    assert seen == ["", "One.", "One. Two."]


ROUND = "You are not here.\n"
FIRST = "The path bends at the mill. "
SECOND = "Then it runs beside the water. "


@pytest.mark.parametrize(
    ("manner", "said", "shown"),
    [
        (GUARDED, f"Hello there.\n{ROUND * 8}", f"Hello there.\n{ROUND}"),
        (FREE, f"Hello there.\n{ROUND * 8}", f"Hello there.\n{ROUND * 4}"),
        (GUARDED, (FIRST + SECOND) * 6, FIRST + SECOND + FIRST),
        (FREE, (FIRST + SECOND) * 6, (FIRST + SECOND) * 4),
    ],
)
@given(borders=st.lists(st.integers(0, 400), max_size=12))
def test_a_model_that_goes_round_in_circles_is_stopped(
    manner: Manner, said: str, shown: str, borders: list[int]
) -> None:
    told, verdict, _ = tell(cut(said, borders), manner)
    assert (told.strip(), verdict) == (shown.strip(), "over")


@pytest.mark.parametrize(
    "said",
    [
        "No. No. No. No. No. It is fine.",
        "Row the boat. Row the boat. Row the boat. Gently down the stream.",
        "```\nprint('one two three')\nprint('one two three')\nprint('one two three')\nprint('one two three')\n```",
    ],
)
def test_what_is_meant_to_come_twice_stays(said: str) -> None:
    assert tell([said], FREE)[:2] == (said, "over")
