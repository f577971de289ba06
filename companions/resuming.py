"""Answering once more: because the person asks for it, or because a crash left something undone."""

from msgspec.structs import replace

from companions import answering
from companions.events import (
    Ack,
    Effect,
    Minted,
    Refuse,
    RegenerateAsked,
    StartTimer,
    TellHidden,
)
from companions.state import Idle, Rules, State, Step, Waiting
from companions.talk import Talk, before, vector_of
from memory.messages import Message
from memory.reading import Reading


def regenerate(rules: Rules, state: State, event: RegenerateAsked) -> Step:
    """The person wants another answer to one of their messages."""

    def refuse(code: str) -> Step:
        return state, [Refuse(re=event.command.id, code=code)]

    message = state.talk.find(event.message) if state.talk is not None else None
    if state.talk is None or message is None or message.role != "user":
        return refuse("message.unknown")
    answer = state.talk.answer_to(message.id)
    if answer is not None and not rules.settings.regenerate:
        return refuse("policy.refused")
    if not isinstance(state.phase, Idle) or state.queue:
        return refuse("session.busy")
    # Not from the message on: of two that were sent at once the first is answered behind the second.
    hides = answer.position if answer is not None else None
    waiting = Waiting(
        message=message,
        reading=reread(rules, state, state.talk, message),
        ids=event.ids,
        told=True,
        style=event.style,
        hides_from=hides,
        hides_to=state.talk.last_position,
        asked=event.command,
    )
    effects: list[Effect] = [
        Ack(re=event.command.id, message=message.id, conversation=state.talk.conversation)
    ]
    if hides is not None:
        effects.append(TellHidden(conversation=state.talk.conversation, position=hides))
    state, more = answering.begin(rules, state, waiting, event.at)
    return state, [*effects, *more, StartTimer("silence", rules.settings.silence)]


def reread(rules: Rules, state: State, talk: Talk, message: Message) -> Reading:
    """A message that is held, read as it was when it was said."""
    said_before = replace(state, talk=before(talk, message))
    return rules.read(said_before, message.text, vector_of(talk, message.id))


def resumed(rules: Rules, state: State, ids: Minted, at: int) -> Step:
    """A conversation was opened: silence counts from now, and a message left without an answer by a crash is
    answered where the policy says so (D4)."""
    if state.talk is None:
        return state, []
    effects: list[Effect] = [StartTimer("silence", rules.settings.silence)]
    left = _left_undone(state.talk) if rules.settings.answers_after_crash else None
    if left is None or not isinstance(state.phase, Idle):
        return state, effects
    pending, part = left
    waiting = Waiting(
        message=pending,
        reading=reread(rules, state, state.talk, pending),
        ids=ids,
        told=True,
        hides_from=part.position if part is not None else None,
        hides_to=state.talk.last_position,
        begun=part.text if part is not None else "",
    )
    if part is not None:
        effects.append(TellHidden(conversation=state.talk.conversation, position=part.position))
    state, more = answering.begin(rules, state, waiting, at)
    return state, [*effects, *more]


def _left_undone(talk: Talk) -> tuple[Message, Message | None] | None:
    """The last message when nothing was answered to it, or when its answer was cut by a crash, with that part."""
    last = talk.messages[-1] if talk.messages else None
    if last is None:
        return None
    if last.role == "user":
        return (last, None) if last in talk.unanswered else None
    asked = talk.find(last.answers) if last.answers is not None and last.status == "interrupted" else None
    return (asked, last) if asked is not None else None
