"""A model on the other side of HTTP, behind the port.

One answer is: a slot, a request that is repeated while nothing of the answer was seen, and a flow of
pieces, each waited for no longer than allowed. The request is closed when the context is left, however it
is left.
"""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial

import anyio

from companions.ports import Finished, GaveWay, ModelError, ModelFault, Piece, Prompt
from generation.deadlines import Deadlines, TooLateError, Watch
from generation.dialect import Dialect, Reader, RefusalError, refusal
from generation.gate import Gate
from generation.patience import PASSING, Breaker, Retries, retry_after
from generation.upstream import BrokenConnectionError, Response, Upstream

OK = 200
GRACE_AFTER_FINISH = 1.0  # seconds for the count that follows the last word


class Flow:
    """The pieces of one answer, in order, until ``Finished``."""

    def __init__(
        self,
        reader: Reader,
        chunks: AsyncGenerator[bytes],
        watch: Watch,
        limits: Deadlines,
        most_tokens: int,
        failed: Callable[[ModelFault], None],
    ) -> None:
        self._reader = reader
        self._chunks = chunks
        self._watch = watch
        self._gap = limits.gap
        self._most_tokens = most_tokens
        self._bytes_left = limits.bytes_for_token * most_tokens
        self._ready: deque[Piece] = deque()
        self._over = False
        self._failed = failed
        self._end_at = watch.now() + limits.total

    def __aiter__(self) -> AsyncIterator[Piece]:
        return self

    async def __anext__(self) -> Piece:
        if not self._ready:
            try:
                await self._fill()
            except ModelError as error:
                self._over = True
                self._failed(error.fault)
                raise
        if not self._ready:
            raise StopAsyncIteration
        return self._ready.popleft()

    async def begin(self) -> None:
        """Waits until the model has put out anything at all. Whoever calls it bounds the wait."""
        try:
            while not (self._reader.tokens or self._over):
                self._take(await anext(self._chunks, None))
            if not self._over:
                self._reader.check()  # nothing of it was shown: it may be asked for again
        except BrokenConnectionError as error:
            raise ModelError("unreachable", str(error)) from None

    async def _fill(self) -> None:
        if not self._over:
            self._reader.check()
        since = self._watch.now()
        seen = self._reader.tokens
        while not (self._ready or self._over):
            silence = GRACE_AFTER_FINISH if self._reader.complete else self._gap
            try:
                chunk = await self._watch.wait(anext(self._chunks, None), min(since + silence, self._end_at))
            except TooLateError:
                self._too_late()
                return
            self._take(chunk)
            if self._reader.tokens != seen:
                since, seen = self._watch.now(), self._reader.tokens

    def _take(self, chunk: bytes | None) -> None:
        if chunk is None:
            self._last(self._reader.end())
            return
        pieces = self._reader.feed(chunk)
        self._bytes_left -= len(chunk)
        self._ready.extend(pieces)
        self._over = bool(pieces) and isinstance(pieces[-1], Finished)
        if not self._over and (self._reader.tokens > self._most_tokens or self._bytes_left < 0):
            self._last([Finished("length")])

    def _last(self, pieces: list[Piece]) -> None:
        self._ready.extend(pieces)
        self._over = True

    def _too_late(self) -> None:
        if not self._reader.complete:
            raise ModelError("stalled", "the model stopped in the middle of its answer")
        self._last(self._reader.end())


