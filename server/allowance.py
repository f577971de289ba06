"""The tokens a person may use in a day; beyond them the companion speaks in its own words.

A day is 24 hours of a clock that only goes forward, from the first token of it: a date that jumps locks nobody out.
"""

from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import anyio

from companions.ports import LanguageModel, ModelError, Piece, Prompt, Text, Usage
from generation.builtin import Builtin
from memory.tokens import TURN, count
from server.ids import now_ms
from storage.connection import Store
from storage.refusals import StoreRefused
from storage.spent import Spent, spent_between

DAY_SECONDS = 24 * 3_600.0
MOST_PEOPLE = 10_000


@dataclass
class _Day:
    began: float
    tokens: int = 0


class Allowance:
    """Counts for at most ``most_people``: who used a model longest ago is forgotten first, and begins a day anew."""

    def __init__(
        self, most: int, now: Callable[[], float] = anyio.current_time, *, most_people: int = MOST_PEOPLE
    ) -> None:
        self._most = most
        self._now = now
        self._most_people = most_people
        self._days: OrderedDict[str, _Day] = OrderedDict()

    def __len__(self) -> int:
        return len(self._days)

    def left(self, user: str) -> int:
        """How many tokens a person may still use today; none, or less, once the last answer went beyond."""
        day = self._days.get(user)
        return self._most if day is None or self._over(day) else self._most - day.tokens

    def spend(self, user: str, tokens: int, ago: float = 0.0) -> None:
        """Count what was used, ``ago`` seconds back."""
        day = self._days.get(user)
        if day is None or self._over(day):
            day = self._days[user] = _Day(self._now() - ago)
        day.tokens += tokens
        self._days.move_to_end(user)
        if len(self._days) > self._most_people:
            self._days.popitem(last=False)

    def restore(self, found: Iterable[Spent], at: int) -> None:
        """What was used before a start, told at ``at`` milliseconds."""
        for each in found:
            self.spend(each.user, each.tokens, ago=(at - each.since) / 1_000)

    def _over(self, day: _Day) -> bool:
        return self._now() - day.began >= DAY_SECONDS


class Rationed:
    """A model that is asked while there are tokens left. The answer that uses the last of them is not cut.

    Then a person's answer fails as it does where a model refuses, and a job gets nothing, as where there is no model.
    """

    def __init__(self, model: LanguageModel, allowance: Allowance) -> None:
        self.kind = model.kind
        self.name = model.name
        self.connected = model.connected
        self._model = model
        self._allowance = allowance

    def stream(self, prompt: Prompt) -> AbstractAsyncContextManager[AsyncIterator[Piece]]:
        """The pieces of one answer; raises ``ModelError``."""
        if self._allowance.left(prompt.user) > 0 or _goes_on(prompt):
            return self._counted(prompt)
        if prompt.background:
            return Builtin().stream(prompt)
        raise ModelError("rate_limited", "the person's tokens of the day are used up")

    @asynccontextmanager
    async def _counted(self, prompt: Prompt) -> AsyncGenerator[AsyncIterator[Piece]]:
        seen: list[Piece] = []
        async with self._model.stream(prompt) as pieces:
            passing = _noted(pieces, seen)
            try:
                yield passing
            finally:
                self._allowance.spend(prompt.user, cost(prompt, seen))
                await passing.aclose()


def cost(prompt: Prompt, seen: Iterable[Piece]) -> int:
    """The tokens of an answer as the server counted them, else estimated; of one that never began none."""
    pieces = list(seen)
    told = [each for each in pieces if isinstance(each, Usage)]
    if told or not pieces:
        return sum(each.prompt_tokens + each.completion_tokens for each in told)
    said = "".join(each.text for each in pieces if isinstance(each, Text))
    asked = sum(count(each.text) + TURN for each in prompt.messages)
    return count(prompt.system) + TURN + asked + count(said)


@asynccontextmanager
async def rationed(
    serving: AbstractAsyncContextManager[LanguageModel], tokens_per_day: int, store: Store
) -> AsyncGenerator[LanguageModel]:
    """The model, bounded by so many tokens for each person and day; 0: as it is."""
    async with serving as model:
        if not tokens_per_day or not model.connected:
            yield model
            return
        allowance, at = Allowance(tokens_per_day), now_ms()
        try:
            found = await store.read(lambda db: spent_between(db, at - int(DAY_SECONDS * 1_000), at))
        except StoreRefused:
            found = []
        allowance.restore(found, at)
        yield Rationed(model, allowance)


def _goes_on(prompt: Prompt) -> bool:
    """Whether it gives the model what its tools found: the answer has begun already."""
    return bool(prompt.messages) and prompt.messages[-1].role == "tool"


async def _noted(pieces: AsyncIterator[Piece], seen: list[Piece]) -> AsyncGenerator[Piece]:
    async for piece in pieces:
        seen.append(piece)
        yield piece
