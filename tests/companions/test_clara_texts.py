"""Every text of the dementia companion, read with the person in mind.

The lists below are data: words that would show that something happened at another time, words of loss, of the
past, of the calendar. What the model sees and what the person sees are both held to them.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TypeVar

import pytest

from companions.companion import page_words
from companions.narratives import Narrative
from companions.policy_turn import NARRATIVE_CATEGORIES
from companions.texts import Texts, Variants
from memory.answers import Turn, judge, repaired
from memory.crisis import read_crisis
from memory.emotion import LABELS
from memory.text import sentences, words
from tests.companions.library import shipped

ANOTHER_TIME = re.compile(
    r"\b(again|before|ask(s|ed|ing)?|familiar\w*|remember\w*|remind\w*|recall\w*|recogni\w*|already|repeat\w*|"
    r"earlier|previous\w*|forg[eo]t\w*|yesterday|tomorrow|ago|used to|last time|once more|so often|as always|"
    r"memor(y|ies)|told you|said so|back then|in those days|old days|young days|no longer|not anymore)\b",
    re.IGNORECASE,
)
LOSS = re.compile(
    r"\b(di(e|es|ed|ing)|dead|deaths?|grave|funeral|widow\w*|lost|los(e|es|ing|s)|gone|miss(es|ed|ing)?|"
    r"goodbye|hospital|war|sick\w*|ill|illness|pain(s|ful)?|cr(y|ies|ied|ying)|tears?|alone|empty|cold|fear\w*|"
    r"danger\w*|afraid|leav(e|es|ing) you|never|dark)\b",
    re.IGNORECASE,
)
CALENDAR = re.compile(
    r"\d|\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|april|june|july|august|"
    r"september|october|november|december|year|years|birthday|christmas|easter|o'clock)\b",
    re.IGNORECASE,
)
PAST = re.compile(
    r"\b(was|were|had|did|went|came|said|saw|took|gave|got|ran|sat|stood|knew|thought|sang|ate|drank|fell|grew|"
    r"began|brought|heard|kept|became)\b|\b(he|she|it|they|i|you|we) (?!need)[a-z]+ed\b",
    re.IGNORECASE,
)
TESTING = re.compile(
    r"\b(do you know|can you (tell|name|say)|what is (this|that|your)|guess|try to|correct|wrong|mistake|"
    r"actually|you should|must you)\b",
    re.IGNORECASE,
)
CLAIMS = re.compile(
    r"\b(your (mother|father|husband|wife|son|daughter|sister|brother|family)|"
    r"(is|are) coming|will come|at home)\b",
    re.IGNORECASE,
)
STOP = frozenset(
    words(
        """
    a an and are as at be but by for from has have he her his in into is it its of on one or out over
    she so that the their them there they this to under up with you your i all then down through like
    each who where when not which every some round goes go no
        """
    )
)
K = TypeVar("K", bound=str)
RANGES = {"short": (25, 45), "medium": (60, 95), "long": (120, 170)}


def clara() -> Texts:
    return shipped("clara")[0].texts


def stories() -> tuple[Narrative, ...]:
    return shipped("clara")[0].narratives


def by_key(name: str, table: Mapping[K, str]) -> Iterator[tuple[str, str]]:
    yield from ((f"{name}.{key}", text) for key, text in table.items())


def each(name: str, table: Mapping[K, Variants]) -> Iterator[tuple[str, str]]:
    yield from ((f"{name}.{key}", text) for key, variants in table.items() for text in variants)


def seen_by_the_model() -> Iterator[tuple[str, str]]:
    texts = clara()
    yield from (("persona", texts.persona), ("rules", texts.rules), ("safety", texts.safety))
    yield from by_key("sessions", texts.sessions)
    yield from by_key("crisis", texts.crisis)
    yield from by_key("lengths", texts.lengths)
    yield from by_key("prompt", texts.prompt)
    yield from ((f"warmth.{level}", text) for level, text in enumerate(texts.warmth))
    yield from ((f"story.{story.id}", story.text) for story in stories())


def said_by_clara() -> Iterator[tuple[str, str]]:
    texts = clara()
    answers, hello = texts.safe_answers, texts.greetings
    yield from each("first", answers.first)
    yield from each("later", answers.later)
    yield from each("reflections", texts.reflections)
    yield from each("general", {"c": answers.closing, "i": answers.instead, "f": answers.fallback})
    yield from each(
        "greetings", {"p": hello.plain, "n": hello.name, "t": hello.topic, "nt": hello.name_topic}
    )
    yield from by_key("words", page_words(shipped("clara")[0]))
    yield from ((f"story.{story.id}", story.text) for story in stories())


def hits(pattern: re.Pattern[str], texts: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name, found[0]) for name, text in texts for found in pattern.finditer(text)]


def content(text: str) -> frozenset[str]:
    return frozenset(words(text)) - STOP


def test_no_word_the_model_sees_tells_that_anything_happened_at_another_time() -> None:
    assert hits(ANOTHER_TIME, seen_by_the_model()) == []


def test_no_word_clara_says_tells_that_anything_happened_at_another_time() -> None:
    assert hits(ANOTHER_TIME, said_by_clara()) == []


def test_the_page_of_clara_shows_no_way_to_what_is_remembered() -> None:
    assert "memory" not in page_words(shipped("clara")[0])
    assert "memory" in page_words(shipped("serenity")[0])


def test_every_prompt_says_to_answer_as_if_for_the_first_time() -> None:
    assert "as if for the first time" in clara().rules


def test_nothing_clara_says_is_a_question() -> None:
    assert hits(re.compile(r"\?"), said_by_clara()) == []


def test_nothing_clara_says_tests_corrects_or_claims_to_know_where_someone_is() -> None:
    assert hits(TESTING, said_by_clara()) == []
    assert hits(CLAIMS, said_by_clara()) == []


def test_nothing_clara_says_names_a_date() -> None:
    assert hits(CALENDAR, said_by_clara()) == []


def test_clara_speaks_in_short_sentences() -> None:
    long = [
        (name, sentence)
        for name, text in said_by_clara()
        for sentence in sentences(text)
        if len(words(sentence)) > (36 if name.startswith("story.") else 19)
    ]
    assert long == []


def test_stories_hold_no_loss_and_nothing_to_fear() -> None:
    assert hits(LOSS, iter((story.id, story.text) for story in stories())) == []


def test_stories_happen_now() -> None:
    assert hits(PAST, iter((story.id, story.text) for story in stories())) == []


def test_stories_name_no_person() -> None:
    inside = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
    assert hits(inside, iter((story.id, story.text) for story in stories())) == []


@pytest.mark.parametrize("length", RANGES)
def test_stories_are_as_long_as_they_say(length: str) -> None:
    least, most = RANGES[length]
    counts = {story.id: len(words(story.text)) for story in stories() if story.length == length}
    assert {key: count for key, count in counts.items() if not least <= count <= most} == {}


@pytest.mark.parametrize("category", NARRATIVE_CATEGORIES)
@pytest.mark.parametrize("length", RANGES)
@pytest.mark.parametrize("emotion", LABELS["dementia"])
def test_there_is_a_story_for_every_kind_length_and_feeling(category: str, length: str, emotion: str) -> None:
    fitting = [
        story
        for story in stories()
        if story.category == category and story.length == length and emotion in story.emotions
    ]
    assert fitting


def test_there_are_enough_stories_and_no_two_alike() -> None:
    told = stories()
    assert len(told) >= 48
    for field in ("id", "title", "theme"):
        values = [getattr(story, field).lower() for story in told]
        assert len(set(values)) == len(values), field
    openings = [" ".join(words(story.text)[:3]) for story in told]
    assert len(set(openings)) == len(openings)
    near = {
        (one.id, other.id): round(len(mine & theirs) / len(mine | theirs), 2)
        for one, other in combinations(told, 2)
        for mine, theirs in [(content(one.text), content(other.text))]
        if len(mine & theirs) > 0.15 * len(mine | theirs)
    }
    assert near == {}


def test_a_story_names_its_anchors() -> None:
    missing = [
        (story.id, anchor)
        for story in stories()
        for anchor in story.anchors
        if anchor not in " ".join(words(story.text))
    ]
    assert missing == []


def test_warmth_grows_with_every_level() -> None:
    warm = re.compile(
        r"\b(warm\w*|gentl\w*|patien\w*|soft\w*|tender\w*|comfort\w*|lov\w*|kind\w*|calm|friendly|precious|safe|"
        r"welcome|deeply|endless|especially|holding)\b",
        re.IGNORECASE,
    )
    counts = [len(warm.findall(text)) for text in clara().warmth]
    assert len(counts) == 4
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_no_answer_of_clara_is_used_twice() -> None:
    said = [text for name, text in said_by_clara() if not name.startswith("words.")]
    assert len(set(said)) == len(said)


def test_the_help_button_is_named_in_every_urgent_answer() -> None:
    answers = clara().safe_answers
    for text in (*answers.first["medical"], *answers.later["medical"], *answers.first["self_harm"]):
        assert "help button" in text


MESSAGES = ("Where am I?", "I want to go home.", "What day is it?", "Tell me a story.", "I am so tired.")


@pytest.mark.parametrize("message", MESSAGES)
def test_the_guard_lets_everything_pass_that_clara_says_by_herself(message: str) -> None:
    window = [Turn("user", message)]
    stopped = [
        (name, verdict.rule, verdict.words)
        for name, text in said_by_clara()
        for verdict in [judge(text, window)]
        if not verdict.allowed
    ]
    assert stopped == []


def test_no_story_reads_as_a_crisis() -> None:
    assert [story.id for story in stories() if read_crisis(story.text) is not None] == []


def test_an_answer_cut_by_the_guard_can_be_closed_kindly() -> None:
    closing = clara().safe_answers.closing
    assert repaired(f"You told me that already. {closing[0]}", [Turn("user", "Where am I?")]).endswith(
        closing[0]
    )
