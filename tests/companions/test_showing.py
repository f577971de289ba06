"""What is shown and when: help first, at the companion's pace, checked, and whole again after a crash."""

from msgspec.structs import replace

from companions.changes import AnswerGiven, Refused
from companions.events import (
    Alert,
    AskModel,
    PieceCame,
    SendDelta,
    StartTimer,
    StopModel,
    TellDone,
    TellHidden,
    TellMessage,
    TellSafety,
    TellStarted,
)
from companions.resuming import resumed
from companions.speech import Manner
from companions.state import Alarm
from tests.companions.scenes import ScriptedRules, Table, with_settings
from tests.companions.test_conversation import changes, kinds


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
