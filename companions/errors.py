"""What is wrong with a companion's folder."""

import re

import msgspec

_WHERE = re.compile(r"^(?P<reason>.*?)(?: - at (?:`key` in )?`(?P<path>[^`]*)`)?$", re.DOTALL)
_FIELD = re.compile(r"^Object (?P<what>contains unknown|missing required) field `(?P<field>[^`]*)`")
_DOLLAR = re.compile(r"^\$\.?")


class PolicyError(Exception):
    """A companion cannot be loaded: which file, which key in it (empty: the file itself), and why."""

    def __init__(self, file: str, key: str, reason: str) -> None:
        super().__init__(f"{file}: {key}: {reason}" if key else f"{file}: {reason}")
        self.file = file
        self.key = key
        self.reason = reason


def translated(file: str, error: msgspec.MsgspecError) -> PolicyError:
    """The decoder's own error, as file, key and reason."""
    found = _WHERE.match(str(error))
    reason, path = (found["reason"], found["path"] or "") if found else (str(error), "")
    key = _DOLLAR.sub("", path)
    if field := _FIELD.match(reason):
        key = f"{key}.{field['field']}".lstrip(".")
        reason = "this key is not known" if "unknown" in field["what"] else "this key is required"
    return PolicyError(file, key, reason)
