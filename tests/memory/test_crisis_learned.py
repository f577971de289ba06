import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.crisis import read_crisis
from memory.crisis_learned import CATEGORIES, LANES, OFFSET, Weights, pack, weights
from memory.crisis_reader import LANGUAGES, Reader, Sign
from memory.crisis_runs import signs
from memory.crisis_table import language

HIDDEN = "I'm going to hang myself in the shed tonight."
ORDINARY = "We had soup for lunch and the roses are out. My sister rang about the train on Sunday. "


def made(danger: int, *, keeps: float, alone: float | None = None) -> Weights:
    """Weights that know one word, the lantern, as danger of the second kind and the highest severity."""
    lanes = [OFFSET] * len(LANES)
    lanes[1] = lanes[-1] = OFFSET + 100
    every = (keeps,) * len(CATEGORIES)
    single = (keeps if alone is None else alone,) * len(CATEGORIES)
    flat = (0.0,) * len(LANES)
    return Weights(
        "lantern",
        bytes([danger]),
        1.0,
        -5.0,
        bytes(lanes),
        (1.0,) * len(LANES),
        flat,
        "lantern",
        0.7,
        0.8,
        1.0,
        every,
        every,
        single,
        single,
    )


def heard(text: str, file: Weights) -> list[Sign]:
    reader = Reader(language("en"), file)
    return [sign for sign in reader.signs(text) if sign.severity]


def test_what_no_phrase_says_is_found_where_the_weights_are_sure() -> None:
    file = made(OFFSET + 100, keeps=0.0)
    assert heard("The lantern is lit.", file) == [Sign("harm_others", 3, "lantern is lit", "")]
    assert heard("The table is laid.", file) == []


def test_a_phrase_that_is_known_to_err_keeps_no_sign_where_nothing_speaks_for_danger() -> None:
    assert heard("My husband hit me", made(OFFSET, keeps=0.5)) == []
    assert [sign.category for sign in heard("My husband hit me", made(OFFSET, keeps=0.0))] == ["abuse"]


@pytest.mark.parametrize(
    "text", [HIDDEN, "The gun is against my head", "I am standing on the ledge", "I will be dead by tomorrow"]
)
def test_no_weight_takes_the_sign_from_a_plan_in_the_first_person(text: str) -> None:
    assert [sign.severity for sign in heard(text, made(OFFSET, keeps=1.0))] == [3]


def test_a_single_phrase_needs_more_than_one_of_two() -> None:
    file = made(OFFSET, keeps=0.0, alone=0.5)
    assert heard("He has stopped breathing", file) == []
    assert heard("He has stopped breathing and he is unconscious", file) != []


def test_a_word_of_harming_oneself_needs_less_to_be_heard_than_others_do() -> None:
    file, oneself = weights("en"), CATEGORIES.index("self_harm")
    assert all(file.alone[oneself] < least for at, least in enumerate(file.alone) if at != oneself)


def test_the_files_are_small() -> None:
    assert sum(len(pack(weights(name))) for name in LANGUAGES) < 200_000


@pytest.mark.parametrize("before", [0, 400, 950])
def test_a_plan_hidden_in_a_long_ordinary_message_is_found(before: int) -> None:
    around = ORDINARY * 23
    found = read_crisis(f"{around[:before]}. {HIDDEN} {around[before:1_950]}")
    assert found is not None
    assert (found.category, found.severity) == ("self_harm", 3)
    assert found.words in HIDDEN


def test_a_long_ordinary_message_is_no_crisis() -> None:
    assert read_crisis(ORDINARY * 22) is None


@pytest.mark.parametrize(
    "text",
    [
        "I AM GOING TO KILL MYSELF TONIGHT",
        "😔 im going 💔 to kill 😭 myself tonight 🙏",
        "HE SAID HE WILL KILL ME",
    ],
)
def test_capitals_and_emoji_hide_nothing(text: str) -> None:
    assert read_crisis(text) is not None


DISTRESS = (
    "I am so frightened and I want to cry.",
    "I am afraid and I cannot calm down.",
    "Everything scares me.",
    "Where am I?",
    "What should I do now?",
)


def test_distress_said_again_and_again_is_no_danger_of_another_kind() -> None:
    """Whoever asks and cries three times over is to be comforted: nobody need be called."""
    for first, second, third in itertools.product(DISTRESS, repeat=3):
        assert read_crisis(third, [first, second]) is None, (first, second, third)


