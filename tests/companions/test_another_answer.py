"""Another answer to the same message: it takes the old one's place when it has landed, and not before."""

from companions.changes import AnswerGiven, Refused
from companions.events import (
    Refuse,
    TellHidden,
)
from tests.companions.scenes import Table, with_settings
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
