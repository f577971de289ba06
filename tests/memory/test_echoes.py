"""What a model gives back of its instructions is no part of a summary."""

from memory.echoes import instructions, without_echoes
from memory.summing import Read

TOLD = 'Answer with one JSON object: "topics": short names of what it was about, such as sleep; "arc": one sentence.'
TALK = ("I cannot sleep since we moved.", "That sounds tiring.")
GIVEN = instructions(TOLD, TALK)


def test_words_of_the_instructions_are_dropped_and_words_of_the_talk_stay() -> None:
    read = Read(
        topics=("short names", "sleep", "moving house", "One JSON object"),
        arc="One sentence.",
        insight="They miss the old house.",
        follow_ups=("what it was about", "How is the new home?"),
        quote="I cannot sleep since we moved",
        summary="They spoke of sleep.",
    )
    assert without_echoes(read, GIVEN) == Read(
        topics=("sleep", "moving house"),
        arc="",
        insight="They miss the old house.",
        follow_ups=("How is the new home?",),
        quote="I cannot sleep since we moved",
        summary="They spoke of sleep.",
    )


def test_an_empty_answer_stays_empty() -> None:
    assert without_echoes(Read(), GIVEN) == Read()