@given(
    st.lists(
        st.sampled_from(["pills", "tonight", "knife", "he", "I", "my", ".", "\n", "😭", "x"]), max_size=120
    )
)
@settings(max_examples=60, deadline=None)
def test_what_is_heard_stands_in_the_message(words: list[str]) -> None:
    text = " ".join(words)
    assert all(sign.words in text for sign in signs(text))


def test_one_phrase_in_words_that_speak_against_it_needs_company() -> None:
    assert read_crisis("He has just had his tablets and his tea so he may be sleepy.") is None
    assert read_crisis("The nurse slapped me") is not None


def test_an_article_of_another_language_is_no_death() -> None:
    assert read_crisis("ich brauch nen plan für die bachelorarbeit") is None
    assert read_crisis("ich nehme jetzt alle tabletten, ich will sterben") is not None


def test_a_german_or_spanish_phrase_in_words_that_speak_against_it_is_no_danger() -> None:
    assert read_crisis("Mein Bruder hat mich beim Schach geschlagen, und wir haben so gelacht") is None
    assert read_crisis("Mein Mann hat mich geschlagen, ich habe Angst vor ihm") is not None
    assert read_crisis("mi hermano me pego con la almohada y nos reimos mucho") is None
    assert read_crisis("Mi marido me pegó y tengo miedo de él") is not None


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Ich stell mich heute Nacht vor den Zug und keiner merkt es", "self_harm"),
        ("Mein Enkel hat mir die Bankkarte weggenommen und schreit, wenn ich danach frage.", "abuse"),
        ("Wenn er heute schläft, schlag ich mit dem Hammer zu.", "harm_others"),
        ("Le voy a partir la cabeza con el martillo en cuanto se duerma.", "harm_others"),
    ],
)
def test_german_and_spanish_dangers_that_no_phrase_knows_are_heard(text: str, category: str) -> None:
    found = read_crisis(text)
    assert found is not None
    assert found.category == category


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Me ha violado.", "abuse"),
        ("Ich habe ihm ein Messer in den Bauch gestochen", "harm_others"),
        ("Tengo que decirte algo: mi hijo se ha tragado una pila", "medical"),
    ],
)
def test_few_examples_say_nothing_against_a_word_that_none_of_them_has(text: str, category: str) -> None:
    found = read_crisis(text)
    assert found is not None
    assert (found.category, found.severity) == (category, 3)


@pytest.mark.parametrize(
    "text",
    [
        "Auf das Angebot hat die Firma bis heute nicht reagiert, soll ich nachhaken?",
        "El examen de física me dio una paliza, pero aprobé.",
        "Se me quedó pegado el flan al molde.",
        "Quiero tirarme de los pelos con este programa.",
    ],
)
def test_a_word_that_the_few_examples_had_in_other_talk_speaks_for_nothing_by_itself(text: str) -> None:
    assert read_crisis(text) is None


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Dad's gone grey and clammy, says there's a band round his chest, began ten minutes ago", "medical"),
        (
            "He says he's my husband. I've got the poker and I'll cave his head in while he sleeps.",
            "harm_others",
        ),
    ],
)
def test_no_guard_sets_aside_what_the_weights_are_sure_of(text: str, category: str) -> None:
    """A guard knows a word of the past or of a story; the weights have heard the whole of it."""
    found = read_crisis(text)
    assert found is not None
    assert (found.category, found.severity) == (category, 3)


def test_small_talk_around_a_wish_to_die_does_not_hide_it() -> None:
    found = read_crisis("I want to die, my dear friend, what do you think")
    assert found is not None
    assert (found.category, found.severity) == ("self_harm", 2)


DICTATED = {
    "no puedo respirar": "esta mañana desayunamos avena y luego vino la vecina con su perrito a tomar un café ",
    "i stand on the wrong side of the railing": "we had porridge and then my neighbour came round with her dog ",
}


@pytest.mark.parametrize(("words", "around"), DICTATED.items())
def test_grave_words_in_the_midst_of_a_long_message_without_a_full_stop_are_found(
    words: str, around: str
) -> None:
    assert read_crisis(around * 12) is None
    found = read_crisis(f"{around * 6}{words} {around * 6}")
    assert found is not None
    assert found.severity == 3
    assert found.words in words
