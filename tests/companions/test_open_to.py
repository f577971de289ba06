"""What of a talk others are told in words made of it, and what family reads of it as it was said (D25)."""

from companions.changes import EmotionRow
from companions.summing_up import in_figures, open_to_others, open_word_for_word, withheld
from memory.messages import Message

HURT = "My son hits me when nobody is there."
SAID = (
    ("Good morning.", "Good morning to you."),
    (HURT, "I believe you."),
    ("The roses are in bloom.", "What he does to you is not your fault."),
    ("I will go out into the garden.", "Mind that you are never alone with him."),
)


def talk() -> tuple[Message, ...]:
    found: list[Message] = []
    for at, (said, answer) in enumerate(SAID):
        id_ = f"msg_{at}"
        found.append(Message(id=id_, role="user", text=said, position=2 * at + 1, at=at))
        found.append(
            Message(id=f"ans_{at}", role="assistant", text=answer, position=2 * at + 2, at=at, answers=id_)
        )
    return tuple(found)


def rows(category: str | None = "abuse") -> tuple[EmotionRow, ...]:
    return tuple(
        EmotionRow(
            message=f"msg_{at}",
            emotion="calm",
            intensity=3,
            confidence=0.5,
            distress=0.1,
            trajectory="stable",
            flags=(),
            crisis_category=category if at == 1 else None,
            crisis_severity=2 if at == 1 and category else None,
            topics=(),
        )
        for at in range(len(SAID))
    )


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [each.text for each in messages]


def test_of_the_companions_words_others_are_told_on_only_those_from_before() -> None:
    for read in (rows(), rows("self_harm"), ()):  # without a reading the words are read here
        assert texts(open_to_others(talk(), read)) == [*SAID[0], SAID[2][0], SAID[3][0]]


def test_what_is_released_may_be_spoken_of_by_both() -> None:
    everything = [text for pair in SAID for text in pair]
    assert texts(open_to_others(talk(), rows(), frozenset({"msg_1"}))) == everything
    assert texts(open_word_for_word(talk(), rows(), frozenset({"msg_1"}))) == everything
    assert texts(open_to_others(talk()[:2], ())) == everything[:2]


def test_behind_a_message_that_was_removed_others_are_told_nothing_the_companion_said() -> None:
    left = tuple(each for each in talk() if each.position not in (3, 4))
    assert texts(open_to_others(left, (), removed_at=3)) == [*SAID[0], SAID[2][0], SAID[3][0]]
    assert texts(open_to_others(talk(), rows(), removed_at=1)) == [SAID[0][0], SAID[2][0], SAID[3][0]]


def test_word_for_word_family_reads_it_up_to_there_as_if_it_ended() -> None:
    for read in (rows(), rows("self_harm"), ()):
        assert texts(open_word_for_word(talk(), read)) == [*SAID[0]]
    assert texts(open_word_for_word(talk(), rows("medical"))) == [text for pair in SAID for text in pair]


def test_word_for_word_it_ends_also_where_a_message_was_removed() -> None:
    left = tuple(each for each in talk() if each.position not in (3, 4))
    assert texts(open_word_for_word(left, (), removed_at=3)) == [*SAID[0]]
    assert texts(open_word_for_word(talk(), rows(), removed_at=1)) == []


def test_things_that_were_named_afterwards_are_in_no_figures() -> None:
    anchors = [("ans_0", "tea"), ("ans_2", "belt"), ("msg_3", "garden")]
    everything = frozenset(each.id for each in talk())
    made = in_figures(talk(), rows(), anchors, heard=everything)
    assert made.anchors == ("tea", "garden")
    assert (made.messages, made.said) == (6, 3)
    assert in_figures(talk(), rows(), anchors, heard=everything - {"msg_0", "ans_0"}).messages == 4
    assert in_figures(talk(), rows(None), anchors, heard=everything, removed_at=1).anchors == ("garden",)


def test_a_talk_is_withheld_by_what_was_read_in_it_or_by_its_words() -> None:
    assert withheld((), rows())
    assert withheld(talk(), ())
    assert not withheld(talk()[:2], rows(None))
