"""What is wrong in a table, said so that whoever wrote it finds the line and knows what to do."""

import re
from collections.abc import Iterator
from typing import TypeAlias, cast

import msgspec

Toml: TypeAlias = object
Tables: TypeAlias = dict[str, object]
_STEP = re.compile(r"\.([\w-]+)|\[(\d+)\]")
_AT = re.compile(r"^(?P<why>.*?)(?: - at `(?:key` in `)?\$(?P<path>[^`]*)`)?$", re.DOTALL)
_LINE = re.compile(r"\(at line (\d+), column \d+\)")


class BadTable(ValueError):
    """A table that cannot be used: in which file, in which line, what is wrong, and what to do about it."""

    def __init__(self, name: str, why: str, *, line: int | None = None, entry: str = "") -> None:
        where = (
            f"memory/data/{name or '…'}{f', line {line}' if line else ''}{f', `{entry}`' if entry else ''}"
        )
        self.name = name
        super().__init__(
            f"{where}: {why}. Mend it there (the top of the file says how an entry is written), "
            "and run `python -m evaluation.tables` to see whether anything else is wrong."
        )


def undecodable(name: str, text: str, kind: object, error: msgspec.DecodeError) -> BadTable:
    """The fault for ``error``, met when ``text`` was read as ``kind``."""
    if not isinstance(error, msgspec.ValidationError):
        found = _LINE.search(str(error))
        why = (
            _LINE.sub("", str(error))
            .strip()
            .replace("Cannot overwrite a value", "the same key stands there twice")
        )
        return BadTable(name, why, line=int(found[1]) if found else None)
    told = _AT.match(str(error))
    why, path = (told["why"], told["path"] or "") if told else (str(error), "")
    steps: list[str | int] = [one or int(number) for one, number in _STEP.findall(path.split("[...]")[0])]
    steps += _narrowed(msgspec.toml.decode(text), kind) if "[...]" in path and not steps else []
    unknown = re.search(r"unknown field `([^`]*)`", why)
    line = line_of(text, [*steps, unknown[1]] if unknown else steps)
    return BadTable(name, _plain(why), line=line, entry=_shown(steps))


def empty(name: str, text: str) -> BadTable | None:
    """The fault of a phrase without a word, if there is one."""
    for steps, value in _leaves(msgspec.toml.decode(text), ()):
        if isinstance(value, str) and not value.strip() and steps and isinstance(steps[-1], int):
            return BadTable(name, "a phrase is empty", line=line_of(text, steps), entry=_shown(steps))
    return None


def line_with(text: str, words: str) -> int | None:
    """The first line that holds ``words``."""
    return next((number for number, line in enumerate(text.splitlines(), 1) if words and words in line), None)


def line_of(text: str, steps: list[str | int] | tuple[str | int, ...]) -> int | None:
    """The line in which an entry begins, as far down the path to it as a line can be told."""
    lines, at, table = text.splitlines(), None, ""
    number = next((each for each in steps if isinstance(each, int)), None)
    for place, step in enumerate(steps):
        if not isinstance(step, str):
            continue
        table = f"{table}.{step}" if table else step
        if isinstance(number, int) and place + 1 < len(steps) and steps[place + 1] == number:
            headers = [row for row, line in enumerate(lines) if line.strip() == f"[[{table}]]"]
            if number < len(headers):
                at = headers[number]
                continue
        first = at or 0
        header = next((row for row in range(first, len(lines)) if lines[row].strip() == f"[{table}]"), None)
        key = re.compile(rf'^\s*"?{re.escape(step)}"?\s*=|\{{.*\b{re.escape(step)}\s*=')
        found = (
            header
            if header is not None
            else next((row for row in range(first, len(lines)) if key.search(lines[row])), None)
        )
        at = found if found is not None else at
    return None if at is None else at + 1


def _plain(why: str) -> str:
    known = {"str": "text in quotes", "int": "a whole number", "float": "a number", "array": "a list in [ ]"}
    for word, said in (*known.items(), ("bool", "true or false"), ("object", "a table")):
        why = why.replace(f"`{word}`", said)
    why = why.replace("Object contains unknown field", "there is no key")
    return why.replace("Invalid enum value", "there is nothing called").replace("Expected ", "expected ")


def _shown(steps: list[str | int] | tuple[str | int, ...]) -> str:
    return ".".join(f"{each + 1}" if isinstance(each, int) else each for each in steps)


def _narrowed(value: Toml, kind: object) -> list[str | int]:
    """The keys under which the first wrong entry of tables in tables stands."""
    found: list[str | int] = []

    def whole(inner: Toml) -> Toml:
        for step in reversed(found):
            inner = {step: inner}
        return inner

    while isinstance(value, dict):
        for key, inner in cast("Tables", value).items():  # TOML has no other keys
            try:
                msgspec.convert(whole({key: inner}), kind)
            except msgspec.ValidationError:
                found.append(key)
                value = inner
                break
        else:
            return found
    return found


def _leaves(value: Toml, steps: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Toml]]:
    if isinstance(value, dict):
        for key, inner in cast("Tables", value).items():  # as above
            yield from _leaves(inner, (*steps, key))
    elif isinstance(value, list):
        for number, inner in enumerate(cast("list[object]", value)):  # as above
            yield from _leaves(inner, (*steps, number))
    else:
        yield steps, value
