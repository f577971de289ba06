"""A conversation is called after its first words, cut where a reader would cut them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.titles import ELLIPSIS, PREVIEW_CHARS, TITLE_CHARS, preview_of, title_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Help me parse JSON", "Help me parse JSON"),
        ("  two \n lines\tand   tabs ", "two lines and tabs"),
        ("x" * 50, "x" * 50),
        ("x" * 51, "x" * 50 + "…"),
        (
            "Can you help me write an email to my landlord about",
            "Can you help me write an email to my landlord…",
        ),
        (
            "Can you help me write an email to my landlord abou t",
            "Can you help me write an email to my landlord abou…",
        ),
        ("a " + "b" * 60, "a…"),
        ("x" * 49 + "e\u0301 and more", "x" * 49 + "…"),
        ("x" * 49 + "👩\u200d🌾" + "y", "x" * 49 + "…"),
        ("x" * 49 + "👍🏽 fine", "x" * 49 + "…"),
        ("\u0301" * 60, "\u0301" * 50 + "…"),
        ("null\x00and\x1bbell", "null and bell"),
        ("", ""),
    ],
)
def test_a_title_is_at_most_fifty_characters_and_ends_at_a_word(text: str, title: str) -> None:
    assert title_of(text) == title


def test_a_preview_is_a_hundred_characters() -> None:
    text = "word " * 40
    assert preview_of(text) == text[:100].rstrip() + ELLIPSIS
    assert preview_of("short") == "short"


@given(st.text())
def test_both_are_one_line_of_bounded_length(text: str) -> None:
    for made, limit in ((title_of(text), TITLE_CHARS), (preview_of(text), PREVIEW_CHARS)):
        assert len(made) <= limit + len(ELLIPSIS)
        assert made == made.strip()
        assert len(made.splitlines()) <= 1
