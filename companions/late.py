"""What a person is told before it has landed, because the store takes its time (D2), in the order of its places."""

from msgspec.structs import replace

from companions.events import Ack, Effect, TellMessage
from companions.state import Rules, State, Step, Waiting


def told_before_it_landed(rules: Rules, state: State, waiting: Waiting) -> Step:
    """A message has its ack, and stands; word that it has landed follows."""
    assert state.talk is not None
    message, command, conversation = waiting.message, waiting.command, state.talk.conversation
    effects: list[Effect] = [TellMessage(message, conversation)]
    if command is not None:
        reason = rules.settings.late_reason
        ack = Ack(re=command.id, message=message.id, conversation=conversation, durable=False, reason=reason)
        effects.insert(0, ack)
    queue = tuple(replace(each, told=True) if each.message.id == message.id else each for each in state.queue)
    return replace(state, queue=queue, late=state.late | {message.id}), effects


def queue_told(rules: Rules, state: State, before: int) -> Step:
    """Messages that wait and stand in front of the place ``before``: none is told after what stands behind it."""
    effects: list[Effect] = []
    for waiting in state.queue:
        if not waiting.told and waiting.message.position < before:
            state, more = told_before_it_landed(rules, state, waiting)
            effects.extend(more)
    return state, effects
