"""What a returning client is shown: the conversation as it stands, and the answer that is open."""

from actors.telling import stored
from companions.state import Responding, State
from memory.messages import Message
from memory.window import in_turns
from protocol.session_frames import ConversationSnapshot, ResponseSnapshot
from protocol.values import OpenResponse

SNAPSHOT_MESSAGES = 50  # the contract's number


def conversation_snapshot(state: State, seq: int, *, only_current: bool) -> ConversationSnapshot:
    """The last messages, or the current exchange alone where the policy shows no more (D15)."""
    talk = state.talk
    if talk is None:
        return ConversationSnapshot(seq=seq, conversation=None, messages=(), unanswered=(), response=None)
    shown = _exchange(talk.messages) if only_current else talk.messages[-SNAPSHOT_MESSAGES:]
    open_ids = {state.phase.waiting.message.id} if isinstance(state.phase, Responding) else set[str]()
    unanswered = [each.id for each in talk.unanswered if each.id not in open_ids]
    if only_current:
        unanswered = [each for each in unanswered if each in {message.id for message in shown}]
    return ConversationSnapshot(
        seq=seq,
        conversation=talk.conversation,
        messages=tuple(stored(each) for each in shown),
        unanswered=tuple(unanswered),
        response=_open_response(state),
    )


def _exchange(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The person's last message and its answer."""
    turns = in_turns(messages)
    asked = next((each for each in reversed(turns) if each.role == "user"), None)
    if asked is None:
        return ()
    return tuple(each for each in turns if each.id == asked.id or each.answers == asked.id)


def _open_response(state: State) -> OpenResponse | None:
    phase = state.phase
    if not isinstance(phase, Responding):
        return None
    return OpenResponse(response=phase.response, message=phase.waiting.message.id, text=phase.sent, n=phase.n)


def response_snapshot(phase: Responding, seq: int) -> ResponseSnapshot:
    """The open answer as far as it was said."""
    return ResponseSnapshot(
        seq=seq, response=phase.response, message=phase.waiting.message.id, text=phase.sent, n=phase.n
    )
