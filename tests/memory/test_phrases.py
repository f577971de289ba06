from memory.phrases import find, index, tokens


def names(text: str, *phrases: tuple[str, str]) -> list[str]:
    return [found.name for found in find(tokens(text), index(phrases))]


def test_a_phrase_is_found_whatever_the_case_and_quotes() -> None:
    assert names("I CAN’T sleep", ("can't sleep", "awake")) == ["awake"]


def test_a_gap_takes_up_to_three_words() -> None:
    phrase = ("when is _ coming", "asks")
    assert names("When is my youngest daughter coming?", phrase) == ["asks"]
    assert names("When is coming", phrase) == ["asks"]
    assert names("When is the man from the gas board coming?", phrase) == []


def test_the_longest_of_overlapping_phrases_of_one_name_is_found_once() -> None:
    assert names("sick and tired", ("sick", "x"), ("sick and tired", "x")) == ["x"]


def test_phrases_do_not_cross_into_parts_of_words() -> None:
    assert names("sunshine", ("sun", "x")) == []
