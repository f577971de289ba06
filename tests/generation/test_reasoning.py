"""What a model thought is cut, wherever the pieces of its text begin and end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.reasoning import PAIRS, Cutter, MissingOpeningError, opened_by_template

SECRET = "zq"  # two letters that no answer and no mark contains
SIZES = st.lists(st.integers(1, 6), max_size=80)


def pieces_of(text: str, sizes: list[int]) -> list[str]:
    pieces: list[str] = []
    for size in sizes:
        pieces.append(text[:size])
        text = text[size:]
    return [*pieces, text]


def shown(text: str, sizes: list[int] | None = None, *, opened: bool = False) -> str:
    cutter = Cutter(opened=opened)
    return "".join(cutter.feed(piece) for piece in pieces_of(text, sizes or [])) + cutter.end()


ANSWER = st.text(st.sampled_from("ab <>/[]|◁▷.\nthinkTHINK"), max_size=20).filter(
    lambda text: shown(text) == text and text.strip() == text
)
THINKING = st.text(st.sampled_from("zq <>/[|\n"), min_size=1, max_size=15).map(lambda text: SECRET + text)
PAIR = st.sampled_from(PAIRS)


@given(PAIR, THINKING, ANSWER, SIZES, st.booleans())
def test_the_answer_after_reasoning_is_whole(
    pair: tuple[str, str], thinking: str, answer: str, sizes: list[int], loud: bool
) -> None:
    opening, closing = (pair[0].upper(), pair[1].upper()) if loud else pair
    assert shown(f"{opening}{thinking}{closing}\n\n{answer}", sizes) == answer


@given(PAIR, THINKING, ANSWER, SIZES)
def test_where_the_template_opened_it_all_up_to_the_closing_is_cut(
    pair: tuple[str, str], thinking: str, answer: str, sizes: list[int]
) -> None:
    assert shown(f"{thinking}{pair[1]}\n{answer}", sizes, opened=True) == answer
    assert shown(f"\n{pair[0]}{thinking}{pair[1]}\n{answer}", sizes, opened=True) == answer


PARTS = st.one_of(
    st.sampled_from([mark for pair in PAIRS for mark in pair]),
    st.sampled_from(
        ["a", "b ", "<", "</", "<think", "<|", "<|channel|>", "<|message|>", "<|end|>", "<|start|>", "final"]
    ),
)


@given(st.lists(PARTS, max_size=25), SIZES, st.booleans())
def test_what_is_shown_does_not_depend_on_the_pieces(
    parts: list[str], sizes: list[int], opened: bool
) -> None:
    def outcome(sizes: list[int]) -> str | None:
        try:
            return shown("".join(parts), sizes, opened=opened)
        except MissingOpeningError:
            return None

    assert outcome(sizes) == outcome([])


@given(st.lists(st.tuples(PAIR, THINKING, st.booleans()), max_size=4), ANSWER, SIZES)
def test_no_thought_is_ever_shown(
    blocks: list[tuple[tuple[str, str], str, bool]], answer: str, sizes: list[int]
) -> None:
    text = answer
    for (opening, closing), thinking, nested in blocks:
        inner = f"{opening}{thinking}{closing}{thinking}" if nested else thinking
        text = f"{opening}{inner}{closing}{text}"
    assert SECRET not in shown(text, sizes)
    assert SECRET not in shown(f"{answer}<think>{text}", sizes)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Good morning.", "Good morning."),
        ("  two spaces", "  two spaces"),
        ("<think>zq</think>\n\nHello.", "Hello."),
        ("<think></think>Hello.", "Hello."),
        ("<think>\n\n</think>\n\nHello.\n\nYou.", "Hello.\n\nYou."),
        ("<THINK>zq</Think>Hello.", "Hello."),
        ("Well, <think>zq</think>hello.", "Well, hello."),
        ("<think>a<think>b</think>c</think>Hello.", "Hello."),
        ("<think>zq", ""),
        ("Hello.<think>zq", "Hello."),
        ("</think>Hello.", "Hello."),
        ("\n</think>\n\nHello.", "Hello."),
        ("3 < 4 and 5 > 4", "3 < 4 and 5 > 4"),
        ("<thinker> and <b>", "<thinker> and <b>"),
        ("ends with <thin", "ends with <thin"),
        (
            "<|channel|>analysis<|message|>zq<|end|><|start|>assistant<|channel|>final<|message|>Hello.<|return|>",
            "Hello.",
        ),
        ("<|channel|>analysis<|message|>zq<|end|>", ""),
        ("<|channel|>commentary to=functions.x<|message|>{}<|call|>", ""),
        ("<|channel|>final<|message|>Hello.", "Hello."),
    ],
)
def test_each_form_in_one_piece_and_letter_by_letter(text: str, answer: str) -> None:
    assert shown(text) == answer
    assert shown(text, [1] * len(text)) == answer


def test_reasoning_that_only_closes_is_an_error_when_it_was_shown() -> None:
    with pytest.raises(MissingOpeningError):
        shown("zq </think> Hello.")


def test_a_server_that_takes_reasoning_apart_is_believed() -> None:
    cutter = Cutter(opened=True)
    cutter.separated()
    assert cutter.feed("Hello.") == "Hello."


def test_reasoning_that_the_template_opened_and_nothing_closed_stays_away() -> None:
    assert shown("zq and zq", opened=True) == ""


def test_words_are_not_held_back_without_need() -> None:
    cutter = Cutter()
    assert [cutter.feed(piece) for piece in ["a", " <", "b", "c <think", "er>"]] == [
        "a",
        " ",
        "<b",
        "c ",
        "<thinker>",
    ]


@pytest.mark.parametrize(
    ("name", "opened"),
    [
        ("deepseek-r1:8b", True),
        ("DeepSeek-R1-Distill-Qwen-7B", True),
        ("qwq:32b", True),
        ("Qwen3-4B-Thinking-2507", True),
        ("qwen3:4b", False),
        ("llama3.2", False),
        ("deepseek-chat", False),
    ],
)
def test_models_whose_templates_open_reasoning_are_known_by_name(name: str, opened: bool) -> None:
    assert opened_by_template(name) is opened
