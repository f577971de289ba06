"""The rules of a conversation: who may speak, what is written when, how a talk ends.

``step`` is a pure function of a state and an event. An actor carries its effects out and brings back what came
of them as further events, so every rule can be tested without a loop, a clock or a socket.
"""

from typing import assert_never

import msgspec
from msgspec.structs import replace

from companions import answering
from companions.changes import (
    NOTHING,
    AlertRaised,
    CloseReason,
    CommandId,
    ConversationClosed,
    Deferred,
    JobSpec,
    Landed,
    MessageSaid,
    NewConversation,
    Outcome,
    Refused,
    Repeated,
)
from companions.events import (
    Ack,
    AgainTicket,
    Alert,
    AnswerTicket,
    CancelAsked,
    CloseAsked,
    CloseTicket,
    Effect,
    Event,
    HandedTicket,
    HandOver,
    MessageSent,
    Minted,
    ModelFailed,
    ModelFinished,
    PieceCame,
    QuietTicket,
    Refuse,
    RegenerateAsked,
    Reload,
    SaidTicket,
    Save,
    Saved,
    StartTimer,
    StopTimer,
    TellClosed,
    TellDurable,
    TellMessage,
    TimerRang,
    ToolAsked,
    ToolFound,
)
from companions.handing_over import handed_over
from companions.open_answer import tool_asked, tool_found
from companions.repeats import done_command
from companions.resuming import regenerate
from companions.state import Idle, Responding, Rules, State, Step, Waiting
from companions.talk import Talk, carried, heard, without
from memory.messages import Message
from memory.titles import preview_of, title_of

MOST_CHARS = 200_000  # limits.message_chars of the wire
MOST_QUEUED = 4  # limits.queue of the wire
MOST_IN_DANGER = 12  # who may be in danger is heard behind a full queue too, within a bound of its own


def step(rules: Rules, state: State, event: Event) -> Step:
    """What follows from ``event``."""
    return handed_over(rules, state, event, _step(rules, state, event))


def _step(rules: Rules, state: State, event: Event) -> Step:
    match event:
        case MessageSent():
            return _sent(rules, state, event)
        case Saved():
            return _saved(rules, state, event)
        case CloseAsked():
            return _close_asked(rules, state, event)
        case RegenerateAsked():
            return regenerate(rules, state, event)
        case CancelAsked():
            return answering.cancelled(rules, state, event)
        case PieceCame():
            return answering.piece(rules, state, event)
        case ToolAsked():
            return tool_asked(state, event)
        case ToolFound():
            return tool_found(state, event)
        case ModelFinished():
            return answering.finished(rules, state, event)
        case ModelFailed():
            return answering.failed(rules, state, event)
        case TimerRang(timer="silence"):
            return _silence(rules, state, event)
        case TimerRang(timer="quiet" | "enough"):
            return state, []
        case TimerRang():
            return answering.rang(rules, state, event)
        case _:
            assert_never(event)


# ---------------------------------------------------------------- a message comes


def _sent(rules: Rules, state: State, event: MessageSent) -> Step:
    refused = _refused(event)
    if refused is not None:
        return state, [Refuse(re=event.command.id, code=refused)]
    reading = event.reading or rules.read(state, event.text, event.vector)
    if len(state.queue) >= (MOST_QUEUED if reading.crisis is None else MOST_IN_DANGER):
        return state, [Refuse(re=event.command.id, code="session.busy")]
    talk, begins = _talk_for(rules, state, event)
    message = Message(
        id=event.ids.message,
        role="user",
        text=event.text,
        position=talk.last_position + 1,
        at=event.at,
        context=event.context,
    )
    waiting = Waiting(message=message, reading=reading, ids=event.ids, command=event.command)
    told = replace(state, talk=heard(talk, message, reading, event.vector), title=None, reserved=None)
    effects = [*_alarm(rules, told, waiting, event.at), _say(rules, told, event.command, waiting, begins)]
    effects.append(StartTimer("silence", rules.settings.silence))
    if not isinstance(state.phase, Idle):
        return replace(told, queue=(*state.queue, waiting)), effects
    begun, more = answering.begin(rules, told, waiting, event.at)
    return begun, [*effects, *more]


def _refused(event: MessageSent) -> str | None:
    if not event.text.strip():
        return "message.empty"
    if len(event.text) > MOST_CHARS:
        return "message.too_long"
    return None


def _talk_for(rules: Rules, state: State, event: MessageSent) -> tuple[Talk, NewConversation | None]:
    """The open conversation, or the one that begins with this message."""
    if state.talk is not None:
        return state.talk, None
    begins = NewConversation(
        title=state.title or title_of(event.text),
        preview=preview_of(event.text),
        session_type=state.session_type,
        title_given=state.title is not None,
        parent_mode=rules.settings.with_parents(state.session_type),
        message_limit=rules.settings.message_limit,
    )
    conversation = state.reserved or event.ids.conversation
    talk = Talk(conversation=conversation, session_type=state.session_type, began_with=event.ids.message)
    return talk, begins


