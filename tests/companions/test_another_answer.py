"""Another answer to the same message: it takes the old one's place when it has landed, and not before."""

import pytest

from companions.changes import AnswerGiven, Refused
from companions.events import (
    Refuse,
    TellHidden,
)
from companions.remembered import FactLine, Remembered
from tests.companions.scenes import Table, with_settings
from tests.companions.sitting import Sitting
from tests.companions.test_conversation import changes, kinds


def test_another_answer_that_is_stopped_before_its_first_word_lets_the_old_stand_again() -> None:
    table = Table(with_settings(regenerate=True))
    table.talk("hello", "Good morning.")
    table.regenerate("msg_1")
    table.cancel()
    assert kinds(table.effects)[-3:-1] == ["TellDone", "TellStands"]
    assert table.done.status == "cancelled"
    assert table.state.talk is not None
    assert [each.text for each in table.state.talk.messages] == ["hello", "Good morning."]


def test_another_answer_that_the_store_refuses_lets_the_old_stand_again() -> None:
    table = Table(with_settings(regenerate=True))
    table.talk("hello", "Good morning.")
    table.regenerate("msg_1")
    table.piece("A fine day to you.")
    table.finish()
    table.land(Refused("state.conflict"))
    assert kinds(table.effects)[-4:-1] == ["TellDone", "Reload", "TellStands"]
    assert (table.done.durable, table.done.answer) == (False, None)


def test_another_answer_replaces_the_old_in_the_transaction_that_stores_it() -> None:
    table = Table(with_settings(regenerate=True))
    table.talk("hello", "Good morning.")
    table.talk("and?", "And so on.")
    effects = table.regenerate("msg_1")
    assert TellHidden(conversation="cnv_1", position=2) in effects
    table.piece("A fine day to you.")
    table.finish()
    given = changes(table, AnswerGiven)[-1]
    assert given.replaces_from == 2
    table.land()
    assert table.state.talk is not None
    assert [each.text for each in table.state.talk.messages] == ["hello", "A fine day to you."]


def test_of_two_sent_at_once_another_answer_to_the_second_leaves_the_one_to_the_first() -> None:
    table = Table(with_settings(regenerate=True))
    table.say("one")
    table.land()
    table.say("two")
    table.land()
    for answer in ("One, yes.", "Two, yes."):
        table.piece(answer)
        table.finish()
        table.land()
    assert table.state.talk is not None
    assert [each.text for each in table.state.talk.messages] == ["one", "two", "One, yes.", "Two, yes."]
    assert TellHidden(conversation="cnv_1", position=4) in table.regenerate("msg_2")
    table.piece("Two, surely.")
    table.finish()
    assert changes(table, AnswerGiven)[-1].replaces_from == 4
    table.land()
    assert table.state.talk is not None
    assert [each.text for each in table.state.talk.messages] == ["one", "two", "One, yes.", "Two, surely."]


def test_what_is_said_while_another_answer_is_made_stays() -> None:
    table = Table(with_settings(regenerate=True))
    table.talk("hello", "Good morning.")
    table.regenerate("msg_1")
    table.piece("A fine day to you.")
    table.say("and one more thing")
    table.land()
    table.finish()
    given = changes(table, AnswerGiven)[-1]
    assert (given.replaces_from, given.replaces_to) == (2, 2)
    table.land()
    assert table.state.talk is not None
    texts = [each.text for each in table.state.talk.messages]
    assert texts == ["hello", "and one more thing", "A fine day to you."]


def test_another_answer_that_never_comes_leaves_the_old_one() -> None:
    table = Table(with_settings(regenerate=True))
    table.talk("hello", "Good morning.")
    table.regenerate("msg_1")
    table.cancel()
    assert table.state.talk is not None
    assert [each.text for each in table.state.talk.messages] == ["hello", "Good morning."]
    assert len(changes(table, AnswerGiven)) == 1


def test_where_the_policy_has_no_second_answers_they_are_refused() -> None:
    table = Table()
    table.talk("hello")
    assert table.regenerate("msg_1") == [Refuse(re="again", code="policy.refused")]


def knows(*rests_on: str) -> Sitting:
    """At the table sits Extremis, who was said good morning, and then that the rose is called Ida."""
    rose = FactLine(id="fct_1", category="identity", text="the rose is called Ida", rests_on=rests_on)
    table = Sitting("extremis", remembered=Remembered(facts=(rose,)))
    table.exchange("Good morning.")
    table.exchange("Please remember that the rose is called Ida.")
    assert "Ida" in (table.exchange("What grows here?") or table.prompts[0]).system
    return table


def test_what_rests_on_hidden_words_alone_is_not_told_while_another_answer_is_made_nor_afterwards() -> None:
    table = knows("msg_2")
    table.regenerate("msg_1")
    assert "Ida" not in table.prompts[-1].system
    table.piece("A fine day.")
    table.say("And what else?")
    table.finish()
    table.land()  # what is remembered was not read again yet when the message behind is answered
    assert table.prompts[-1].messages[-1].text == "And what else?"
    assert "Ida" not in table.prompts[-1].system


@pytest.mark.parametrize("rests_on", [(), ("msg_1", "msg_2"), ("msg_of_an_earlier_talk", "msg_2")])
def test_what_rests_on_other_words_too_is_told(rests_on: tuple[str, ...]) -> None:
    table = knows(*rests_on)
    table.regenerate("msg_1")
    assert "Ida" in table.prompts[-1].system


def test_what_rests_on_hidden_words_is_told_again_when_they_stand_after_all() -> None:
    table = knows("msg_2")
    table.regenerate("msg_1")
    table.cancel()
    assert "Ida" in (table.exchange("What grows here?") or table.prompts[0]).system


def test_no_tool_finds_what_is_hidden_nor_what_was() -> None:
    table = knows("msg_2")
    assert table.state.hidden == set()
    behind = {"ans_1", "msg_2", "ans_2", "msg_3", "ans_3"}
    table.regenerate("msg_1")
    assert table.state.hidden == behind
    table.piece("A fine day.")
    table.finish()
    assert table.state.hidden == behind  # it may not have landed yet
    table.land()
    assert table.state.hidden == behind


@pytest.mark.parametrize(
    ("first", "last", "answer", "takes_back"),
    [
        (None, None, "ans_2", False),
        (2, 2, "ans_2", False),
        (2, 4, "ans_2", True),
        (2, None, "ans_2", True),
        (2, 4, None, False),
    ],
)
def test_more_than_one_answer_goes_where_words_of_the_person_go(
    first: int | None, last: int | None, answer: str | None, *, takes_back: bool
) -> None:
    given = AnswerGiven(
        user="ann",
        companion="extremis",
        at=1,
        conversation="cnv_1",
        message="msg_1",
        response="rsp_1",
        answer=answer,
        position=5,
        text="Yes.",
        status="completed",
        source="model",
        replaces_from=first,
        replaces_to=last,
    )
    assert given.takes_back == takes_back


def test_who_was_mentioned_behind_the_answer_is_meant_by_nobody_any_more() -> None:
    table = Sitting("coach")
    table.exchange("My sister comes on Sunday.")
    table.exchange("My friend Jack comes too.")
    table.regenerate("msg_1")
    table.piece("A fine day.")
    table.finish()
    table.land()
    table.exchange("She is allergic to nuts. He is allergic to peanuts.")
    assert table.state.talk is not None
    assert "jack" not in repr(table.state.talk.stated).lower()
    assert table.state.talk.other is None or "jack" not in table.state.talk.other.lower()
