"""The rules of one answer, from the first word of the model to the row in the store.

Words the model sends are cleaned and, for a companion with rules for its answers, checked sentence by sentence;
what may be shown waits until the person's message has landed and for the companion's pace. A model that fails,
stalls or breaks a rule gives way to the companion's own words.
"""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from companions.changes import Deferred, Outcome, Refused
from companions.events import (
    Ack,
    AnswerTicket,
    AskModel,
    CancelAsked,
    Effect,
    ModelFailed,
    ModelFinished,
    PieceCame,
    Save,
    SendDelta,
    StartTimer,
    StopModel,
    StopTimer,
    TellDone,
    TellDurable,
    TellMessage,
    TellNotice,
    TellStands,
    TellStarted,
    TimerRang,
)
from companions.late import queue_told, told_before_it_landed
from companions.leaving import answer_message, checkpoint, given, stands_again, talk_after
from companions.open_answer import open_phase
from companions.repeats import done_command
from companions.speech import Heard, Speech, end, hear, hold_over
from companions.state import Idle, Landing, Responding, Rules, State, Step, Waiting
from companions.wording import as_parts, ends_sentence, from_shown, gap
from memory.messages import Status
from memory.text import words

MOST_ATTEMPTS: Final = 2  # design: one regeneration, then a safe sentence


def begin(rules: Rules, state: State, waiting: Waiting, at: int) -> Step:
    """Answer ``waiting``: the model starts while the message is still being committed."""
    assert state.talk is not None
    plan = rules.plan(state, waiting)
    begun = f"{waiting.begun}{gap(waiting.begun)}"
    phase = Responding(
        waiting=waiting,
        plan=plan,
        response=waiting.ids.response,
        speech=Speech(shown=begun, begun=bool(begun)),
        ready=(begun,) if begun else (),
        began_ms=at,
    )
    effects: list[Effect] = [plan.report] if plan.report is not None else []
    if plan.say is not None:
        effects.append(TellNotice(code="message.shortened", say=plan.say))
    if waiting.told:
        effects.append(_started(state, phase))
    else:
        effects.append(StartTimer("landing", rules.settings.landing))
    if plan.prompt is None:
        return _own_words(rules, state, phase, effects, at)
    effects.append(AskModel(phase.response, phase.attempts, from_shown(plan.prompt, begun, plan.going_on)))
    if rules.settings.patience is not None:
        effects.append(StartTimer("patience", rules.settings.patience))
    return _show(rules, state, phase, effects, at) if begun else (replace(state, phase=phase), effects)


def message_told(rules: Rules, state: State, phase: Responding, at: int) -> Step:
    """The person's message has its ack: what is ready may be shown."""
    phase = replace(phase, waiting=replace(phase.waiting, told=True))
    return _show(rules, state, phase, [StopTimer("landing"), _started(state, phase)], at)


def _started(state: State, phase: Responding) -> TellStarted:
    assert state.talk is not None
    return TellStarted(
        response=phase.response, message=phase.waiting.message.id, conversation=state.talk.conversation
    )


# ---------------------------------------------------------------- words come


def piece(rules: Rules, state: State, event: PieceCame) -> Step:
    """The model said more."""
    phase = open_phase(state, event)
    if phase is None:
        return state, []
    heard = hear(phase.speech, event.text, phase.plan.manner, phase.plan.judge)
    return _heard(rules, state, phase, heard, [], event.at)


def _heard(
    rules: Rules, state: State, phase: Responding, heard: Heard, effects: list[Effect], at: int
) -> Step:
    """What was released is shown; an answer that broke a rule is mended."""
    first = not phase.speech.shown and bool(heard.released)
    phase = replace(phase, speech=heard.speech, ready=(*phase.ready, *heard.released))
    if first:
        effects = [*effects, StopTimer("patience"), StartTimer("checkpoint", rules.settings.checkpoint)]
    match heard.verdict:
        case "open":
            return _show(rules, state, _hold(rules, phase, effects), effects, at)
        case "over":
            effects.append(StopModel(phase.response))
            if not phase.speech.shown.strip():  # it began with another's words
                return _own_words(rules, state, phase, effects, at)
            return _model_over(rules, state, phase, effects, "completed", at)
        case "violation":
            effects.append(StopModel(phase.response))
            return _mend(rules, state, phase, effects, at)
        case "not_speech":
            effects.append(StopModel(phase.response))
            return _own_words(rules, state, phase, effects, at)