def _say(
    rules: Rules, state: State, command: CommandId, waiting: Waiting, begins: NewConversation | None
) -> Save:
    assert state.talk is not None
    message, who = waiting.message, state.who
    change = MessageSaid(
        user=who.user,
        companion=who.companion,
        at=message.at,
        session=who.session,
        command=command,
        conversation=state.talk.conversation,
        message=message.id,
        position=message.position,
        text=message.text,
        context=NOTHING if message.context is None else message.context,
        statements=msgspec.Raw(msgspec.json.encode(stated))
        if (stated := (*waiting.reading.statements, *waiting.reading.suggested))
        else NOTHING,
        begins=begins,
    )
    return Save(change, SaidTicket(command, message, state.talk.conversation), rules.ordered(state, waiting))


def _alarm(rules: Rules, state: State, waiting: Waiting, at: int) -> list[Effect]:
    """What a crisis calls for: it depends on no store and no model, and comes before everything else."""
    alarm = rules.alarm(state, waiting.message.id, waiting.reading)
    if alarm is None:
        return []
    effects: list[Effect] = [alarm.tell] if alarm.tell is not None else []
    if alarm.recipients is None or state.talk is None:
        return effects
    row = AlertRaised(
        user=state.who.user,
        companion=state.who.companion,
        at=at,
        alert=waiting.ids.alert,
        conversation=state.talk.conversation,
        message=waiting.message.id,
        category=alarm.category,
        level=alarm.level,
        recipients=alarm.recipients,
    )
    alert = Alert(
        alert=waiting.ids.alert, category=alarm.category, level=alarm.level, recipients=alarm.recipients
    )
    return [*effects, Save(row, QuietTicket()), *([alert] if alarm.recipients else [])]


# ---------------------------------------------------------------- a change has its outcome


def _saved(rules: Rules, state: State, event: Saved) -> Step:
    match event.ticket:
        case SaidTicket() as said:
            return _said(rules, state, said, event.outcome, event.at)
        case AgainTicket(re=re, message=message):
            return _landed_since(state, re, message, event.outcome)
        case AnswerTicket() as answer:
            return answering.landed(rules, state, answer, event.outcome, event.at)
        case CloseTicket():
            return _closed(state, event.ticket, event.outcome)
        case HandedTicket(conversation=conversation):
            return state, [HandOver(conversation)] if isinstance(event.outcome, Landed) else []
        case QuietTicket():
            return state, []
        case _:
            assert_never(event.ticket)


def _said(rules: Rules, state: State, said: SaidTicket, outcome: Outcome, at: int) -> Step:
    match outcome:
        case Landed():
            return _told(rules, state, said, at)
        case Repeated(message=said.message.id):  # it had landed when the store seemed to fail
            return _told(rules, state, said, at)
        case Repeated(message=message, conversation=conversation):
            ack = Ack(re=said.command.id, message=message, conversation=conversation, durable=True)
            state, effects = _unsaid(rules, state, said)
            return state, [ack, *effects]
        case Refused(code=code):
            state, effects = _unsaid(rules, state, said)
            return state, [Refuse(re=said.command.id, code=code), *effects]
        case Deferred(code=code):
            return _waits(rules, state, said, code, at)
        case _:
            assert_never(outcome)


def _told(rules: Rules, state: State, said: SaidTicket, at: int) -> Step:
    """The message is durable: say so, and let the answer be seen."""
    message = said.message
    if state.talk is not None and state.talk.began_with == message.id:
        state = replace(state, talk=replace(state.talk, began_with=None))
    if message.id in state.late:
        return replace(state, late=state.late - {message.id}), [TellDurable(messages=(message.id,))]
    effects: list[Effect] = [
        Ack(re=said.command.id, message=message.id, conversation=said.conversation, durable=True),
        TellMessage(message, said.conversation),
    ]
    queue = tuple(replace(each, told=True) if each.message.id == message.id else each for each in state.queue)
    state = replace(state, queue=queue)
    if isinstance(state.phase, Responding) and state.phase.waiting.message.id == message.id:
        state, more = answering.message_told(rules, state, state.phase, at)
        effects.extend(more)
    return state, effects


