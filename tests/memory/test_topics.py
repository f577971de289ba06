from memory.topics import MOST, read_topics


def test_the_most_mentioned_topic_comes_first() -> None:
    assert read_topics("My boss rang, and my colleague, about a job. My sister laughed.") == (
        "work",
        "family",
    )


def test_topics_are_found_in_german_and_spanish() -> None:
    assert "garden" in read_topics("Die Rosen im Garten blühen")
    assert "family" in read_topics("Mi hija viene mañana")


def test_a_list_of_everything_is_cut() -> None:
    text = "work money school dog music church rain train football knitting sleep"
    assert len(read_topics(text)) == MOST


def test_small_talk_has_no_topic() -> None:
    assert read_topics("Well, there you are then.") == ()
