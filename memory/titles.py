"""What a conversation is called before anybody names it: the beginning of what was said first.

The desktop assistant's data model gives the lengths (question 7): a title of 50 characters cut at a word
boundary, a preview of 100, an ellipsis where something was cut.
"""

import unicodedata

TITLE_CHARS = 50
PREVIEW_CHARS = 100
ELLIPSIS = "…"
_JOINER = "\u200d"


def title_of(text: str) -> str:
    """The title made of a first message: one line of at most 50 characters and an ellipsis.

    A text without a space in its first 50 characters is cut between two characters.
    """
    line = _line(text)
    if len(line) <= TITLE_CHARS:
        return line
    if line[TITLE_CHARS] == " ":
        return line[:TITLE_CHARS] + ELLIPSIS
    head = line[: _boundary(line, TITLE_CHARS)]
    return (head.rpartition(" ")[0] or head) + ELLIPSIS


def preview_of(text: str) -> str:
    """The first 100 characters of a first message on one line, with an ellipsis when there is more."""
    line = _line(text)
    if len(line) <= PREVIEW_CHARS:
        return line
    return line[: _boundary(line, PREVIEW_CHARS)].rstrip() + ELLIPSIS


def _line(text: str) -> str:
    printable = "".join(" " if unicodedata.category(char) == "Cc" else char for char in text[:_ENOUGH])
    return " ".join(printable.split())


def _boundary(line: str, limit: int) -> int:
    """The last place up to ``limit`` that does not part a character from its marks, joiners or modifiers."""
    place = limit
    while place > 1 and (_continues(line[place]) or line[place - 1] == _JOINER):
        place -= 1
    return place if place > 1 else limit


def _continues(char: str) -> bool:
    return (
        unicodedata.combining(char) != 0
        or unicodedata.category(char) in {"Mn", "Me", "Mc"}
        or char == _JOINER
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )


_ENOUGH = (
    10_000  # a first message may be 200,000 characters long; leading space beyond this is not looked through
)
