"""What is held of an open talk, and what is left of it when something was not said after all."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from companions.talk import Talk, answered, before, heard, lightened, read_again, without
from memory.messages import Message
from memory.reading import Before, read

SAID = ("I am allergic to nuts.", "Where am I?", "My knee hurts.", "Good morning.", "Where am I?")


def grown(said: list[str]) -> list[Talk]:
    """A talk after each of its messages and answers."""
    talks = [Talk(conversation="cnv")]
    for at, text in enumerate(said):
        talk = talks[-1]
        position = talk.last_position + 1
        message = Message(id=f"m{at}", role="user", text=text, position=position, at=0)
        reading = read(text, Before(asked=talk.asked))
        talks.append(heard(talk, message, reading, vector=[float(at), 1.0]))
        answer = Message(
            id=f"a{at}", role="assistant", text="Yes.", position=position + 1, at=0, answers=message.id
        )
        talks.append(answered(talks[-1], answer, anchors=(), narrative=None))
    return talks


def rows(talk: Talk) -> tuple[object, ...]:
    return talk.messages, talk.asked, talk.vectors, talk.stated, talk.repeats


@given(st.lists(st.sampled_from(SAID), min_size=1, max_size=12), st.data())
def test_a_talk_before_a_message_is_what_it_was_then(said: list[str], data: st.DataObject) -> None:
    talks = grown(said)
    at = data.draw(st.integers(0, len(said) - 1))
    message = talks[-1].find(f"m{at}")
    assert message is not None
    assert rows(before(talks[-1], message)) == rows(talks[2 * at])


@given(st.lists(st.sampled_from(SAID), min_size=1, max_size=12), st.data())
def test_what_is_gone_is_gone_wherever_it_stood(said: list[str], data: st.DataObject) -> None:
    talk = grown(said)[-1]
    gone = data.draw(st.sets(st.sampled_from([each.id for each in talk.messages])))
    left = without(talk, gone)
    assert [each.id for each in left.messages] == [each.id for each in talk.messages if each.id not in gone]
    users = {each.id for each in left.messages if each.role == "user"}
    assert [each.id for each in left.asked] == [each.id for each in talk.asked if each.id in users]
    assert {each.message for each in left.emotions} <= users
    assert {each[0] for each in left.vectors} == users
    assert {each.message_id for each in left.stated} == {
        each.message_id for each in talk.stated if each.message_id in users
    }
    assert all({message, earlier} <= users for message, earlier, _ in left.repeats)


@given(st.lists(st.sampled_from(SAID), min_size=1, max_size=12), st.data())
def test_what_was_read_and_let_go_of_is_there_again_as_the_store_has_it(
    said: list[str], data: st.DataObject
) -> None:
    talks = grown(said)
    stored, whole = talks[data.draw(st.integers(0, len(talks) - 1))], talks[-1]
    since = {each.id for each in whole.messages} - {each.id for each in stored.messages}
    held = without(whole, {each.id for each in stored.messages})  # what was said since it was let go of
    light = replace(lightened(whole), asked=held.asked, stated=held.stated)
    assert {each.id for each in light.asked} <= since
    assert read_again(light, stored) == whole


def test_questions_asked_again_stay_one_when_the_first_of_them_is_gone() -> None:
    left = without(grown(["Where am I?"] * 4)[-1], ["m0", "a0"])
    assert [each[:2] for each in left.repeats] == [("m2", "m1"), ("m3", "m1")]