class RemoteModel:
    """A language model behind a server that speaks one of the dialects."""

    connected = True

    def __init__(
        self,
        dialect: Dialect,
        upstream: Upstream,
        gate: Gate,
        breaker: Breaker,
        *,
        deadlines: Deadlines,
        retries: Retries,
        chance: Callable[[], float],
    ) -> None:
        self.kind = dialect.kind
        self.name = dialect.name
        self._dialect = dialect
        self._upstream = upstream
        self._gate = gate
        self._breaker = breaker
        self._deadlines = deadlines
        self._retries = retries
        self._chance = chance

    @asynccontextmanager
    async def stream(self, prompt: Prompt) -> AsyncGenerator[AsyncIterator[Piece]]:
        """The pieces of one answer. Entering waits for the first output, at most ``first_token`` seconds.

        A job whose slot a person needs is stopped where it is and raises ``GaveWay``.
        """
        if not prompt.background:
            async with self._opened(prompt) as flow:
                yield flow
            return
        with anyio.CancelScope() as scope:
            async with self._opened(prompt, scope.cancel) as flow:
                yield flow
        if scope.cancelled_caught:
            raise GaveWay

    @asynccontextmanager
    async def _opened(
        self, prompt: Prompt, give_way: Callable[[], None] | None = None
    ) -> AsyncGenerator[Flow]:
        async with AsyncExitStack() as stack:
            flow: Flow | None = None
            has_slot = False
            slot = self._gate.slot(prompt.user, background=prompt.background, give_way=give_way)
            if prompt.background:
                with anyio.move_on_after(self._deadlines.job_slot):
                    await stack.enter_async_context(slot)
                    has_slot = True
                if not has_slot:
                    raise GaveWay
            limits = self._deadlines
            with anyio.move_on_after(limits.job_first_token if prompt.background else limits.first_token):
                if not has_slot:
                    await stack.enter_async_context(slot)
                    has_slot = True
                flow = await self._begun(prompt, stack)
            if flow is None:
                raise self._late(prompt, has_slot=has_slot)
            yield flow

    def _late(self, prompt: Prompt, *, has_slot: bool) -> ModelError:
        if not has_slot:
            return ModelError("overloaded", "the model had no free slot in time")
        self._failed(prompt, "first_token")
        return ModelError("first_token", "the model did not begin to answer in time")

    def _failed(self, prompt: Prompt, fault: ModelFault) -> None:
        """Only what people asked for says whether the server is well: jobs ask for much, and may be stopped."""
        if prompt.background:
            self._breaker.abandoned()
        else:
            self._breaker.failed(fault)

    async def _begun(self, prompt: Prompt, stack: AsyncExitStack) -> Flow:
        """A flow that has begun, after as many attempts as it takes and is allowed."""
        budget = self._retries.budget
        for attempt in range(self._retries.most + 1):
            self._breaker.enter()
            try:
                flow = await self._attempt(prompt, stack)
            except ModelError as error:
                self._failed(prompt, error.fault)
                asked = error.retry_after if isinstance(error, RefusalError) else None
                pause = self._retries.pause(attempt, self._chance(), asked)
                if error.fault not in PASSING or attempt == self._retries.most or pause > budget:
                    raise
            except BaseException:
                self._breaker.abandoned()
                raise
            else:
                self._breaker.succeeded()
                return flow
            budget -= pause
            await anyio.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    async def _attempt(self, prompt: Prompt, stack: AsyncExitStack) -> Flow:
        """One request, or a few where the server names an option that it does not know."""
        while True:
            async with AsyncExitStack() as own:
                post = self._upstream.post(
                    self._dialect.path, self._dialect.headers(), self._dialect.body(prompt)
                )
                response = await own.enter_async_context(post)
                if response.status == OK:
                    flow = await self._flow(prompt, response, own)
                    stack.push_async_exit(own.pop_all())
                    return flow
                body = await response.start_of_body()
                if not self._dialect.learn(response.status, body):
                    raise refusal(response.status, body, retry_after(response.headers))

    async def _flow(self, prompt: Prompt, response: Response, stack: AsyncExitStack) -> Flow:
        watch = Watch()
        stack.callback(watch.close)
        chunks = await stack.enter_async_context(aclosing(response.chunks()))
        most_tokens = self._dialect.most_tokens(prompt) + self._deadlines.tokens_over
        reader = self._dialect.reader(prompt)
        flow = Flow(reader, chunks, watch, self._deadlines, most_tokens, partial(self._failed, prompt))
        await flow.begin()
        return flow
