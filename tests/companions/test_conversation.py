"""The rules of a conversation, one step after the other, without a loop or a clock."""

from collections.abc import Sequence
from typing import TypeVar

from companions.changes import (
    AnswerGiven,
    Change,
    ConversationClosed,
    Deferred,
    MessageSaid,
    Refused,
    Repeated,
)
from companions.events import (
    Ack,
    AskModel,
    Effect,
    HandOver,
    Refuse,
    Reload,
    Save,
    Saved,
    StopModel,
    TellClosed,
    TellDurable,
    TellSafety,
)
from companions.state import Alarm, Idle
from tests.companions.scenes import ScriptedRules, Table, with_settings

C = TypeVar("C", bound=Change)


def kinds(effects: Sequence[Effect]) -> list[str]:
    return [type(effect).__name__ for effect in effects]


def changes(table: Table, kind: type[C]) -> list[C]:
    return [
        effect.change
        for effect in table.effects
        if isinstance(effect, Save) and isinstance(effect.change, kind)
    ]


def test_the_model_starts_while_the_message_is_committed_and_no_word_shows_before_the_ack() -> None:
    table = Table()
    effects = table.say("hello")
    assert any(isinstance(effect, AskModel) for effect in effects)
    table.piece("Good morning.")
    assert table.shown == ""
    table.land()
    assert table.shown == "Good morning."
    names = kinds(table.effects)
    assert (
        names.index("Ack")
        < names.index("TellMessage")
        < names.index("TellStarted")
        < names.index("SendDelta")
    )


def test_the_first_message_begins_the_conversation_in_its_own_transaction() -> None:
    table = Table()
    assert table.state.talk is None
    table.say("What a lovely day it is")
    said = changes(table, MessageSaid)[0]
    assert said.begins is not None
    assert said.begins.title == "What a lovely day it is"
    assert said.position == 1


def test_the_end_of_an_answer_is_told_after_it_has_landed() -> None:
    table = Table()
    table.say("hello")
    table.land()
    table.piece("Good morning.")
    table.finish()
    assert "TellDone" not in kinds(table.effects)
    table.land()
    assert kinds(table.effects)[-3:] == ["TellMessage", "TellDone", "StartTimer"]
    assert table.done.text == "Good morning."
    assert table.done.answer == "ans_1"


def test_a_stopped_answer_keeps_what_was_shown_and_closes_the_upstream() -> None:
    table = Table()
    table.say("count for me")
    table.land()
    table.piece("one, two")
    effects = table.cancel()
    assert any(isinstance(effect, StopModel) for effect in effects)
    table.land()
    assert (table.done.status, table.done.text) == ("cancelled", "one, two")
    table.piece(", three")
    assert table.shown == "one, two"


def test_stopping_when_nothing_is_open_says_so() -> None:
    table = Table()
    effects = table.cancel()
    assert effects == [Ack(re="stop", result={"response": None})]


def test_stopping_another_response_than_the_open_one_changes_nothing() -> None:
    table = Table()
    table.say("hello")
    table.land()
    table.piece("Good")
    table.cancel("rsp_other")
    table.piece(" morning.")
    assert table.shown == "Good morning."


def test_a_stop_before_the_ack_takes_effect_with_it() -> None:
    table = Table()
    table.say("hello")
    table.piece("Good morning.")
    table.cancel()
    table.land()
    assert table.shown == ""
    assert table.done.status == "cancelled"
    assert table.done.answer is None
    assert isinstance(table.state.phase, Idle)


def test_messages_that_come_during_an_answer_are_stored_at_once_and_answered_in_turn() -> None:
    table = Table()
    table.say("first")
    table.land()
    table.say("second")
    table.say("third")
    acks = [effect.message for effect in table.effects if isinstance(effect, Ack)]
    assert acks == ["msg_1"]
    table.land()
    assert [effect.message for effect in table.effects if isinstance(effect, Ack)] == [
        "msg_1",
        "msg_2",
        "msg_3",
    ]
    for answer in ("to first", "to second", "to third"):
        table.piece(answer)
        table.finish()
        table.land()
    assert table.shown == "to firstto secondto third"
    given = [change.message for change in changes(table, AnswerGiven)]
    assert given == ["msg_1", "msg_2", "msg_3"]


def test_positions_have_no_gap_whatever_the_order_of_messages_and_answers() -> None:
    table = Table()
    table.say("first")
    table.say("second")
    table.land()
    for _ in range(2):
        table.piece("yes")
        table.finish()
        table.land()
    said = [change.position for change in changes(table, MessageSaid)]
    given = [change.position for change in changes(table, AnswerGiven)]
    assert sorted([*said, *(position for position in given if position is not None)]) == [1, 2, 3, 4]


def test_more_than_four_waiting_are_refused() -> None:
    table = Table()
    table.say("one")
    for text in ("two", "three", "four", "five"):
        table.say(text)
    effects = table.say("six")
    assert effects == [Refuse(re="c6", code="session.busy")]


def test_somebody_in_danger_is_heard_behind_a_full_queue_within_a_bound() -> None:
    tell = TellSafety(message="", category="medical", severity=3, say="You are safe.", resources=())
    alarm = Alarm(tell=tell, level=3, category="medical", recipients=("caregiver",))
    table = Table(ScriptedRules(alarm=alarm))
    for text in ("one", "two", "three", "four", "five"):
        table.say(text)
    effects = table.say("I have fallen and cannot get up.")
    assert {"TellSafety", "Alert"} <= set(kinds(effects))
    assert not any(isinstance(effect, Refuse) for effect in effects)
    assert table.say("six") == [Refuse(re="c7", code="session.busy")]
    further = [table.say("I have fallen and cannot get up.") for _ in range(8)]
    assert [kinds(effects) == ["Refuse"] for effects in further] == [False] * 7 + [True]


