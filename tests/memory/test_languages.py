"""In which language something was said."""

import pytest

from memory.languages import language_of

SAID = (
    ("en", "I live in Lisbon."),
    ("en", "I'm allergic to peanuts."),
    ("en", "My sister works as a teacher"),
    ("de", "Ich wohne in Berlin."),
    ("de", "Ich bin gegen Nüsse allergisch."),
    ("de", "Meine Schwester arbeitet als Lehrerin"),
    ("es", "Vivo en Madrid y trabajo como enfermera."),
    ("es", "Mi hermana es profesora y tiene dos hijos"),
    ("fr", "J'habite à Lyon avec ma sœur."),
    ("fr", "Je suis allergique aux noix."),
    ("it", "Abito a Roma e lavoro come infermiere."),
    ("it", "Mia sorella è allergica alle noci"),
    ("nl", "Ik woon in Utrecht en werk als verpleger."),
    ("nl", "Mijn zus is lerares"),
    ("pt", "Moro em Lisboa e trabalho como enfermeira."),
    ("pt", "Minha irmã é professora"),
)


@pytest.mark.parametrize(("language", "text"), SAID)
def test_the_little_words_tell_the_language(language: str, text: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("text", ["", "Peanuts.", "Berlin", "42", "花生", "la"])
def test_where_they_do_not_tell_it_none_is_named(text: str) -> None:
    assert language_of(text) == ""
