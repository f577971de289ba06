"""A model server of our own: it speaks each dialect as the real ones do, at a set pace and with set faults.

In a test: ``async with model_server(Script(fault="stall")) as server`` gives its ``url`` and the
``requests`` it was sent, each of which tells when it ended and whether the client closed it early. On its
own::

    python -m loadtest.model_server --port 8099 --tokens-per-second 50 --tokens 200

One timer and one write a token, so that one core streams to hundreds of clients.
"""

import asyncio
import socket
import struct
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import assert_never

import anyio
import cyclopts
import msgspec

from loadtest.model_dialects import Json, form_of
from loadtest.model_play import Action, Step, body
from loadtest.model_script import Fault, Script, Thinking
from loadtest.model_vectors import CHAT_OF, embeddings, vectors_body

REASONS = {200: b"OK", 302: b"Found", 400: b"Bad Request", 401: b"Unauthorized", 429: b"Too Many Requests"}
OBJECT = msgspec.json.Decoder(Json)


class Request:
    """What was asked, and what became of it."""

    def __init__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.ended = anyio.Event()
        self.closed_early = False  # the client closed before the answer was complete
        self.writes = 0
        self.may_go_on = False
        self.freed: Callable[[], None] = lambda: None  # called when what a script holds back may come

    def go_on(self) -> None:
        """What the script holds back may come: now, or when it is reached."""
        self.may_go_on = True
        self.freed()

    def json(self) -> Json:
        """The body as the object it is; empty when it is none."""
        try:
            return OBJECT.decode(self.body)
        except msgspec.DecodeError:
            return {}

    @property
    def is_job(self) -> bool:
        """Whether an answer in a given form is wanted: a summary or facts, and no person waits for it."""
        return not {"response_format", "format"}.isdisjoint(self.json())

    def end(self, *, early: bool) -> None:
        """The answer is over."""
        if not self.ended.is_set():
            self.closed_early = early
            self.ended.set()


class ModelServer:
    """The scripts, played one a request (the last one again and again), and the requests so far."""

    def __init__(self, scripts: tuple[Script, ...], models: tuple[str, ...]) -> None:
        self.scripts = list(scripts) or [Script()]
        self.models = models
        self.choose: Callable[[Request], Script] | None = None  # by what is asked, in place of the list
        self.requests: list[Request] = []
        self.connections: set[Connection] = set()
        self.arrived = anyio.Event()
        self.port = 0

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def streaming(self) -> int:
        """Answers under way."""
        return sum(not request.ended.is_set() for request in self.requests)

    def play(self, *scripts: Script) -> None:
        """From now on these."""
        self.scripts = list(scripts)

    @property
    def talked(self) -> list[Request]:
        """The requests for which a person waits."""
        return [request for request in self.requests if not request.is_job]

    def next_script(self) -> Script:
        """The script for the request that has come."""
        return self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]

    def add(self, request: Request) -> None:
        """A request has come."""
        self.requests.append(request)
        self.arrived.set()
        self.arrived = anyio.Event()

    async def asked(self, count: int = 1) -> Request:
        """Waits until ``count`` requests have come; the last of them."""
        while len(self.requests) < count:
            await self.arrived.wait()
        return self.requests[count - 1]


