"""What was said and is to be unsaid: the rules by which a session lets go of messages that are removed."""

import msgspec
from msgspec.structs import replace

from companions import answering
from companions.state import Idle, Responding, Rules, State, Step
from companions.talk import Talk, without


class Unsaid(msgspec.Struct, frozen=True, kw_only=True):
    """What is removed: messages of a conversation; all of it where none is named; everything without one.

    ``texts`` are what was removed, words and the bytes of their vectors, to look for it in the files afterwards;
    nothing else may keep them.
    """

    conversation: str | None = None
    messages: tuple[str, ...] = ()
    texts: tuple[str | bytes, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether the whole conversation goes, or all of them."""
        return not self.messages


def let_go(rules: Rules, state: State, unsaid: Unsaid, at: int) -> Step:
    """Before the removal lands: no answer to a removed message goes on, and none begins."""
    if state.talk is None or state.talk.conversation != unsaid.conversation:
        return state, []
    waiting = tuple(each for each in state.queue if each.message.id not in unsaid.messages)
    state = replace(state, queue=waiting)
    phase = state.phase
    if not isinstance(phase, Responding) or phase.waiting.message.id not in unsaid.messages:
        return state, []
    state, effects = answering.cut(rules, state, "cancelled", at)
    if not isinstance(state.phase, Idle):
        return state, effects
    state, more = answering.next_turn(rules, state, at)
    return state, [*effects, *more]


def unsaid_in(talk: Talk, unsaid: Unsaid, stored: Talk | None) -> Talk:
    """The talk without what was removed; what cannot be told apart any more is taken as the store has it.

    What follows may still speak of it: nobody else is shown that.
    """
    answers = [each.id for each in talk.messages if each.answers in unsaid.messages]
    left = replace(without(talk, (*unsaid.messages, *answers)), withheld=True)
    if stored is None:
        return left
    return replace(
        left,
        message_count=stored.message_count,
        other=stored.other,
        anchors=stored.anchors,
        told=stored.told,
        summary=stored.summary,
        summary_covers=stored.summary_covers,
    )