def _hold(rules: Rules, phase: Responding, effects: list[Effect]) -> Responding:
    """Held words must not wait for ever: a timer cuts them at a clause."""
    held = bool(phase.speech.held.strip()) and phase.plan.manner.guarded
    if held and not phase.holding:
        effects.append(StartTimer("hold", rules.settings.hold))
        return replace(phase, holding=True)
    if not held and phase.holding:
        effects.append(StopTimer("hold"))
        return replace(phase, holding=False)
    return phase


def _mend(rules: Rules, state: State, phase: Responding, effects: list[Effect], at: int) -> Step:
    """A sentence broke a rule (D18): go on once from what was shown, else close with a safe sentence."""
    prompt = phase.plan.prompt
    if phase.attempts < MOST_ATTEMPTS and prompt is not None:
        shown = phase.speech.shown
        speech = replace(phase.speech, held="", begun=bool(shown), set_off=bool(gap(shown)))
        phase = replace(phase, attempts=phase.attempts + 1, speech=speech)
        asked = AskModel(
            phase.response, phase.attempts, from_shown(prompt, speech.shown, phase.plan.going_on)
        )
        return _show(rules, state, phase, [*effects, asked], at)
    if not phase.speech.shown.strip():
        return _own_words(rules, state, phase, effects, at)
    closing = phase.plan.closing
    if closing:
        joined = f"{gap(phase.speech.shown)}{closing}"
        speech = replace(phase.speech, shown=phase.speech.shown + joined)
        phase = replace(phase, ready=(*phase.ready, joined), speech=speech)
    return _model_over(rules, state, phase, effects, "completed", at)


def finished(rules: Rules, state: State, event: ModelFinished) -> Step:
    """The model is done: look at what it left."""
    phase = open_phase(state, event)
    if phase is None:
        return state, []
    phase = replace(
        phase,
        took_ms=event.took_ms,
        prompt_tokens=event.prompt_tokens,
        completion_tokens=event.completion_tokens,
    )
    heard = end(phase.speech, phase.plan.manner, phase.plan.judge, complete=event.reason != "length")
    phase = replace(phase, speech=heard.speech, ready=(*phase.ready, *heard.released))
    if heard.verdict == "violation":
        return _mend(rules, state, phase, [], event.at)
    if heard.verdict == "not_speech" or not phase.speech.shown.strip():
        return _own_words(rules, state, phase, [], event.at)
    return _model_over(rules, state, phase, [], "completed", event.at)


def failed(rules: Rules, state: State, event: ModelFailed) -> Step:
    """The model broke: its part of an answer is kept, and where it said nothing the companion speaks."""
    phase = open_phase(state, event)
    if phase is None:
        return state, []
    phase = replace(phase, took_ms=event.took_ms)
    heard = end(phase.speech, phase.plan.manner, phase.plan.judge, complete=False)
    phase = replace(phase, speech=heard.speech, ready=(*phase.ready, *heard.released))
    if not phase.speech.shown.strip():
        return _own_words(rules, state, phase, [], event.at)
    return _model_over(rules, state, phase, [], "failed", event.at)


def _own_words(rules: Rules, state: State, phase: Responding, effects: list[Effect], at: int) -> Step:
    """The companion speaks for itself: a story, a safe answer, a reflection of its own texts."""
    plan = phase.plan
    parts = as_parts(plan.own_words)
    parts = (gap(phase.speech.shown) + parts[0], *parts[1:]) if parts else ()
    phase = replace(
        phase,
        ready=(*phase.ready, *parts),
        speech=replace(phase.speech, held="", shown=phase.speech.shown + "".join(parts), begun=True),
        source=plan.own_source,
        plan=replace(plan, narrative=plan.own_narrative),
    )
    return _model_over(rules, state, phase, effects, "completed", at)


