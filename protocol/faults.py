"""What was wrong with a frame, said with the path and without a word of what was sent.

A decoder's own messages can carry input (the name of an unknown field, a value that is not allowed). Only
those of their words pass here that are ours: types, lengths, names of our fields, the place.
"""

import json
import math
import re
from typing import Final, NamedTuple, cast

import msgspec

from protocol.values import JsonObject

_PLACE: Final = re.compile(r"^(?P<what>.*?)(?: - at (?P<key>`key` in )?`(?P<path>\$[^`]*)`)?$", re.DOTALL)
_MISSING: Final = re.compile(r"^Object missing required field `(\w+)`$")
_BYTE: Final = re.compile(r"\(byte (\d+)\)$")
_HALF: Final = re.compile(r"[\ud800-\udfff]")
_DEEPEST: Final = 32


class Fault(NamedTuple):
    """What was wrong, and where: ``$.profile.age``; ``$`` is the whole frame."""

    what: str
    path: str

    @property
    def message(self) -> str:
        """Both, as it is told to the developer of the client."""
        return f"{self.what} - at `{self.path}`"


def fault_of(error: Exception, data: str | bytes, frame: type[msgspec.Struct] | None) -> Fault:
    """What ``error`` says about ``data``, a frame of the type ``frame`` where that could be read."""
    if isinstance(error, msgspec.ValidationError):
        return _validation(str(error), frame)
    if isinstance(error, RecursionError):
        return Fault("Nested too deeply", "$")
    if isinstance(error, UnicodeError):
        return Fault("Text that is not UTF-8", "$")
    surrogate = _surrogate(data, frame)
    if surrogate is not None:
        return Fault("Text with a lone surrogate", surrogate)
    byte = _BYTE.search(str(error))
    where = f"malformed at byte {byte[1]}" if byte else "cut off or empty"
    return Fault(f"Not {'JSON' if isinstance(data, str) else 'MessagePack'}: {where}", "$")


def mended(data: str) -> str:
    """JSON text with half characters replaced, so that its header can be read; as it is when it has none."""
    try:
        content: object = json.loads(data)  # takes lone surrogates, where msgspec stops
    except (ValueError, RecursionError):
        return data
    text = json.dumps(content, ensure_ascii=False)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _HALF.search(text) else data


def impure(value: JsonObject, path: str) -> Fault | None:
    """The first part of an open object that JSON cannot carry: NUL, bytes, huge numbers, too deep a nest."""
    waiting: list[tuple[object, str, int]] = [(value, path, 0)]
    while waiting:
        part, place, depth = waiting.pop()
        what = "Nested too deeply" if depth > _DEEPEST else _impurity(part)
        if what is not None:
            return Fault(what, place if depth <= _DEEPEST else path)
        waiting += [(inner, f"{place}[...]", depth + 1) for inner in _inside(part)]
    return None


def _inside(part: object) -> list[object]:
    if isinstance(part, dict):
        content = cast("dict[object, object]", part)  # isinstance cannot tell what a dict holds
        return [*content.keys(), *content.values()]
    return cast("list[object]", part) if isinstance(part, list) else []  # nor a list


def _impurity(part: object) -> str | None:
    match part:
        case str() if "\0" in part:
            return "Text with a NUL character"
        case bool() | None | str() | list() | dict():
            return None
        case int() if -(2**63) <= part < 2**64:
            return None
        case float() if math.isfinite(part):
            return None
        case int() | float():
            return "Number out of range"
        case _:
            return "Expected what JSON can carry"


def _validation(message: str, frame: type[msgspec.Struct] | None) -> Fault:
    found = _PLACE.match(message)
    assert found is not None  # every part of the pattern is optional
    what, path = found["what"], found["path"] or "$"
    missing = _MISSING.match(what)
    if missing:
        return Fault("Missing field", f"{path}.{missing[1]}")
    if what.startswith("Object contains unknown field"):
        return Fault(_unknown_field(path, frame), path)
    if what.startswith("Invalid enum value"):
        return Fault("Not one of the values allowed here", path)
    if "matching regex" in what and r"\u0000" in what:
        return Fault("Text with a NUL character", path)
    if what.startswith(("Expected ", "Number out of range")):
        return Fault(what, path)
    return Fault("Not allowed here", path)


def _unknown_field(path: str, frame: type[msgspec.Struct] | None) -> str:
    if path != "$" or frame is None:
        return "Unknown field"
    return f"Unknown field (known: {', '.join(('type', *frame.__struct_encode_fields__))})"


def _surrogate(data: str | bytes, frame: type[msgspec.Struct] | None) -> str | None:
    """The path of the field that holds half a character; None when something else is wrong."""
    if not isinstance(data, str):
        return None
    try:
        content: object = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return "$" if _halved(content) else None
    known = frame.__struct_encode_fields__ if frame else ()
    for name, value in cast("dict[str, object]", content).items():  # JSON's keys are text
        if _halved([name, value]):
            return f"$.{name}" if name in known else "$[...]"
    return None


def _halved(content: object) -> bool:
    return _HALF.search(json.dumps(content, ensure_ascii=False)) is not None
