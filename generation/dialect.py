"""What a dialect of the model servers is: a request to write and a stream to read, without input or output.

A reader is fed bytes as they come and answers with pieces; it keeps a bounded rest and nothing else, so it
can be tested with any bytes cut anywhere. What the dialects share, their errors above all, is here.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Protocol

import msgspec

from companions.ports import (
    Finished,
    FinishReason,
    ModelError,
    ModelFault,
    Piece,
    Prompt,
    Text,
    ToolCall,
    Usage,
)
from generation.lines import Events, Lines, LineTooLongError
from generation.reasoning import Cutter, MissingOpeningError

MOST_CALLS = 32
MOST_ARGUMENT_CHARACTERS = 256 * 1024
SLUG = re.compile(r"[A-Za-z][A-Za-z_]{0,39}")

UNWANTED = re.compile(
    rb"un(?:supported|known|recognized|expected)|not (?:support|permitted|allowed)|extra|requires|deprecated",
    re.IGNORECASE,
)


class Reader(Protocol):
    """The pieces of one answer out of its bytes."""

    @property
    def tokens(self) -> int:
        """Pieces of model output so far, reasoning included; pings and empty deltas count for nothing."""
        ...

    @property
    def complete(self) -> bool:
        """The model said why it stopped: what may still follow is bookkeeping."""
        ...

    def feed(self, chunk: bytes) -> list[Piece]:
        """The pieces that ``chunk`` completes; raises ``ModelError``, where pieces came before it only later."""
        ...

    def check(self) -> None:
        """Raises the ``ModelError`` that came in one chunk with the last pieces, behind them."""
        ...

    def end(self) -> list[Piece]:
        """The last pieces, when the stream is over; raises ``ModelError`` when it ended in the middle."""
        ...


class Dialect(Protocol):
    """How one kind of server is spoken to."""

    kind: str
    name: str
    path: str  # appended to the server's address

    def headers(self) -> Mapping[str, str]:
        """What goes with each request, the key included."""
        ...

    def body(self, prompt: Prompt) -> bytes:
        """The request, as JSON."""
        ...

    def reader(self, prompt: Prompt) -> Reader:
        """A fresh reader for the answer to this prompt."""
        ...

    def most_tokens(self, prompt: Prompt) -> int:
        """The tokens that the request asks for, reasoning included."""
        ...

    def learn(self, status: int, body: bytes) -> bool:
        """Whether a refusal was about an option that the next request will do without."""
        ...


class Habits:
    """What is known of a server and its model, and what is learned from its answers.

    ``opened`` as in ``generation.reasoning``; ``without`` are the options that it does not take;
    ``reasoning_tokens`` is what a model that ``reasons`` may write beyond its answer.
    """

    def __init__(self, *, opened: bool = False, learns: bool = True, reasoning_tokens: int = 0) -> None:
        self.opened = opened
        self.reasons = opened
        self.reasoning_tokens = reasoning_tokens
        self.without: set[str] = set()
        self._learns = learns
        self._plain = False  # an answer was whole, and had no reasoning in its text

    @property
    def wary(self) -> bool:
        """Whether the model may yet turn out to begin inside its reasoning."""
        return self._learns and not (self.opened or self._plain)

    def most_tokens(self, prompt: Prompt) -> int:
        """Tokens to ask for: servers count reasoning as a part of the answer, and it must not eat the
        answer.
        """
        return prompt.max_tokens + (self.reasoning_tokens if self.reasons else 0)

    def opens(self) -> None:
        """An answer began inside its reasoning; the next one is read as such."""
        self.reasons = True
        self.opened = self.opened or self._learns

    def plain(self) -> None:
        """An answer was whole and began with itself: the next ones are not doubted."""
        self._plain = True

    def drop(self, status: int, body: bytes, options: Mapping[bytes, str]) -> bool:
        """Whether a refusal named one of ``options`` (words of an error, and what to leave out)."""
        if status not in (400, 422) or not UNWANTED.search(body):
            return False
        named = {option for words, option in options.items() if words in body} - self.without
        self.without |= named
        return bool(named)


class Answer(ABC):
    """The part of a reader that is the same everywhere: lines in, reasoning cut, one end.

    A dialect adds ``_take``, which is given each line (or event) and the list its pieces go to.
    """

    def __init__(self, splitter: Events | Lines, habits: Habits) -> None:
        self._splitter = splitter
        self._habits = habits
        self._cutter = Cutter(opened=habits.opened, wary=habits.wary)
        self._calls: list[ToolCall] = []
        self._usage: Usage | None = None
        self._reason: FinishReason | None = None
        self._over = False
        self._fault: ModelError | None = None
        self.tokens = 0

    @property
    def complete(self) -> bool:
        """As ``Reader`` promises."""
        return self._reason is not None

    def feed(self, chunk: bytes) -> list[Piece]:
        """As ``Reader`` promises."""
        self.check()
        pieces: list[Piece] = []
        try:
            self._feed(chunk, pieces)
        except ModelError as fault:
            if not pieces:
                raise
            self._fault = fault  # how much of an answer is kept does not hang on how its bytes were cut
        return pieces

    def check(self) -> None:
        """As ``Reader`` promises."""
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault

    def end(self) -> list[Piece]:
        """As ``Reader`` promises."""
        self.check()
        pieces: list[Piece] = []
        for line in self._splitter.end():
            self._line(line, pieces)
        if not self._over:
            self._close(pieces)
        return pieces

    def _feed(self, chunk: bytes, pieces: list[Piece]) -> None:
        try:
            for line in self._splitter.feed(chunk):
                self._line(line, pieces)
        except LineTooLongError as error:
            for line in error.before:
                self._line(line, pieces)
            raise ModelError("broken", "the model server sent a line without end") from None

    def _line(self, line: bytes, pieces: list[Piece]) -> None:
        if self._over or not line or line.isspace():
            return
        try:
            self._take(line, pieces)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise ModelError("broken", "the model server sent what is not its protocol") from None
        except MissingOpeningError:
            self._habits.opens()
            raise ModelError("broken", "the model's reasoning began without a mark") from None

    @abstractmethod
    def _take(self, line: bytes, pieces: list[Piece]) -> None:
        """Read one line (or event) of the dialect; what it says is added to ``pieces``."""

    def _text(self, text: str, pieces: list[Piece]) -> None:
        if text:
            self.tokens += 1
            if shown := self._cutter.feed(text):
                pieces.append(Text(shown))
            elif self._cutter.cut:
                self._habits.reasons = True
            if self._cutter.opened and not self._habits.opened:
                self._habits.opens()

    def _reasoning(self, text: str | None) -> None:
        if text:
            self.tokens += 1
            self._habits.reasons = True
            self._cutter.separated()

    def _call(self, call: ToolCall) -> None:
        if len(self._calls) == MOST_CALLS:
            raise ModelError("broken", "the model called more tools than any answer needs")
        self.tokens += 1
        self._calls.append(call)

    def _close(self, pieces: list[Piece]) -> None:
        """The end of the stream: what was held back, the calls, the count, the reason."""
        if self._reason is None:
            raise ModelError("broken", "the model's answer ended in the middle")
        self._over = True
        if rest := self._cutter.end(whole=self._reason != "length"):
            pieces.append(Text(rest))
        if self._cutter.shown and not self._cutter.opened:
            self._habits.plain()
        pieces.extend(self._calls)
        if self._usage is not None:
            pieces.append(self._usage)
        pieces.append(Finished("tool_calls" if self._calls and self._reason == "stop" else self._reason))


class ErrorDetail(msgspec.Struct, frozen=True):
    """What the servers say of an error, as far as it is safe to repeat."""

    type: str | None = None
    code: str | int | None = None


class ErrorBody(msgspec.Struct, frozen=True):
    """The two shapes an error comes in: an object, or a sentence."""

    error: ErrorDetail | str | None = None


ERROR = msgspec.json.Decoder(ErrorBody)
FAULTS_BY_WORD: tuple[tuple[str, ModelFault], ...] = (
    ("overload", "overloaded"),
    ("unavailable", "overloaded"),
    ("rate_limit", "rate_limited"),
    ("quota", "rate_limited"),
    ("auth", "unauthorized"),
    ("permission", "unauthorized"),
    ("not_found", "unknown_model"),
    ("invalid_request", "refused"),
    ("context", "refused"),
)


class RefusalError(ModelError):
    """An answer that is not 200; ``retry_after`` is what the server asks to wait, in seconds."""

    def __init__(self, fault: ModelFault, message: str, retry_after: float | None) -> None:
        super().__init__(fault, message)
        self.retry_after = retry_after


def refusal(status: int, body: bytes, retry_after: float | None) -> RefusalError:
    """The error for an answer that is not 200. No word of the body is kept but the name of the error."""
    name = _error_name(body)
    message = f"the model server answered {status}" + (f" ({name})" if name else "")
    return RefusalError(fault_of_status(status, body), message, retry_after)


def fault_of_status(status: int, body: bytes = b"") -> ModelFault:
    """What a status means. A 404 that does not speak of a model is a wrong address."""
    match status:
        case 401 | 403:
            return "unauthorized"
        case 404:
            return "unknown_model" if b"model" in body.lower() else "refused"
        case 429:
            return "rate_limited"
        case 408:
            return "overloaded"
        case _:
            return "overloaded" if status >= 500 else "refused"


def error_in_stream(error: ErrorDetail | str) -> ModelError:
    """The error that a server put in the middle of its stream, where it has no status any more."""
    if isinstance(error, str):
        return ModelError("broken", "the model server reported an error in its stream")
    for word in (str(error.type or ""), str(error.code or "")):
        if word.isdecimal() and int(word[:4]) >= 400:
            return ModelError(
                fault_of_status(int(word[:4])), f"the model server reported error {word[:4]} in its stream"
            )
        for part, fault in FAULTS_BY_WORD:
            if part in word.lower():
                return ModelError(fault, f"the model server reported {_slug(word) or fault} in its stream")
    return ModelError("broken", "the model server reported an error in its stream")


def _error_name(body: bytes) -> str | None:
    try:
        error = ERROR.decode(body).error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(error, ErrorDetail):
        return None
    return _slug(error.type or "") or _slug(str(error.code or ""))


def _slug(word: str) -> str | None:
    """A name such as ``context_length_exceeded``; anything else could be somebody's words."""
    return word if SLUG.fullmatch(word) else None


def arguments_of(call: ToolCall) -> msgspec.Raw:
    """The arguments as an object; what a model wrote that is none is an empty one, since servers refuse it."""
    try:
        msgspec.json.decode(call.arguments, type=dict[str, msgspec.Raw])
        return msgspec.Raw(call.arguments.encode())
    except (msgspec.DecodeError, UnicodeError):
        return msgspec.Raw(b"{}")
