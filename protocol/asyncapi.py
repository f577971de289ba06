"""The protocol described as AsyncAPI 3.0, generated from the types: a client in any language can start here.

The document is written from the server's side, as AsyncAPI asks: it receives commands and sends events.
"""

from typing import Final, get_origin

from protocol.errors import ERRORS, CloseCode, ErrorKind, comes_back
from protocol.frames import SUBPROTOCOLS, Command, Event, Kind, frame_type
from protocol.results import RESULTS
from protocol.schema import (
    Schema,
    ack_of,
    all_frames,
    components,
    message_of,
    name_of,
    sent_by_clients,
    sent_by_server,
)
from protocol.session_frames import Hello, Ping, Pong, Welcome
from protocol.talk_frames import MessageAck, MessageSend

VERSION: Final = "1.0.0"

_ABOUT: Final = """\
Realtime chat with AI companions that remember.

Subprotocol `fireside.v1.json`: text frames, one JSON object each. Subprotocol `fireside.v1.msgpack`: binary
frames with the same objects in MessagePack. `hello` is the first frame. Every command has an `id` chosen by
the client, and exactly one `ack` or `error` with `re` answers it; the same command may be sent again with
the same id. Commands with unknown fields are refused; clients ignore fields and events they do not know.
"""


def asyncapi() -> Schema:
    """The AsyncAPI 3.0 document, as plain JSON."""
    frames = all_frames()
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Fireside",
            "version": VERSION,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": {"local": {"host": "127.0.0.1:8765", "protocol": "ws", "pathname": "/ws"}},
        "channels": {"session": _channel(frames)},
        "operations": _operations(),
        "components": {
            "messages": {message_of(frame): _message(frame) for frame in frames},
            "schemas": components("#/components/schemas/{name}"),
        },
        "x-subprotocols": list(SUBPROTOCOLS),
        "x-error-codes": {code: _error(kind) for code, kind in ERRORS.items()},
        "x-close-codes": {str(int(code)): _close(code) for code in CloseCode},
    }


def _channel(frames: list[Kind]) -> Schema:
    return {
        "address": "/ws",
        "title": "One session",
        "description": "A connection carries one session: one person and one companion.",
        "messages": {
            message_of(frame): {"$ref": f"#/components/messages/{message_of(frame)}"} for frame in frames
        },
        "bindings": {"ws": {"method": "GET"}},
    }


def _message(frame: Kind) -> Schema:
    summary = ((get_origin(frame) or frame).__doc__ or "").partition("\n")[0].replace("``", "`")
    return {
        "name": frame_type(frame),
        "title": message_of(frame),
        "summary": summary,
        "payload": {"$ref": f"#/components/schemas/{name_of(frame)}"},
    }


def _operations() -> Schema:
    channel = {"$ref": "#/channels/session"}
    commands: Schema = {
        frame_type(command): {
            "action": "receive",
            "channel": channel,
            "messages": [_reference(message_of(command))],
            "reply": {"channel": channel, "messages": [_reference(_answer(command)), _reference("error")]},
        }
        for command in sent_by_clients()
    }
    events = [_reference(message_of(event)) for event in sent_by_server()]
    return commands | {"events": {"action": "send", "channel": channel, "messages": events}}


def _reference(message: str) -> Schema:
    return {"$ref": f"#/channels/session/messages/{message}"}


def _answer(command: type[Command]) -> str:
    own: dict[type[Command], type[Event]] = {Hello: Welcome, Ping: Pong, MessageSend: MessageAck}
    return message_of(own[command] if command in own else ack_of(RESULTS[command]))


def _error(kind: ErrorKind) -> Schema:
    return {
        "message": kind.message,
        "hint": kind.hint,
        "retryable": kind.retryable,
        "closes": None if kind.close is None else int(kind.close),
    }


def _close(code: CloseCode) -> Schema:
    return {"name": code.name.lower(), "comes_back": comes_back(code)}
