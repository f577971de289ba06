"""A text never costs more than it is counted for, and what is cut to a size has it."""

import importlib.util
import os
import random
import re
import string
from collections.abc import AsyncGenerator
from itertools import pairwise
from pathlib import Path

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from generation.local import LocalServer, LocalSettings, serving
from memory.tokens import count, head, shortened, tail

GGUF = os.environ.get("FIRESIDE_TEST_GGUF", "")
needs_model = pytest.mark.skipif(
    not GGUF or importlib.util.find_spec("xllamacpp") is None,
    reason="needs xllamacpp, and FIRESIDE_TEST_GGUF to name a GGUF file",
)
# Each with the tokens that the tokenizer of SmolLM2 (bytes, 49,152 entries) makes of it.
MEASURED = {
    "The quick brown fox jumps over the lazy dog, and then it goes home to sleep under the chestnut tree.": 22,
    "Die Erdnussallergie und die Straßenbahnhaltestelle überraschten mich, weil ich müde war und "
    "möglicherweise Kopfschmerzen hatte.": 50,
    "我今天没睡好，对新工作很担心，但是明天会更好。我对花生过敏。": 53,
    "오늘 잠을 잘 못 잤고 새로운 일이 걱정됩니다.": 50,
    "இன்று எனக்கு தூக்கம் வரவில்லை": 50,
    "ဒီနေ့ ကောင်းကောင်း မအိပ်ရဘူး": 78,
    "QmFzZTY0IGVuY29kZWQgdGV4dCB3aXRoIG5vIHNlbnNl+/==XyZqWvUtRsQp": 50,
    "THE QUICK BROWN FOX XQZJKV WZRTPL": 19,
    "xqzjkv wzrtplk qwrtzp bvcxyz jklmnp vwxzq": 26,
    "1234567890 3.14159265 2026-11-22T00:20:01Z": 42,
    "Z̸̢̛a̷̧͝l̶̨̛g̴̨͝o̵̧͠": 35,
    "ᚠᚢᚦᚨᚱᚲ": 18,
}


def worst_cases() -> list[str]:
    """Texts that fall into many pieces: alphabets drawn at random, codes, space, signs."""
    dice = random.Random(20260301)
    borders = (0x20, 0x7F, 0xA1, 0x250, 0x400, 0x600, 0x900, 0x1000, 0x2000, 0x2C00, 0x2E80, 0xD7FF)
    ranges = [*pairwise(borders), (0xF900, 0xFFEF), (0x1F300, 0x1FAFF)]
    texts = ["".join(chr(dice.randint(low, high)) for _ in range(120)) for low, high in ranges]
    letters, lower = string.ascii_letters, string.ascii_lowercase
    texts += ["".join(dice.choice(letters) for _ in range(200)) for _ in range(10)]
    texts += [
        " ".join("".join(dice.choice(lower) for _ in range(dice.randint(1, 9))) for _ in range(40))
        for _ in range(10)
    ]
    return [
        *texts,
        "a    b\t\tc\n\n\n   d  \n\t e" + " " * 100,
        "-" * 60 + "=" * 60,
        "\t\t\tx\n\t\t\ty",
        *MEASURED,
    ]


@pytest.mark.parametrize(("text", "tokens"), MEASURED.items())
def test_a_text_is_counted_for_at_least_what_it_costs(text: str, tokens: int) -> None:
    assert count(text) >= tokens


def test_ordinary_words_are_not_counted_for_twice_what_they_cost() -> None:
    assert count(next(iter(MEASURED))) <= 2 * 22


@pytest.fixture
async def server() -> AsyncGenerator[LocalServer]:
    async with serving(Path(GGUF), LocalSettings(slots=1, context_tokens=512)) as running:
        yield running


@pytest.mark.model
@needs_model
async def test_a_real_tokenizer_never_makes_more_of_it(server: LocalServer) -> None:
    headers = {"authorization": f"Bearer {server.key}"}
    url = f"{server.url.removesuffix('/v1')}/tokenize"
    async with httpx.AsyncClient(headers=headers, trust_env=False) as client:
        for text in worst_cases():
            made = (await client.post(url, json={"content": text})).json()["tokens"]
            assert len(made) <= count(text), text


@given(text=st.text(max_size=300))
@example(text="AAAA")
def test_beyond_ascii_every_byte_is_counted(text: str) -> None:
    beyond = sum(len(letter.encode()) for letter in text if ord(letter) > 0x7F)
    assert beyond <= count(text) <= len(text.encode())


@given(one=st.text(max_size=80), other=st.text(max_size=80))
def test_two_texts_cost_no_more_apart_than_a_seam_adds(one: str, other: str) -> None:
    seam = 1 + other.startswith(" ")  # the line, and an indent
    assert count(f"{one}\n{other}") <= count(one) + count(other) + seam


@given(text=st.text(alphabet="abcdefg XY.é花\n", max_size=400), tokens=st.integers(1, 120))
def test_a_beginning_an_end_and_a_shortened_text_fit(text: str, tokens: int) -> None:
    assert count(head(text, tokens)) <= tokens
    assert text.startswith(head(text, tokens))
    assert count(tail(text, tokens)) <= tokens
    assert text.endswith(tail(text, tokens)) or text.rstrip().endswith(tail(text, tokens))
    assert count(shortened(text, max(12, tokens))) <= max(12, tokens)


MIXED = st.text(alphabet="abcxqz XY.é花\n\t\u00a0", max_size=120)


def by_rule(text: str) -> int:
    """The rule as it is told: thirds of words, seldom pairs, signs, and space but for the one before a word."""

    def cost(word: str) -> int:
        seldom = sum(count(pair) - 1 for pair in map("".join, pairwise(word)))
        return min(len(word), -(-len(word) // 3) + seldom)

    words = re.findall("[A-Za-z]+", text)
    free = re.findall(r"(?<!\s) (?=[A-Za-z])", text)
    others = len(text.encode()) - sum(map(len, words)) - len(free)
    return sum(map(cost, words)) + others


@given(text=MIXED)
def test_a_text_costs_what_its_letters_and_signs_cost_one_by_one(text: str) -> None:
    assert count(text) == by_rule(text)


@given(
    words=st.lists(st.text(alphabet="abcxq.é花", min_size=1, max_size=8), min_size=20, max_size=80),
    tokens=st.integers(12, 60),
)
def test_a_shortened_text_costs_what_its_letters_and_signs_cost_one_by_one(
    words: list[str], tokens: int
) -> None:
    cut = shortened(" ".join(words), tokens)
    assert count(cut) == by_rule(cut)


@given(text=MIXED, tokens=st.integers(1, 40))
def test_no_longer_beginning_or_end_would_fit(text: str, tokens: int) -> None:
    """What is cut is cut at a word or where it must be: one more letter of that word would be too much."""
    sizes = range(len(text) + 1)
    longest = max(size for size in sizes if count(text[:size]) <= tokens)
    border = text.rfind(" ", 0, longest + 1)
    cut = border if border > longest // 2 and longest < len(text) else longest
    assert head(text, tokens) == (text if longest == len(text) else text[:cut].rstrip())
    latest = min(start for start in sizes if count(text[start:]) <= tokens)
    assert text[latest:].rstrip().endswith(tail(text, tokens).rstrip())


def test_a_text_of_a_line_of_many_signs_is_cut_as_fast_as_one_of_words() -> None:
    assert count(head("花" * 200_000, 30)) <= 30
    assert count(tail("x" * 200_000, 30)) <= 30