def _waits(rules: Rules, state: State, said: SaidTicket, code: str, at: int) -> Step:
    """The store refuses for now: the companion answers as usual, and says later that it has landed (D2)."""
    if said.message.id in state.late:
        return state, []
    ack = Ack(
        re=said.command.id,
        message=said.message.id,
        conversation=said.conversation,
        durable=False,
        reason=code,
    )
    told = TellMessage(said.message, said.conversation)
    queue = tuple(
        replace(each, told=True) if each.message.id == said.message.id else each for each in state.queue
    )
    state = replace(state, queue=queue, late=state.late | {said.message.id})
    if isinstance(state.phase, Responding) and state.phase.waiting.message.id == said.message.id:
        state, more = answering.message_told(rules, state, state.phase, at)
        return state, [ack, told, *more]
    return state, [ack, told]


def _landed_since(state: State, re: str, message: str, outcome: Outcome) -> Step:
    """A message of before that had not landed when it was sent again."""
    if isinstance(outcome, Deferred):
        return state, []
    state = replace(state, late=state.late - {message})
    if isinstance(outcome, Refused):
        return state, [Refuse(re=re, code=outcome.code)]
    return state, [TellDurable(messages=(message,))]


def _unsaid(rules: Rules, state: State, said: SaidTicket) -> Step:
    """The message was not taken: forget it, and do not answer it; an answer that was begun is ended."""
    talk = state.talk
    effects: list[Effect] = []
    if talk is not None and talk.conversation == said.conversation:
        fresh = talk.began_with == said.message.id
        state = replace(state, talk=None if fresh else without(talk, [said.message.id]))
        effects.extend([] if fresh else [Reload(said.conversation)])
    queue = tuple(each for each in state.queue if each.message.id != said.message.id)
    state = replace(state, queue=queue, late=state.late - {said.message.id})
    if isinstance(state.phase, Responding) and state.phase.waiting.message.id == said.message.id:
        effects[:0] = answering.broken_off(state.phase, said.conversation)
        state, more = answering.next_turn(rules, replace(state, phase=Idle()), said.message.at)
        effects.extend(more)
    return state, effects


# ---------------------------------------------------------------- a conversation ends


def _close_asked(rules: Rules, state: State, event: CloseAsked) -> Step:
    if state.talk is None or event.conversation not in (None, state.talk.conversation):
        refused = Refuse(re=event.re.id, code="conversation.unknown") if event.re is not None else None
        return state, [refused] if refused is not None else []
    return close(rules, state, re=event.re, reason=event.reason, ids=event.ids, at=event.at)


def close(
    rules: Rules, state: State, *, re: CommandId | None, reason: CloseReason, ids: Minted, at: int
) -> Step:
    """End the open conversation: the open answer is kept as far as it was shown, jobs are handed over."""
    talk = state.talk
    if talk is None:
        return state, []
    state, effects = answering.cut(rules, state, "cancelled" if reason == "asked" else "interrupted", at)
    assert state.talk is not None
    parents = rules.settings.with_parents(state.talk.session_type)
    jobs = tuple(
        JobSpec(id=job, kind=kind, first=1, last=state.talk.last_position, rest=kind == "facts")
        for job, kind in zip(ids.jobs, rules.settings.jobs_after(parents=parents), strict=False)
    )
    change = ConversationClosed(
        user=state.who.user,
        companion=state.who.companion,
        at=at,
        conversation=talk.conversation,
        reason=reason,
        jobs=jobs,
    )
    ticket = CloseTicket(re=re.id if re is not None else None, conversation=talk.conversation, reason=reason)
    also = done_command(change, re, {"conversation": talk.conversation})
    stated = state.remembered.stated if parents else carried(state.remembered.stated, state.talk)
    remembered = replace(state.remembered, stated=stated)
    state = replace(state, talk=None, phase=Idle(), queue=(), remembered=remembered)
    return state, [*effects, Save(change, ticket, also), StopTimer("silence")]


def _closed(state: State, ticket: CloseTicket, outcome: Outcome) -> Step:
    """Who asked for the end hears at once that it waits, where it does; that it is over is told when it has landed."""
    re, conversation = ticket.re, ticket.conversation
    result = {"conversation": conversation}
    if isinstance(outcome, Deferred):
        late = Ack(re=re, result=result, durable=False, reason=outcome.code) if re is not None else None
        return replace(state, late=state.late | {conversation}), [late] if late is not None else []
    waited = conversation in state.late
    state = replace(state, late=state.late - {conversation})
    if isinstance(outcome, Refused):
        return state, [Refuse(re=re, code=outcome.code)] if re is not None else []
    told: list[Effect] = [
        TellClosed(conversation=conversation, reason=ticket.reason),
        HandOver(conversation),
    ]
    if re is not None and not waited:
        told.insert(0, Ack(re=re, result=result))
    return state, told


def _silence(rules: Rules, state: State, event: TimerRang) -> Step:
    if not isinstance(state.phase, Idle):
        return state, [StartTimer("silence", rules.settings.silence)]
    return close(rules, state, re=None, reason="silence", ids=event.ids, at=event.at)
