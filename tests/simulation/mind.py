"""A language model that plays by chance: quick, slow, broken off, silent, gone; it keeps what it was asked."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import anyio

from companions.ports import Finished, ModelError, ModelFault, Piece, Prompt, Text, Usage
from tests.simulation.fate import Fate

WORDS = (
    "the",
    "garden",
    "is",
    "quiet",
    "and",
    "the",
    "kettle",
    "sings",
    "while",
    "we",
    "talk",
    "of",
    "your",
    "day",
)
FAULTS: tuple[ModelFault, ...] = ("unreachable", "overloaded", "rate_limited", "first_token", "broken")
STALL_SECONDS = 10.0


class Mind:
    """The double of a language model."""

    kind = "scripted"
    name = "scripted"
    connected = True

    def __init__(self, fate: Fate, trouble: float) -> None:
        self._chance = fate.chance("model")
        self._trouble = trouble
        self.prompts: list[Prompt] = []
        self.open = 0

    @asynccontextmanager
    async def stream(self, prompt: Prompt) -> AsyncGenerator[AsyncIterator[Piece]]:
        self.prompts.append(prompt)
        self.open += 1
        pieces = self._pieces(prompt)
        try:
            yield pieces
        finally:
            self.open -= 1
            await pieces.aclose()

    async def _pieces(self, prompt: Prompt) -> AsyncGenerator[Piece]:
        chance = self._chance
        await anyio.sleep(chance.uniform(0.01, 0.4))
        trouble = chance.random() < self._trouble
        if trouble and chance.random() < 0.5:
            raise ModelError(chance.choice(FAULTS), "by chance")
        breaks_at = chance.randrange(1, 20) if trouble else None
        for number in range(0 if chance.random() < 0.02 else chance.randrange(3, 30)):
            if number == breaks_at:
                await anyio.sleep(STALL_SECONDS)
                raise ModelError("stalled", "by chance")
            yield Text(f"{WORDS[number % len(WORDS)]}{'. ' if number % 7 == 6 else ' '}")
            await anyio.sleep(chance.uniform(0.0, 0.12))
        if prompt.background:
            yield Text(chance.choice(["", "{", "[]", '{"facts": []}', "It was a good talk."]))
        yield Usage(10, 10)
        yield Finished("length" if chance.random() < 0.05 else "stop")