class Connection(asyncio.Protocol):
    """One client's connection: requests one after the other, each answered by a script."""

    def __init__(self, server: ModelServer) -> None:
        self.server = server
        self.loop = asyncio.get_running_loop()
        self.buffer = b""
        self.transport: asyncio.Transport | None = None
        self.request: Request | None = None
        self.steps: Iterator[Step] = iter(())
        self.timer: asyncio.TimerHandle | None = None
        self.next_at = 0.0
        self.paused = False
        self.held = False
        self.step: Step | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has come."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.connections.add(self)
        if self.server.scripts[0].fault == "refuse":
            self.server.next_script()
            self.reset()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # why does not matter
        """The client is gone, or was sent away."""
        self.server.connections.discard(self)
        self.transport = None
        self.stop()
        if self.request is not None:
            self.request.end(early=True)

    def stop(self) -> None:
        """No further step."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def reset(self) -> None:
        """Closes so that the other side sees a reset instead of an end."""
        if self.transport is not None:
            sock = self.transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Bytes of a request."""
        self.buffer += data
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        lines = head.decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ", 2)
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }
        length = int(headers.get("content-length", "0"))
        if len(rest) >= length:
            self.buffer = rest[length:]
            self.answer(Request(method, path, headers, rest[:length]))

    def answer(self, request: Request) -> None:
        """Begins to play the script for this request."""
        if request.method == "GET" or request.path == "/api/show":
            self.describe(request)
            return
        script = self.server.choose(request) if self.server.choose else self.server.next_script()
        self.request = request
        self.server.add(request)
        steps = self.play(script, request)
        self.steps = in_pieces(steps, script.write_bytes) if script.write_bytes else steps
        self.next_at = self.loop.time()
        self.advance()

    def play(self, script: Script, request: Request) -> Iterator[Step]:
        """The whole answer as steps."""
        question = request.json()
        chat = CHAT_OF.get(request.path, request.path)
        form = form_of(chat, question, unknown_fields=script.fault == "unknown_fields")
        if script.fault == "stall_before_headers":
            yield 0.0, "hang"
        if script.fault == "not_http":
            yield 0.0, b"\x00\x01 this is not HTTP\r\n\r\n"
            yield 0.0, "close"
        if script.fault == "redirect":
            yield 0.0, head(302, (("location", "http://127.0.0.1:9/elsewhere"), ("content-length", "0")))
            yield 0.0, "end"
        refused = [name for name in script.refuses if name in question]
        if form is None or script.status != 200 or refused:
            yield 0.0, self.refusal(script, request, refused)
            yield 0.0, "end"
            return
        if request.path in CHAT_OF:
            yield 0.0, head(200, (("content-type", "application/json"), ("transfer-encoding", "chunked")))
            yield from vectors_body(script, embeddings(request.path, question, script))
            return
        yield 0.0, head(200, (("content-type", form.content_type), ("transfer-encoding", "chunked")))
        yield from body(script, form, question, prompt_tokens=len(request.body) // 4)

    def refusal(self, script: Script, request: Request, refused: list[str]) -> bytes:
        """An answer that says no, in the dialect of the path."""
        form = form_of(CHAT_OF.get(request.path, request.path), {}, unknown_fields=False)
        status = 404 if form is None else 400 if refused else script.status
        words = (
            f"Unsupported parameter: {refused[0]}"
            if refused
            else "model trouble; " + request.body.decode()[-80:]
        )
        content = form.refusal(status, words) if form else b'{"error":"no such page"}'
        headers = [("content-type", "application/json"), ("content-length", str(len(content)))]
        if script.retry_after is not None:
            headers.append(("retry-after", script.retry_after))
        return head(status, headers) + content

    def describe(self, request: Request) -> None:
        """What the server says of its models."""
        models = self.server.models
        content: dict[str, object]
        if request.path == "/api/tags":
            content = {
                "models": [{"name": name, "model": name, "details": {"family": "llama"}} for name in models]
            }
        elif request.path == "/api/show":
            name = str(request.json().get("model", ""))
            content = {"capabilities": ["embedding"] if "embed" in name else ["completion", "tools"]}
        else:
            content = {"object": "list", "data": [{"id": name, "object": "model"} for name in models]}
        data = msgspec.json.encode(content)
        self.write(
            head(200, (("content-type", "application/json"), ("content-length", str(len(data))))) + data
        )

    def write(self, data: bytes) -> None:
        """To the client, if there still is one."""
        if self.transport is not None:
            self.transport.write(data)
            if self.request is not None:
                self.request.writes += 1

    def pause_writing(self) -> None:
        """The client reads slowly."""
        self.paused = True

    def resume_writing(self) -> None:
        """The client has caught up."""
        self.paused = False
        if self.timer is None:
            self.advance()

    def go_on(self) -> None:
        """What was held back is due from now on."""
        self.held, self.next_at = False, self.loop.time()
        if self.timer is None:
            self.advance()

    def advance(self) -> None:
        """Takes the next step when it is due; each step is a turn of the loop of its own."""
        self.timer = None
        if self.transport is None or self.paused or self.held:
            return
        if self.step is None:
            self.step = next(self.steps, (0.0, "end"))
            self.next_at += self.step[0]
        if self.next_at > self.loop.time():
            self.timer = self.loop.call_at(self.next_at, self.advance)
            return
        step, self.step = self.step, None
        if self.take(step[1]):
            self.timer = self.loop.call_at(self.next_at, self.advance)

    def take(self, what: bytes | Action) -> bool:
        """Writes, or does what is to be done; whether the play goes on."""
        match what:
            case bytes():
                self.write(what)
                return True
            case "hang":
                return False
            case "hold":
                if self.request is None or self.request.may_go_on:
                    return True
                self.held, self.request.freed = True, self.go_on
                return False
            case "reset" | "close" | "end":
                if self.request is not None:
                    self.request.end(early=False)
                    self.request = None
                if what == "reset":
                    self.reset()
                elif what == "close" and self.transport is not None:
                    self.transport.close()
                return False
            case _:
                assert_never(what)


def head(status: int, headers: tuple[tuple[str, str], ...] | list[tuple[str, str]]) -> bytes:
    """The first lines of an answer."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return b"HTTP/1.1 %d %b\r\n" % (status, REASONS.get(status, b"Because")) + lines.encode() + b"\r\n"


def in_pieces(steps: Iterator[Step], size: int) -> Iterator[Step]:
    """The same bytes, written ``size`` at a time."""
    for pause, what in steps:
        if isinstance(what, bytes):
            for at in range(0, len(what), size):
                yield (0.0 if at else pause), what[at : at + size]
        else:
            yield pause, what


@asynccontextmanager
async def model_server(
    *scripts: Script, port: int = 0, models: tuple[str, ...] = ("test-model",)
) -> AsyncGenerator[ModelServer]:
    """A server on loopback; at the end every connection is closed."""
    server = ModelServer(scripts, models)
    listener = await asyncio.get_running_loop().create_server(lambda: Connection(server), "127.0.0.1", port)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        for connection in list(server.connections):
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.sleep(0)  # the connections learn of it in the next turn of the loop


def main(
    *,
    port: int = 8099,
    tokens_per_second: float = 50.0,
    tokens: int = 200,
    first_token: float = 0.1,
    fault: Fault = "none",
    thinking: Thinking = "none",
) -> None:
    """Serves a model that says the same to everyone, until it is interrupted.

    It speaks OpenAI's dialect at /v1, Ollama's at /api and Anthropic's at /v1/messages; embeddings in the first two.
    """
    script = Script(
        tokens=tokens,
        tokens_per_second=tokens_per_second,
        first_token=first_token,
        fault=fault,
        thinking=thinking,
    )

    async def serve() -> None:
        async with model_server(script, port=port) as server:
            print(f"openai:test-model@{server.url}/v1", flush=True)  # what to connect to
            await anyio.sleep_forever()

    with suppress(KeyboardInterrupt):
        asyncio.run(serve())


if __name__ == "__main__":
    cyclopts.run(main)