def _model_over(
    rules: Rules, state: State, phase: Responding, effects: list[Effect], status: Status, at: int
) -> Step:
    stopped: list[Effect] = [*effects, StopTimer("patience"), StopTimer("hold")]
    return _show(rules, state, replace(phase, over=status, holding=False), stopped, at)


# ---------------------------------------------------------------- showing


def _show(rules: Rules, state: State, phase: Responding, effects: list[Effect], at: int) -> Step:
    """Send what is ready, at the companion's pace, once the message it answers has its ack."""
    pace = rules.settings.words_per_second
    while phase.waiting.told and phase.ready and not phase.pacing:
        text, ready = phase.ready[0], phase.ready[1:]
        if pace is None:
            text, ready = "".join(phase.ready), ()
        effects.append(SendDelta(response=phase.response, n=phase.n, text=text, eos=ends_sentence(text)))
        phase = replace(phase, ready=ready, sent=phase.sent + text, n=phase.n + 1)
        if pace is not None:
            pause = len(words(text)) / pace + rules.settings.sentence_pause
            effects.append(StartTimer("pace", pause))
            phase = replace(phase, pacing=True)
    if phase.over is not None and phase.waiting.told and not phase.ready:
        return _land(rules, replace(state, phase=phase), phase, phase.over, effects, at)
    return replace(state, phase=phase), effects


def rang(rules: Rules, state: State, event: TimerRang) -> Step:
    """A timer of the open answer is over."""
    phase = state.phase
    match event.timer, phase:
        case "landing", Responding() if not phase.waiting.told:
            return _told_late(rules, state, phase, event.at)
        case "landing", Landing():
            return _done_late(rules, state, phase, event.at)
        case "patience", Responding() if phase.over is None and not phase.speech.shown:
            return _own_words(rules, state, phase, [StopModel(phase.response)], event.at)
        case "hold", Responding() if phase.over is None:
            phase = replace(phase, holding=False)
            heard = hold_over(phase.speech, phase.plan.manner, phase.plan.judge)
            return _heard(rules, state, phase, heard, [], event.at)
        case "pace", Responding():
            return _show(rules, state, replace(phase, pacing=False), [], event.at)
        case "checkpoint", Responding() if phase.sent:
            again = StartTimer("checkpoint", rules.settings.checkpoint)
            return state, [checkpoint(state, phase, event.at), again]
        case _:
            return state, []


def _told_late(rules: Rules, state: State, phase: Responding, at: int) -> Step:
    """The store takes its time: the person is answered as usual, and hears later that it has landed (D2)."""
    state, effects = told_before_it_landed(rules, state, phase.waiting)
    state, more = message_told(rules, state, phase, at)
    return state, [*effects, *more]


# ---------------------------------------------------------------- the end of an answer


def cancelled(rules: Rules, state: State, event: CancelAsked) -> Step:
    """The person stops the answer: what was shown is kept, the upstream request is closed."""
    phase = state.phase
    if not isinstance(phase, Responding) or event.response not in (None, phase.response):
        return state, [Ack(re=event.re, result={"response": None})]
    ack = Ack(re=event.re, result={"response": phase.response})
    if not phase.waiting.told:  # the message has no ack yet: the stop takes effect when it has
        stopped = replace(phase, over="cancelled", ready=(), holding=False)
        return replace(state, phase=stopped), [ack, StopModel(phase.response), *_quiet()]
    state, effects = cut(rules, state, "cancelled", event.at)
    return state, [ack, *effects]


def _quiet() -> list[Effect]:
    return [StopTimer("patience"), StopTimer("hold"), StopTimer("pace")]


def cut(rules: Rules, state: State, status: Status, at: int) -> Step:
    """End the open answer here, with what was shown of it."""
    phase = state.phase
    if not isinstance(phase, Responding):
        return state, []
    effects: list[Effect] = [StopModel(phase.response), *_quiet()]
    if not phase.waiting.told:
        return replace(state, phase=Idle()), effects  # nothing was shown; the message stays unanswered
    return _land(rules, state, replace(phase, ready=()), status, effects, at)


