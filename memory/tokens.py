"""How many tokens a text costs, estimated so that it is not too low.

Tokenizers differ; what is planned with must hold for all of them. Words of Latin letters cost one token for
every three letters begun (English is near four to five letters a token in practice, so this is a margin of a
third), digits and marks one each, letters with accents and other alphabets one each, Chinese, Japanese and
Korean characters two, and what lies beyond (emoji) one for each byte. Where a backend reports its own count, the
count of the whole prompt is compared with this one in the metrics.
"""

import re
from functools import lru_cache

_PARTS = re.compile(
    r"(?P<word>[A-Za-z]+)|(?P<space>[ \t]+)|(?P<line>\s)|(?P<mark>[!-~])|(?P<alphabet>[\u00a1-\u1fff])"
    r"|(?P<sign>[\u2000-\u2bff])|(?P<wide>[\u2e80-\ud7ff\uf900-\uffef])|(?P<rest>.)",
    re.DOTALL,
)
_COST = {"space": 0, "line": 1, "mark": 1, "alphabet": 1, "sign": 2, "wide": 2, "rest": 4}
LETTERS_A_TOKEN = 3
TURN = 8  # tokens around a turn: role, separators


@lru_cache(maxsize=8_192)
def count(text: str) -> int:
    """Tokens of ``text``, never less than what the named models' tokenizers make of ordinary text."""
    total = 0
    for found in _PARTS.finditer(text):
        kind = found.lastgroup
        if kind == "word":
            total += -(-len(found.group()) // LETTERS_A_TOKEN)
        elif kind is not None:
            total += _COST[kind]
    return total


def head(text: str, tokens: int) -> str:
    """The beginning of ``text``, cut at a word, that costs at most ``tokens``."""
    if count(text) <= tokens:
        return text
    low, high = 0, min(len(text), tokens * 8)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(text[:middle]) <= tokens else (low, middle - 1)
    border = text.rfind(" ", 0, low + 1)
    return text[: border if border > low // 2 else low].rstrip()


def tail(text: str, tokens: int) -> str:
    """The end of ``text``, cut at a word, that costs at most ``tokens``."""
    reversed_head = head(text[::-1], tokens)
    return reversed_head[::-1].lstrip()


def shortened(text: str, tokens: int) -> str:
    """Head and tail of ``text``, with a mark between, for at most ``tokens`` (two thirds of it the head)."""
    if count(text) <= tokens:
        return text
    room = max(2, tokens - count(GAP))
    first = max(1, room * 2 // 3)
    return f"{head(text, first)}{GAP}{tail(text, room - first)}"


GAP = " […] "
