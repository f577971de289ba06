"""What an answer leaves behind: its message, its row, and the talk as it goes on from there.

Everything an answer produced is one change; the rules of answering decide when it is made.
"""

import msgspec
from msgspec.structs import replace

from companions.changes import (
    NOTHING,
    AnswerCheckpointed,
    AnswerGiven,
    NarrativeUse,
    RepetitionRow,
)
from companions.events import (
    AnswerTicket,
    Effect,
    QuietTicket,
    Reload,
    Save,
    TellStands,
)
from companions.state import Plan, Responding, Rules, State, Waiting
from companions.talk import Talk, answered, emotion_row, replaced
from memory.messages import Message, Status


def checkpoint(state: State, phase: Responding, at: int) -> Effect:
    """The open answer so far, as it is written down now and then."""
    assert state.talk is not None
    change = AnswerCheckpointed(
        user=state.who.user,
        companion=state.who.companion,
        at=at,
        conversation=state.talk.conversation,
        message=phase.waiting.message.id,
        response=phase.response,
        answer=phase.waiting.ids.answer,
        text=phase.sent,
    )
    return Save(change, QuietTicket())


def answer_message(state: State, phase: Responding, status: Status, at: int) -> Message:
    """The answer as a message."""
    assert state.talk is not None
    narrative = phase.plan.narrative
    return Message(
        id=phase.waiting.ids.answer,
        role="assistant",
        text=phase.sent,
        position=state.talk.last_position + 1,
        at=at,
        status=status,
        source=phase.source,
        answers=phase.waiting.message.id,
        response=phase.response,
        intent=phase.plan.intent,
        narrative=narrative.narrative if narrative is not None else None,
    )


def talk_after(rules: Rules, state: State, phase: Responding, message: Message | None) -> Talk:
    """The talk with the answer in it, and without what the answer replaces."""
    talk = state.talk
    assert talk is not None
    hidden = phase.waiting.hides(talk)
    talk = replaced(talk, hidden)
    if message is None:
        return talk
    if hidden:
        talk = replace(talk, revision=talk.revision + 1)
    narrative = phase.plan.narrative
    named = (*phase.plan.anchors, *rules.anchors(message.text))
    return answered(talk, message, anchors=named, narrative=narrative.narrative if narrative else None)


def given(state: State, phase: Responding, message: Message | None, status: Status, at: int) -> AnswerGiven:
    """Everything the answer produced, as one change."""
    assert state.talk is not None
    waiting, plan = phase.waiting, phase.plan
    fresh = waiting.hides_from is None or bool(waiting.begun)  # a crash left no rows about the message
    return AnswerGiven(
        user=state.who.user,
        companion=state.who.companion,
        at=at,
        conversation=state.talk.conversation,
        message=waiting.message.id,
        response=phase.response,
        answer=message.id if message is not None else None,
        position=message.position if message is not None else None,
        text=message.text if message is not None else "",
        status=status,
        source=phase.source,
        intent=plan.intent,
        narrative=plan.narrative if message is not None else None,
        emotion=emotion_row(waiting.message.id, waiting.reading) if fresh else None,
        repetition=_repetition(waiting, plan) if fresh else None,
        anchors=plan.anchors,
        processing_ms=max(0, at - phase.began_ms),
        prompt_tokens=phase.prompt_tokens,
        completion_tokens=phase.completion_tokens,
        tool_calls=msgspec.Raw(msgspec.json.encode(phase.calls)) if phase.calls else NOTHING,
        replaces_from=waiting.hides_from,
        replaces_to=waiting.hides_to if waiting.hides_from is not None else None,
        memories=plan.memories if phase.source == "model" else (),  # its own words draw on none
    )


def _repetition(waiting: Waiting, plan: Plan) -> RepetitionRow:
    reading = waiting.reading
    narrative: NarrativeUse | None = plan.narrative
    return RepetitionRow(
        message=waiting.message.id,
        fingerprint=reading.question.fingerprint,
        question_type=reading.question.type,
        question_object=reading.question.object,
        repeat_of=reading.repeat_of,
        repeat_count=reading.repeat_count,
        response_given=narrative.narrative if narrative is not None else waiting.ids.answer,
    )


def stands_again(ticket: AnswerTicket) -> list[Effect]:
    """The answer was refused: what it should have replaced was not deleted, and is shown again."""
    old = ticket.done.conversation
    return [Reload(old), TellStands(conversation=old)] if ticket.replaces else []
