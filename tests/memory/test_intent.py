import pytest

from memory.emotion import read_emotion
from memory.intent import read_intent


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Hello dear", "greeting"),
        ("Good night then", "farewell"),
        ("Would you tell me a story about the sea?", "story_request"),
        ("Where am I?", "grounding"),
        ("When is my daughter coming?", "reassurance"),
        ("Will you stay and talk to me a while?", "companionship"),
        ("I'm thirsty", "practical"),
        ("When I was a girl we had a pony", "reminiscence"),
        ("I'm terrified, there is somebody at the window", "calming_story"),
        ("The post came.", "general"),
    ],
)
def test_the_intent_is_what_the_person_wants(text: str, intent: str) -> None:
    assert read_intent(text, read_emotion(text, "dementia")) == intent


def test_a_greeting_before_a_question_is_not_the_intent() -> None:
    text = "Hello, can you tell me where am I?"
    assert read_intent(text, read_emotion(text, "dementia")) == "grounding"


def test_the_feeling_says_what_is_wanted_where_the_words_do_not() -> None:
    text = "I feel so lonely"
    assert read_intent(text, read_emotion(text, "dementia")) == "companionship"
