from memory.emotion import read_emotion
from memory.flags import Flag, read_flags


def flags(text: str, crisis: bool = False) -> tuple[Flag, ...]:
    return read_flags(text, read_emotion(text, "wellness"), crisis)


def test_a_plan_of_ones_own_is_an_action_item() -> None:
    assert "action_item" in flags("I'll call the doctor on Monday")
    assert "action_item" not in flags("She called the doctor on Monday")


def test_an_insight_is_a_breakthrough() -> None:
    assert "breakthrough" in flags("I realised it wasn't my fault")


def test_what_one_tells_nobody_is_sensitive() -> None:
    assert "sensitive" in flags("Please don't tell my children, I had a miscarriage once")


def test_a_happy_message_is_positive() -> None:
    assert flags("I'm so happy, it was a wonderful day") == ("positive",)


def test_crisis_is_taken_as_found_and_is_never_positive() -> None:
    assert flags("I'm so happy, it was a wonderful day", crisis=True) == ("crisis",)


def test_plain_talk_has_no_flag() -> None:
    assert flags("The bus was late") == ()