def test_a_refused_message_is_forgotten_and_not_answered() -> None:
    table = Table()
    table.say("hello")
    table.land(Refused("storage.full"))
    assert Refuse(re="c1", code="storage.full") in table.effects
    assert any(isinstance(effect, StopModel) for effect in table.effects)
    assert table.state.talk is None
    assert isinstance(table.state.phase, Idle)
    assert table.shown == ""


def test_a_repeated_message_gets_the_first_ack_and_no_second_answer() -> None:
    table = Table()
    table.say("hello")
    table.land(Repeated("msg_old", "cnv_old"))
    assert Ack(re="c1", message="msg_old", conversation="cnv_old", durable=True) in table.effects
    assert table.shown == ""


def test_a_message_that_had_landed_when_the_store_seemed_to_fail_stays_where_it_is() -> None:
    table = Table()
    table.say("hello")
    said = table.held[0].ticket
    table.play(Saved(ticket=said, outcome=Deferred("storage.failed"), at=table.now))
    table.piece("Good morning.")
    before = table.state.talk
    table.play(Saved(ticket=said, outcome=Repeated("msg_1", "cnv_1"), at=table.now))
    assert TellDurable(messages=("msg_1",)) in table.effects
    assert table.state.talk is not None
    assert before is not None
    assert table.state.talk.messages == before.messages
    assert not any(isinstance(effect, Reload | StopModel) for effect in table.effects)


def test_a_slow_store_does_not_silence_the_companion() -> None:
    table = Table()
    table.say("hello")
    table.piece("Good morning.")
    table.ring("landing")
    ack = next(effect for effect in table.effects if isinstance(effect, Ack))
    assert (ack.durable, ack.reason) == (False, "storage.busy")
    assert table.shown == "Good morning."
    table.land()
    assert TellDurable(messages=("msg_1",)) in table.effects


def test_an_answer_that_lands_late_is_told_as_not_durable_and_then_as_durable() -> None:
    table = Table()
    table.say("hello")
    table.land()
    table.piece("Good morning.")
    table.finish()
    table.ring("landing")
    assert not table.done.durable
    table.land()
    assert TellDurable(responses=("rsp_1",)) in table.effects


def test_a_model_that_fails_before_a_word_gives_way_to_the_companions_own_words() -> None:
    table = Table()
    table.say("hello")
    table.land()
    table.fail("unreachable")
    table.land()
    assert (table.done.status, table.done.source) == ("completed", "fallback")
    assert table.shown == "I am here with you. Take all the time you like."


def test_a_model_that_breaks_in_the_middle_keeps_its_part() -> None:
    table = Table()
    table.say("hello")
    table.land()
    table.piece("Once upon a")
    table.fail("stalled")
    table.land()
    assert (table.done.status, table.done.text) == ("failed", "Once upon a")


def test_a_model_that_says_nothing_gives_way() -> None:
    table = Table()
    table.say("hello")
    table.land()
    table.piece("  \n")
    table.finish()
    table.land()
    assert table.done.source == "fallback"


def test_patience_ends_and_a_late_model_is_stopped() -> None:
    table = Table(with_settings(patience=5.0))
    table.say("hello")
    table.land()
    effects = table.ring("patience")
    assert any(isinstance(effect, StopModel) for effect in effects)
    table.land()
    assert table.done.source == "fallback"
    table.piece("too late")
    assert "too late" not in table.shown


def test_patience_does_not_end_an_answer_that_has_begun() -> None:
    table = Table(with_settings(patience=5.0))
    table.say("hello")
    table.land()
    table.piece("Good ")
    table.ring("patience")
    table.piece("morning.")
    assert table.shown == "Good morning."


def test_a_close_ends_the_open_answer_keeps_its_text_and_hands_over_once() -> None:
    table = Table()
    table.say("hello")
    table.land()
    table.piece("Good")
    table.close()
    table.land()
    closed = changes(table, ConversationClosed)
    assert len(closed) == 1
    assert table.done.text == "Good"
    assert [effect for effect in table.effects if isinstance(effect, HandOver)] == [HandOver("cnv_1")]
    assert TellClosed(conversation="cnv_1", reason="asked") in table.effects


def test_a_close_leaves_queued_messages_stored_and_unanswered() -> None:
    table = Table()
    table.say("first")
    table.say("second")
    table.land()
    table.close()
    table.land()
    assert len(changes(table, MessageSaid)) == 2
    assert table.rules.planned == ["first"]


def test_after_an_end_the_next_message_begins_a_new_conversation() -> None:
    table = Table()
    table.talk("hello")
    table.close()
    table.land()
    table.say("hello again")
    said = changes(table, MessageSaid)[-1]
    assert said.begins is not None
    assert said.position == 1


def test_silence_ends_a_conversation_but_never_an_open_answer() -> None:
    table = Table()
    table.say("hello")
    table.land()
    table.ring("silence")
    assert not changes(table, ConversationClosed)
    table.piece("Good morning.")
    table.finish()
    table.land()
    table.ring("silence")
    table.land()
    assert TellClosed(conversation="cnv_1", reason="silence") in table.effects


def test_silence_and_a_close_that_race_close_once() -> None:
    table = Table()
    table.talk("hello")
    table.ring("silence")
    table.close()
    table.ring("silence")
    table.land()
    assert len(changes(table, ConversationClosed)) == 1
