"""One model stream, read in a task of its own: words come back to the session as few events as the eye needs.

The first piece is posted at once; after it, what comes within a frame's time is gathered into one event
(design: a mailbox hop per frame, not per token). Tools the policy allows are run here, within bounds.
"""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import structlog

from companions.events import AskModel, ModelFailed, ModelFinished, PieceCame, ToolAsked, ToolFound
from companions.ports import (
    Finished,
    LanguageModel,
    ModelError,
    Prompt,
    PromptMessage,
    Text,
    ToolAnswer,
    ToolCall,
    Usage,
)

FRAME_SECONDS = 0.04
MOST_TOOL_ROUNDS = 3
MOST_CALLS = 4
TOOL_SECONDS = 20.0  # after so long the model is asked for its answer, whatever it would still look up
NO_TOOL = ToolAnswer("This tool is not available.")

log: structlog.stdlib.BoundLogger = structlog.get_logger("model")

StreamEvent = PieceCame | ToolAsked | ToolFound | ModelFinished | ModelFailed
RunTool = Callable[[ToolCall], Awaitable[ToolAnswer]]


class Streaming:
    """Reads one answer of the model and posts what came of it."""

    def __init__(
        self,
        ask: AskModel,
        *,
        model: LanguageModel,
        post: Callable[[StreamEvent], object],
        now_ms: Callable[[], int],
        run_tool: RunTool,
    ) -> None:
        self._ask = ask
        self._model = model
        self._post = post
        self._now_ms = now_ms
        self._run_tool = run_tool
        self._gathered: list[str] = []
        self._flush: asyncio.TimerHandle | None = None
        self._first = True
        self._began = now_ms()
        self._usage: list[Usage] = []

    async def __call__(self) -> None:
        """Stream until the model is done, fails, or the task is cancelled (which closes the upstream)."""
        try:
            finished = await self._rounds(self._ask.prompt)
        except ModelError as error:
            log.info("model.failed", fault=error.fault, response=self._ask.response)
            self._send_gathered()
            self._post(
                ModelFailed(
                    response=self._ask.response,
                    attempt=self._ask.attempt,
                    fault=error.fault,
                    at=self._now_ms(),
                    took_ms=self._now_ms() - self._began,
                )
            )
        else:
            self._send_gathered()
            self._post(self._finished(finished))
        finally:
            if self._flush is not None:
                self._flush.cancel()

    async def _rounds(self, prompt: Prompt) -> Finished:
        """The model's turns: after tools were run it goes on, at most ``MOST_TOOL_ROUNDS`` times, and in time."""
        clock = asyncio.get_running_loop().time
        until = clock() + TOOL_SECONDS
        for round_ in range(MOST_TOOL_ROUNDS + 1):
            last = round_ == MOST_TOOL_ROUNDS or clock() > until
            asked = msgspec.structs.replace(prompt, tools=()) if last else prompt
            said, calls, finished = await self._one(asked)
            if not calls or last:
                return finished
            self._post(
                ToolAsked(
                    response=self._ask.response,
                    attempt=self._ask.attempt,
                    calls=tuple(calls),
                    at=self._now_ms(),
                )
            )
            prompt = await self._with_results(prompt, said, calls)
        raise AssertionError("the last round returns")

    async def _with_results(self, prompt: Prompt, said: str, calls: list[ToolCall]) -> Prompt:
        offered = {tool.name for tool in prompt.tools}
        found: list[str] = []
        turns = [PromptMessage(role="assistant", text=said, calls=tuple(calls))]
        for call in calls:
            allowed = call.name in offered and len(turns) <= MOST_CALLS
            answer = await self._run_tool(call) if allowed else NO_TOOL
            found += answer.found
            turns.append(PromptMessage(role="tool", text=answer.text, call=call.id))
        if found:
            self._post(
                ToolFound(response=self._ask.response, attempt=self._ask.attempt, messages=tuple(found))
            )
        return msgspec.structs.replace(prompt, messages=(*prompt.messages, *turns))

    async def _one(self, prompt: Prompt) -> tuple[str, list[ToolCall], Finished]:
        said: list[str] = []
        calls: list[ToolCall] = []
        async with self._model.stream(prompt) as pieces:
            async for piece in pieces:
                match piece:
                    case Text(text=text):
                        said.append(text)
                        self._gather(text)
                    case ToolCall():
                        calls.append(piece)
                    case Usage():
                        self._usage.append(piece)
                    case Finished():
                        return "".join(said), calls, piece
        raise ModelError("broken", "The stream ended without its end.")

    def _gather(self, text: str) -> None:
        self._gathered.append(text)
        if self._first:
            self._first = False
            self._send_gathered()
        elif self._flush is None:
            self._flush = asyncio.get_running_loop().call_later(FRAME_SECONDS, self._send_gathered)

    def _send_gathered(self) -> None:
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        if self._gathered:
            text = "".join(self._gathered)
            self._gathered.clear()
            self._post(
                PieceCame(
                    response=self._ask.response, attempt=self._ask.attempt, text=text, at=self._now_ms()
                )
            )

    def _finished(self, finished: Finished) -> ModelFinished:
        now = self._now_ms()
        return ModelFinished(
            response=self._ask.response,
            attempt=self._ask.attempt,
            reason=finished.reason,
            at=now,
            took_ms=now - self._began,
            prompt_tokens=sum(each.prompt_tokens for each in self._usage) if self._usage else None,
            completion_tokens=sum(each.completion_tokens for each in self._usage) if self._usage else None,
        )
