"""From what the rules decided to frames of the wire: one place, so that both vocabularies stay their own."""

from typing import assert_never

import msgspec
from msgspec import UNSET, UnsetType

from companions.events import (
    Ack,
    Refuse,
    SendDelta,
    TellClosed,
    TellDone,
    TellDurable,
    TellHidden,
    TellMessage,
    TellNotice,
    TellSafety,
    TellStarted,
)
from memory.messages import Message
from protocol.conversation_frames import ConversationChanged, ConversationClosed
from protocol.errors import ERRORS, ErrorCode, error_frame
from protocol.frames import Event
from protocol.results import CommandAck
from protocol.session_frames import Notice
from protocol.talk_frames import (
    Durable,
    MessageAck,
    MessageCreated,
    ResponseDelta,
    ResponseDone,
    ResponseStarted,
    SafetyShown,
)
from protocol.times import rfc3339
from protocol.values import CrisisCategory, JsonObject, Resource, Severity, StoredMessage

Told = TellMessage | TellSafety | TellStarted | TellDone | TellClosed | TellHidden | TellNotice
"""What is numbered."""


def numbered(told: Told, seq: int) -> Event:
    """The event number ``seq`` of a session."""
    match told:
        case TellMessage(message=message, conversation=conversation):
            return MessageCreated(
                seq=seq,
                message=message.id,
                conversation=conversation,
                position=message.position,
                role=message.role,
                text=message.text,
                at=rfc3339(message.at),
            )
        case TellSafety():
            return _safety(told, seq)
        case TellStarted(response=response, message=about, conversation=conversation):
            return ResponseStarted(seq=seq, response=response, message=about, conversation=conversation)
        case TellDone():
            return ResponseDone(
                seq=seq,
                response=told.response,
                message=told.message,
                conversation=told.conversation,
                status=told.status,
                text=told.text,
                source=told.source,
                durable=told.durable,
                answer=told.answer,
            )
        case TellClosed(conversation=conversation, reason=reason):
            return ConversationClosed(seq=seq, conversation=conversation, reason=reason)
        case TellHidden(conversation=conversation, position=position):
            return ConversationChanged(seq=seq, conversation=conversation, removed_from=position)
        case TellNotice(code=code, say=say):
            return Notice(seq=seq, code=code, say=say)
        case _:
            assert_never(told)


def _safety(told: TellSafety, seq: int) -> SafetyShown:
    shown = [Resource(name=each.name, contact=each.contact, hours=each.hours) for each in told.resources]
    return SafetyShown(
        seq=seq,
        message=told.message,
        category=msgspec.convert(told.category, CrisisCategory),
        severity=msgspec.convert(told.severity, Severity),
        say=told.say,
        resources=tuple(shown),
    )


def unnumbered(told: SendDelta | TellDurable | Ack | Refuse, ref: str) -> Event:
    """A delta, an answer to a command, or word of what has landed."""
    match told:
        case SendDelta(response=response, n=n, text=text, eos=eos):
            return ResponseDelta(response=response, n=n, text=text, eos=eos)
        case TellDurable(messages=messages, responses=responses):
            return Durable(messages=messages, responses=responses)
        case Ack():
            return acknowledged(told)
        case Refuse(re=re, code=code, say=say):
            return error_frame(_code(code), ref=ref, re=UNSET if re is None else re, say=say)
        case _:
            assert_never(told)


def acknowledged(ack: Ack) -> Event:
    """The ack of a message, or of a command with its result."""
    reason: str | UnsetType = UNSET if ack.reason is None else ack.reason
    if ack.message is not None and ack.conversation is not None and ack.durable is not None:
        return MessageAck(
            re=ack.re, message=ack.message, conversation=ack.conversation, durable=ack.durable, reason=reason
        )
    result: JsonObject = ack.result if ack.result is not None else {}
    durable: bool | UnsetType = UNSET if ack.durable is None else ack.durable
    return CommandAck(re=ack.re, result=result, durable=durable, reason=reason)


RESTORED = "Our conversations were brought back from a copy. A little of what was said last may be missing."


def person_word(code: str) -> str | None:
    """What a person is told about an error, where there is a word for it."""
    return ERRORS[_code(code)].say


def _code(code: str) -> ErrorCode:
    """An error code of the core is one of the wire's; one that is not would be a fault of ours."""
    return msgspec.convert(code, ErrorCode) if code in ERRORS else "server.failed"


def stored(message: Message) -> StoredMessage:
    """A message as it is read back."""
    context: JsonObject | None = msgspec.json.decode(message.context) if message.context is not None else None
    return StoredMessage(
        message=message.id,
        role=message.role,
        text=message.text,
        position=message.position,
        at=rfc3339(message.at),
        status=message.status,
        context=context,
        response=message.response,
    )
