"""What is told of a talk with a person who lives with dementia: figures, and nothing to hold against them."""

from memory.extracts import Felt
from memory.messages import Message
from memory.talk_figures import figures

TALK = [
    Message(id="m1", role="user", text="Where am I? I want my mother.", position=1, at=0),
    Message(id="a1", role="assistant", text="You are safe here.", position=2, at=60_000),
    Message(id="m2", role="user", text="The cat is in the garden.", position=3, at=720_000),
]
FELT = {
    "m1": Felt(emotion="anxiety", intensity=8, topics=("family",)),
    "m2": Felt(emotion="calm", intensity=3, topics=("pets", "family")),
}


def test_length_counts_feeling_topics_arc_and_anchors_are_told() -> None:
    made = figures(TALK, FELT, anchors=["garden", "cat", "garden"], escalated=False)
    assert (made.seconds, made.messages, made.said) == (720, 3, 2)
    assert (made.dominant_emotion, made.emotional_arc) == ("calm", "anxiety -> calm")
    assert made.topics == ("family", "pets")
    assert made.anchors == ("garden", "cat")
    assert "12 min" in made.text


def test_no_sentence_score_or_count_of_repeats_is_in_it() -> None:
    made = figures(TALK, FELT, anchors=[], escalated=True)
    assert "mother" not in made.text
    assert "8" not in made.text
    assert not {"quote", "repeat", "repeats", "intensity"} & set(made.__struct_fields__)
    assert made.escalated


def test_a_talk_without_a_reading_is_told_all_the_same() -> None:
    assert figures([], {}, anchors=[], escalated=False).text
