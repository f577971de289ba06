"""The models that speak for one session: begun and stopped by the response that they are the words of."""

from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup

from actors.streaming import Streaming
from companions.events import AskModel

if TYPE_CHECKING:
    from actors.session import Session


class Streams:
    """One for each response that is being made."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._running: dict[str, anyio.CancelScope] = {}

    def start(self, tasks: TaskGroup, ask: AskModel) -> None:
        """Ask the model; what ran for the same response stops."""
        session = self._session
        scope = anyio.CancelScope()
        self.stop(ask.response)
        self._running[ask.response] = scope
        desk, who, talk = session.services.desk, session.state.who, session.state.talk
        hidden = session.state.hidden
        streaming = Streaming(
            ask,
            model=session.services.model,
            post=session.address.post,
            now_ms=session.services.now_ms,
            run_tool=lambda call: desk.run_tool(who, call, talk.conversation if talk else None, hidden),
        )

        async def run() -> None:
            with scope:
                await streaming()
            if self._running.get(ask.response) is scope:
                del self._running[ask.response]

        tasks.start_soon(run, name="stream")

    def stop(self, response: str) -> None:
        """Close the request of a response, where there is one."""
        scope = self._running.pop(response, None)
        if scope is not None:
            scope.cancel()
