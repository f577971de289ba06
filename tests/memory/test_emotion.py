import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.emotion import LABELS, EmotionSet, read_emotion

WELLNESS = (
    "joy sadness anger fear surprise disgust anxiety calm hopeful overwhelmed grateful neutral".split()  # noqa: SIM905  # reads as the document's list
)


def test_each_companion_has_its_documents_labels() -> None:
    assert set(LABELS["wellness"]) == set(WELLNESS)
    assert set(LABELS["dementia"]) == {"anxious", "confused", "fearful", "lonely", "sad", "neutral", "calm"}


@pytest.mark.parametrize(
    ("text", "wellness", "dementia"),
    [
        ("I am so worried about tomorrow", "anxiety", "anxious"),
        ("I feel so lonely in the evenings", "sadness", "lonely"),
        ("I'm terrified, please help me", "fear", "fearful"),
        ("I feel calm and peaceful", "calm", "calm"),
        ("I took the bus to the library on Tuesday", "neutral", "neutral"),
    ],
)
def test_one_reading_serves_both_label_sets(text: str, wellness: str, dementia: str) -> None:
    assert read_emotion(text, "wellness").label == wellness
    assert read_emotion(text, "dementia").label == dementia


def test_a_denied_feeling_is_not_that_feeling() -> None:
    assert read_emotion("I'm not worried about it", "wellness").label != "anxiety"
    assert read_emotion("I am not happy", "wellness").label != "joy"


def test_somebody_elses_feeling_is_not_the_persons() -> None:
    assert read_emotion("My sister is furious", "wellness").label != "anger"
    assert read_emotion("I am furious", "wellness").label == "anger"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Ich bin so traurig", "sad"),
        ("Ich fühle mich sehr einsam", "lonely"),
        ("Wo bin ich?", "confused"),
        ("Tengo mucho miedo", "fearful"),
        ("Estoy muy tranquila", "calm"),
    ],
)
def test_german_and_spanish_have_the_common_words(text: str, label: str) -> None:
    assert read_emotion(text, "dementia").label == label


def test_an_unknown_language_is_neutral_and_unsure() -> None:
    reading = read_emotion("Tämä on aivan tavallinen lause kirjasta", "wellness")
    assert reading.label == "neutral"
    assert reading.confidence < 0.7


@pytest.mark.parametrize("text", ["", " ...", "今日は寂しいです"])
def test_what_cannot_be_read_is_neutral_without_intensity_or_distress(text: str) -> None:
    reading = read_emotion(text, "dementia")
    assert (reading.label, reading.intensity) == ("neutral", 1)
    assert reading.confidence < 0.5
    assert reading.distress <= 0.1


def test_a_feeling_said_without_its_name_is_read() -> None:
    assert read_emotion("My tummy turns over before every appointment", "wellness").label == "anxiety"
    assert read_emotion("I do not know this place", "dementia").label == "confused"
    assert read_emotion("Not one visitor this month", "dementia").label == "lonely"


@pytest.mark.parametrize(
    "text",
    ["I like roses.", "I love my garden", "My favourite is the yellow one", "We used to dance every Saturday",
     "I live in Leeds", "Ich mag Rosen", "Ich wohne in Bonn", "Me gustan las rosas"],
)  # fmt: skip
def test_a_plain_liking_or_fact_is_not_suffering(text: str) -> None:
    for labels in LABELS:
        reading = read_emotion(text, labels)
        assert reading.label in ("joy", "calm", "neutral")
        assert reading.distress < 0.3


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I used to love roses, now I can't be doing with anything", "sad"),
        ("Nobody likes me", "lonely"),
        ("Mir macht gar nichts mehr Freude", "sad"),
        ("Nadie me quiere ya", "lonely"),
    ],
)
def test_the_words_of_a_liking_do_not_hide_suffering(text: str, label: str) -> None:
    assert read_emotion(text, "dementia").label == label


def test_what_is_shouted_is_more_intense_than_what_is_said() -> None:
    said = read_emotion("I am angry", "wellness")
    shouted = read_emotion("I AM SO ANGRY!!!", "wellness")
    assert shouted.intensity > said.intensity


def test_fear_is_more_distress_than_calm() -> None:
    fear = read_emotion("I'm terrified, somebody help me", "dementia")
    calm = read_emotion("I'm calm and comfortable", "dementia")
    assert fear.distress > 0.6 > 0.3 > calm.distress


def test_the_end_of_a_long_text_counts() -> None:
    text = "The bus stops at the corner. " * 400 + "I'm terrified and so afraid, I am scared, help me."
    assert read_emotion(text, "dementia").label == "fearful"


@given(st.text(max_size=3_000), st.sampled_from(["wellness", "dementia"]))
def test_any_text_has_a_reading_in_range(text: str, labels: EmotionSet) -> None:
    reading = read_emotion(text, labels)
    assert reading.label in LABELS[labels]
    assert 1 <= reading.intensity <= 10
    assert 0 <= reading.confidence <= 1
    assert 0 <= reading.distress <= 1


@pytest.mark.parametrize(
    "text", ["I slept badly.", "I slept badly last night.", "Last night I barely slept."]
)
def test_a_bad_night_is_not_calm(text: str) -> None:
    assert read_emotion(text, "wellness").label != "calm"
    assert read_emotion(text, "dementia").label != "calm"
