"""The rules of a conversation while what was said waits for the store."""

from companions.changes import Deferred, Landed, Refused
from companions.events import (
    Ack,
    HandOver,
    Saved,
    TellClosed,
    TellDone,
    TellDurable,
    TellMessage,
    TellStarted,
)
from companions.state import Idle
from tests.companions.scenes import Table


def test_what_is_told_while_the_store_takes_its_time_is_told_in_the_order_of_its_places() -> None:
    """Messages that wait for their answers stand in front of the answer that is told before any of it has landed."""
    table = Table()
    table.say("hello")
    table.say("are you there?")
    table.ring("landing")
    table.piece("Good morning.")
    table.finish()
    table.ring("landing")
    told = [effect.message.position for effect in table.effects if isinstance(effect, TellMessage)]
    assert told == [1, 2, 3]
    acks = [(each.re, each.durable) for each in table.effects if isinstance(each, Ack)]
    assert acks == [("c1", False), ("c2", False)]
    table.land()
    durable = [each.messages or each.responses for each in table.effects if isinstance(each, TellDurable)]
    assert durable == [("msg_1",), ("msg_2",), ("rsp_1",)]
    assert not table.state.late


def test_a_message_that_is_refused_after_its_answer_began_has_the_end_of_its_answer() -> None:
    table = Table()
    table.say("hello")
    said = table.held[0].ticket
    table.play(Saved(ticket=said, outcome=Deferred("storage.full"), at=table.now))
    table.piece("Good morning.")
    assert any(isinstance(effect, TellStarted) for effect in table.effects)
    table.play(Saved(ticket=said, outcome=Refused("state.conflict"), at=table.now))
    (done,) = (effect for effect in table.effects if isinstance(effect, TellDone))
    assert (done.response, done.status, done.durable, done.answer) == ("rsp_1", "failed", False, None)
    assert done.text == table.shown
    assert isinstance(table.state.phase, Idle)


def test_a_message_that_is_refused_before_its_ack_has_no_answer_to_end() -> None:
    table = Table()
    table.say("hello")
    table.piece("Good morning.")
    table.land(Refused("state.conflict"))
    assert not any(isinstance(effect, TellStarted | TellDone) for effect in table.effects)


def test_a_close_that_waits_is_answered_at_once_and_told_once_when_it_has_landed() -> None:
    table = Table()
    table.say("hello")
    table.land()
    table.piece("Good morning.")
    table.close()
    answer, close = (each.ticket for each in table.held)
    for ticket in (answer, close):
        table.play(Saved(ticket=ticket, outcome=Deferred("storage.full"), at=table.now))
    (done,) = (effect for effect in table.effects if isinstance(effect, TellDone))
    assert (done.status, done.durable) == ("cancelled", False)
    named = {"conversation": "cnv_1"}
    acks = [each for each in table.effects if isinstance(each, Ack) and each.result is not None]
    assert acks == [Ack(re="close", result=named, durable=False, reason="storage.full")]
    assert not any(isinstance(effect, TellClosed) for effect in table.effects)
    table.effects.clear()
    for ticket in (answer, close):
        table.play(Saved(ticket=ticket, outcome=Landed(), at=table.now))
    assert table.effects == [
        TellDurable(responses=(done.response,)),
        TellClosed(conversation="cnv_1", reason="asked"),
        HandOver("cnv_1"),
    ]
    assert not table.state.late
