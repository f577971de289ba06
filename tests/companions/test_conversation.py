"""The rules of a conversation, one step after the other, without a loop or a clock."""

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from companions.changes import AnswerGiven, Change, ConversationClosed, MessageSaid, Refused, Repeated
from companions.events import (
    Ack,
    Alert,
    AskModel,
    Effect,
    HandOver,
    PieceCame,
    Refuse,
    Save,
    SendDelta,
    StartTimer,
    StopModel,
    TellClosed,
    TellDone,
    TellDurable,
    TellHidden,
    TellMessage,
    TellSafety,
    TellStarted,
)
from companions.resuming import resumed
from companions.speech import Manner
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


def test_a_crisis_shows_help_before_everything_and_raises_its_alert() -> None:
    tell = TellSafety(message="msg_1", category="self_harm", severity=3, say="Help is here.", resources=())
    alarm = Alarm(tell=tell, level=3, category="self_harm", recipients=("caregiver",))
    table = Table(ScriptedRules(alarm=alarm, speaks=False, own_source="safety"))
    effects = table.say("I want to kill myself")
    assert effects[0] == tell
    assert any(isinstance(effect, Alert) for effect in effects)
    assert not any(isinstance(effect, AskModel) for effect in effects)
    table.land()
    table.land()
    assert table.done.source == "safety"


def test_a_crisis_is_shown_also_when_the_store_refuses() -> None:
    tell = TellSafety(message="msg_1", category="self_harm", severity=3, say="Help is here.", resources=())
    alarm = Alarm(tell=tell, level=3, category="self_harm", recipients=None)
    table = Table(ScriptedRules(alarm=alarm))
    table.say("I want to kill myself")
    table.land(Refused("storage.read_only"))
    assert table.effects[0] == tell


def test_sentences_come_at_the_companions_pace_and_none_is_lost() -> None:
    table = Table(with_settings(words_per_second=2.0))
    rules = table.rules
    rules.manner = Manner(guarded=True)
    table.say("hello")
    table.land()
    table.piece("One two three four. Five six. ")
    assert table.shown == "One two three four."
    assert StartTimer("pace", 2.0) in table.effects
    table.finish()
    table.ring("pace")
    assert table.shown == "One two three four. Five six."
    table.land()
    assert table.done.text == table.shown


def test_the_open_answer_is_written_down_now_and_then() -> None:
    table = Table()
    table.say("hello")
    table.land()
    table.piece("Good")
    assert StartTimer("checkpoint", 2.0) in table.effects
    effects = table.ring("checkpoint")
    assert kinds(effects) == ["Save", "StartTimer"]


def test_a_violation_closes_the_stream_and_goes_on_from_what_was_shown() -> None:
    def judge(_shown: str, part: str) -> str | None:
        return "" if "asked" in part else None

    table = Table(ScriptedRules(manner=Manner(guarded=True), judge=judge))
    table.say("where am I?")
    table.land()
    effects = table.piece("You are at home. You asked me that before. ")
    assert any(isinstance(effect, StopModel) for effect in effects)
    again = [effect for effect in effects if isinstance(effect, AskModel)]
    assert again[0].attempt == 2
    assert again[0].prompt.messages[-1].text == "You are at home."
    table.piece(" It is warm here.")
    table.finish()
    table.land()
    assert table.done.text == "You are at home. It is warm here."


def test_a_second_violation_closes_with_a_safe_sentence() -> None:
    def judge(_shown: str, part: str) -> str | None:
        return "" if "asked" in part else None

    table = Table(ScriptedRules(manner=Manner(guarded=True), judge=judge))
    table.say("where am I?")
    table.land()
    table.piece("You are at home. You asked before. ")
    table.piece(" As I said, you asked. ")
    table.land()
    assert table.done.text == "You are at home. I am glad you are here."
    assert all("asked" not in change.text for change in changes(table, AnswerGiven))


def test_late_pieces_of_a_stopped_stream_are_not_taken_for_the_new_one() -> None:
    def judge(_shown: str, part: str) -> str | None:
        return "" if "asked" in part else None

    table = Table(ScriptedRules(manner=Manner(guarded=True), judge=judge))
    table.say("where am I?")
    table.land()
    first = table.ask()
    table.piece("You asked before. ")
    table.play(PieceCame(response=first.response, attempt=first.attempt, text="Old words. ", at=table.now))
    assert "Old words" not in table.shown


def test_every_answer_that_starts_ends_exactly_once() -> None:
    table = Table()
    for number in range(3):
        table.talk(f"message {number}")
    started = [effect.response for effect in table.effects if isinstance(effect, TellStarted)]
    ended = [effect.response for effect in table.effects if isinstance(effect, TellDone)]
    assert len(started) == 3
    assert ended == started
    assert sum(isinstance(effect, SendDelta) for effect in table.effects) == 3
    assert sum(isinstance(effect, TellMessage) for effect in table.effects) == 6


def test_an_answer_that_a_crash_cut_goes_on_from_what_was_shown_where_the_policy_says_so() -> None:
    table = Table(with_settings(answers_after_crash=True))
    table.talk("where am I?", "You are at home. ")
    assert table.state.talk is not None
    cut = replace(table.state.talk.messages[-1], status="interrupted")
    messages = (*table.state.talk.messages[:-1], cut)
    table.state = replace(table.state, talk=replace(table.state.talk, messages=messages))
    table.state, effects = resumed(table.rules, table.state, table.mint(), table.now)
    table.effects = list(effects)
    assert TellHidden(conversation="cnv_1", position=2) in effects
    assert table.shown == "You are at home. "
    assert table.ask().prompt.messages[-1].text == "You are at home."
    table.piece("It is warm here.")
    table.finish()
    given = changes(table, AnswerGiven)[-1]
    assert given.text == "You are at home. It is warm here."
    assert (given.replaces_from, given.replaces_to) == (2, 2)


def test_an_answer_that_a_crash_cut_is_left_alone_where_the_page_offers() -> None:
    table = Table()
    table.talk("where am I?", "You are at home. ")
    assert table.state.talk is not None
    cut = replace(table.state.talk.messages[-1], status="interrupted")
    table.state = replace(
        table.state, talk=replace(table.state.talk, messages=(*table.state.talk.messages[:-1], cut))
    )
    _, effects = resumed(table.rules, table.state, table.mint(), table.now)
    assert effects == [StartTimer("silence", 1_800.0)]