def _land(
    rules: Rules, state: State, phase: Responding, status: Status, effects: list[Effect], at: int
) -> Step:
    """Everything the answer produced is one transaction; its end is told when it has landed (D1)."""
    assert state.talk is not None
    message = answer_message(state, phase, status, at) if phase.sent.strip() else None
    done = TellDone(
        response=phase.response,
        message=phase.waiting.message.id,
        conversation=state.talk.conversation,
        status=status,
        text=phase.sent,
        source=phase.source,
        durable=True,
        answer=message.id if message is not None else None,
    )
    created = TellMessage(message, state.talk.conversation) if message is not None else None
    effects = [*effects, StopTimer("checkpoint"), StopTimer("landing")]
    replaces = phase.waiting.hides_from is not None
    if message is None and replaces:  # no new answer came: the old one stays, and is shown again
        state, more = next_turn(rules, replace(state, phase=Idle()), at)
        return state, [*effects, done, TellStands(conversation=done.conversation), *more]
    change = given(state, phase, message, status, at)
    ticket = AnswerTicket(done=done, created=created, replaces=replaces)
    also = done_command(change, phase.waiting.asked, {})
    state = replace(
        state, talk=talk_after(rules, state, phase, message), phase=Landing(done=done, created=created)
    )
    return state, [*effects, Save(change, ticket, also), StartTimer("landing", rules.settings.landing)]


def landed(rules: Rules, state: State, ticket: AnswerTicket, outcome: Outcome, at: int) -> Step:
    """The answer is durable, or the store refused it: either way the person hears that it is over."""
    response = ticket.done.response
    if isinstance(outcome, Deferred):
        if isinstance(state.phase, Landing) and state.phase.done.response == response:
            return _done_late(rules, state, state.phase, at)
        if response in state.late:
            return state, []
        return _told_done(state, ticket.created, ticket.done)  # its talk is over, or was left
    if response in state.late:
        state = replace(state, late=state.late - {response})
        return state, stands_again(ticket) if isinstance(outcome, Refused) else [
            TellDurable(responses=(response,))
        ]
    done = replace(ticket.done, durable=not isinstance(outcome, Refused))
    effects: list[Effect] = [ticket.created, done] if ticket.created is not None else [done]
    if ticket.replaces and not done.durable:
        effects = [replace(done, answer=None), *stands_again(ticket)]
    if isinstance(state.phase, Landing) and state.phase.done.response == response:
        state, more = next_turn(rules, replace(state, phase=Idle()), at)
        return state, [StopTimer("landing"), *effects, *more]
    return state, effects


def _done_late(rules: Rules, state: State, phase: Landing, at: int) -> Step:
    before: Sequence[Effect] = []
    if phase.created is not None:
        state, before = queue_told(rules, state, phase.created.message.position)
    state, effects = _told_done(replace(state, phase=Idle()), phase.created, phase.done)
    state, more = next_turn(rules, state, at)
    return state, [*before, *effects, *more]


def _told_done(state: State, created: TellMessage | None, done: TellDone) -> Step:
    """The end of an answer that has not landed yet."""
    done = replace(done, durable=False)
    effects: list[Effect] = [created, done] if created is not None else [done]
    return replace(state, late=state.late | {done.response}), effects


def broken_off(phase: Responding, conversation: str) -> list[Effect]:
    """The message was refused after all: nothing of its answer is kept. Who was told that it began hears its end."""
    effects: list[Effect] = [StopModel(phase.response), *_quiet(), StopTimer("checkpoint")]
    if phase.waiting.told:
        done = TellDone(
            response=phase.response,
            message=phase.waiting.message.id,
            conversation=conversation,
            status="failed",
            text=phase.sent,
            source=phase.source,
            durable=False,
            answer=None,
        )
        effects.append(done)
    return effects


def next_turn(rules: Rules, state: State, at: int) -> Step:
    """Answer what waits longest; else silence begins to count."""
    if state.leaving:
        return state, []
    if not state.queue or state.talk is None:
        waiting = state.talk is not None
        return state, [StartTimer("silence", rules.settings.silence)] if waiting else []
    return begin(rules, replace(state, queue=state.queue[1:]), state.queue[0], at)
