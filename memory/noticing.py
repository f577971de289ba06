"""What phrases of a message say of it: its topics, its flags, what it wants; looked for in one go.

Each of the three has a table of its own. They are found together, because looking every word up costs more than what
is found.
"""

from functools import cache
from typing import Final, Literal, NamedTuple

from memory.data import table
from memory.phrases import Index, find, index, split

Kind = Literal["flags", "intents", "topics"]
Phrases = dict[str, tuple[str, ...]]

KINDS: Final[tuple[Kind, ...]] = ("flags", "intents", "topics")


class Noticed(NamedTuple):
    """The tokens of a message, and for each kind the names of its phrases that are there, in order, as often as they
    are.
    """

    words: list[str]
    found: dict[Kind, list[str]]


@cache
def _phrases() -> Index[tuple[Kind, str]]:
    tables: list[tuple[Kind, Phrases]] = [(kind, table(f"{kind}.toml", Phrases)) for kind in KINDS]
    return index(
        (phrase, (kind, name))
        for kind, rows in tables
        for name, phrases in rows.items()
        for phrase in phrases
    )


def noticed(text: str | list[str] | Noticed) -> Noticed:
    """What is noticed in ``text``; it may be given as its tokens, or as what was noticed in it."""
    if isinstance(text, Noticed):
        return text
    words = split(text)
    found: dict[Kind, list[str]] = {kind: [] for kind in KINDS}
    for (kind, name), _, _ in find(words, _phrases()):
        found[kind].append(name)
    return Noticed(words, found)
