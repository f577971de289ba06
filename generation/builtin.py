"""The model that needs no model: it says the companion's own words, one by one.

The companion chooses what it says for a turn from its own texts; here those words stream as a model's
would, so that everything behind the port works the same with and without a language model.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import anyio

from companions.ports import Finished, Piece, Prompt, Text

WORD = re.compile(r"\s*\S+(?:\s+\Z)?|\s+\Z")


def words_of(text: str) -> list[str]:
    """The words of a text, each with the space before it: joined they are the text."""
    return WORD.findall(text)


class Builtin:
    """Streams ``prompt.own_words``; deterministic, without weights. ``pace`` is seconds between two words."""

    kind = "builtin"
    name = "builtin"
    connected = False

    def __init__(self, *, pace: float = 0.0) -> None:
        self.pace = pace

    @asynccontextmanager
    async def stream(self, prompt: Prompt) -> AsyncGenerator[AsyncIterator[Piece]]:
        """The companion's own words, then the end. It counts no tokens, for it has none."""
        pieces = self._pieces(prompt.own_words)
        try:
            yield pieces
        finally:
            await pieces.aclose()

    async def _pieces(self, text: str) -> AsyncGenerator[Piece]:
        for number, word in enumerate(words_of(text)):
            await anyio.sleep(self.pace if number else 0)
            yield Text(word)
        yield Finished("stop")
