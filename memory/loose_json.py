"""JSON out of whatever a model wrote: behind prose, in a fence, broken off in the middle, or not there at all.

A model that was asked for an object gives one most of the time. What it gives otherwise must neither raise nor
be taken for more than it is: what cannot be read is None, and the caller has another way.
"""

import json
import re
from collections.abc import Iterator
from typing import TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

MOST_CHARS = 50_000  # of a model's answer; it was asked for a few hundred
MOST_STARTS = 64
MOST_MENDED = 2  # beginnings that are mended where they break off
MOST_DEPTH = 32
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_LATE_THOUGHT = re.compile(r"\A.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^\s*```[\w-]*\s*$", re.MULTILINE)
_TRAILING = re.compile(r",\s*(?=[}\]])")
_DECODER = json.JSONDecoder(strict=False)


def plain(text: str) -> str:
    """``text`` without reasoning and code fences."""
    text = _THOUGHT.sub("", text[:MOST_CHARS])
    if "</think" in text.lower():
        text = _LATE_THOUGHT.sub("", text)
    return _FENCE.sub("", text).strip()


def loose_json(text: str) -> Json:
    """The largest object or list in ``text``, mended where it was broken off; None without one."""
    said = plain(text)
    best: tuple[int, Json] = (0, None)
    at = 0
    for number in range(MOST_STARTS):
        start = _start(said, at)
        if start is None:
            break
        value, end = _read(said, start, mended=number < MOST_MENDED)
        if value is not None and end - start > best[0]:
            best = (end - start, value)
        at = max(end, start + 1)
    return best[1]


def _start(said: str, at: int) -> int | None:
    found = [place for place in (said.find("{", at), said.find("[", at)) if place >= 0]
    return min(found, default=None)


def _read(said: str, start: int, *, mended: bool) -> tuple[Json, int]:
    """The value that begins at ``start`` and where it ends; None when there is none that can be read."""
    for candidate in _candidates(said[start:], mended=mended):
        try:
            value, length = _DECODER.raw_decode(candidate)
        except (ValueError, RecursionError):
            continue
        found: Json = value
        if isinstance(found, dict | list) and found and _depth(found) <= MOST_DEPTH:
            return found, start + length
        return None, start + 1
    return None, start + 1


def _candidates(said: str, *, mended: bool) -> Iterator[str]:
    """The text as it stands, then mended: commas too many, then cut at each end of a value and closed."""
    yield said
    if not mended:
        return
    tidy = _TRAILING.sub("", said)
    if tidy != said:
        yield tidy
    ends, in_text = _ends(tidy)
    if in_text:
        yield _closed(tidy.rstrip("\\") + '"')
    for end in reversed(ends[-12:]):
        yield _closed(tidy[:end])


def _ends(said: str) -> tuple[list[int], bool]:
    """Where a value could have ended, and whether the text breaks off inside quotes."""
    ends: list[int] = []
    in_text = escaped = False
    for at, sign in enumerate(said):
        if in_text:
            in_text = escaped or sign != '"'
            escaped = sign == "\\" and not escaped
            if not in_text:
                ends.append(at + 1)
        elif sign == '"':
            in_text = True
        elif sign in ",:":
            ends.append(at)
        elif sign in "}]":
            ends.append(at + 1)
    return ends, in_text


def _closed(said: str) -> str:
    """``said`` with its open brackets closed, and a key without a value left out."""
    open_: list[str] = []
    in_text = escaped = False
    for sign in said:
        if in_text:
            in_text = escaped or sign != '"'
            escaped = sign == "\\" and not escaped
        elif sign == '"':
            in_text = True
        elif sign in "{[":
            open_.append("}" if sign == "{" else "]")
        elif sign in "}]" and open_:
            open_.pop()
    said = said.rstrip().rstrip(",")
    said = re.sub(r',?\s*"(?:[^"\\]|\\.)*"\s*:\s*$', "", said)
    return said + "".join(reversed(open_))


def _depth(value: Json) -> int:
    """How deep a value is nested, counted without recursion."""
    level: list[Json] = [value]
    depth = 0
    while level and depth <= MOST_DEPTH:
        depth += 1
        inner: list[Json] = []
        for each in level:
            if isinstance(each, dict):
                inner.extend(each.values())
            elif isinstance(each, list):
                inner.extend(each)
        level = inner
    return depth


def words_of(value: Json, *, most: int = 400) -> str:
    """A text out of a value that should be one: lists are joined, nothing is ''."""
    if isinstance(value, str):
        return " ".join(value.split())[:most]
    if isinstance(value, list):
        return ", ".join(part for part in (words_of(each, most=most) for each in value) if part)[:most]
    return ""


def list_of(value: Json, *, most: int = 10, chars: int = 200) -> tuple[str, ...]:
    """Short texts out of a value that should be a list of them: also one text with commas or lines in it."""
    if isinstance(value, str):
        value = [each for each in re.split(r"[\n;,•]|(?:^|\s)-\s", value) if each.strip()]
    if not isinstance(value, list):
        return ()
    found = (words_of(each, most=chars).strip(" .-*•") for each in value)
    return tuple(dict.fromkeys(each for each in found if each))[:most]
