"""Bytes off the wire into lines, and lines into server-sent events.

Both splitters keep only the unfinished rest of what they were fed, and that rest is bounded: a server that
never sends a newline costs 64 KiB and then its answer. Bytes are split before they are decoded, so a
character cut in half by a chunk border is whole again in its line.
"""

from itertools import takewhile

MOST_LINE_BYTES = 64 * 1024
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DATA_FIELDS = (b"data", b"error")  # llama.cpp has sent its errors in a field of that name


class LineTooLongError(Exception):
    """A line, or the data of one event, is longer than ``MOST_LINE_BYTES``; ``before`` came whole ahead of it."""

    def __init__(self, before: list[bytes]) -> None:
        super().__init__()
        self.before = before


class Lines:
    """Splits at LF, CRLF or CR wherever the chunks are cut. Lines come without their end."""

    def __init__(self) -> None:
        self._rest = b""
        self._after_return = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that ``chunk`` completes. Raises ``LineTooLongError``."""
        if self._after_return and chunk:
            self._after_return = False
            chunk = chunk.removeprefix(b"\n")  # the second half of a CRLF cut in two
        if b"\r" in chunk:
            self._after_return = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = (self._rest + chunk).split(b"\n") if self._rest else chunk.split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > MOST_LINE_BYTES or (lines and max(map(len, lines)) > MOST_LINE_BYTES):
            self._rest = b""
            raise LineTooLongError(list(takewhile(lambda line: len(line) <= MOST_LINE_BYTES, lines)))
        return lines

    def end(self) -> list[bytes]:
        """The last line, when the stream ended without a newline."""
        rest, self._rest = self._rest, b""
        return [rest] if rest else []


class Events:
    """The data of server-sent events, as the HTML standard parses them.

    Comments, ids and event names are dropped: every dialect repeats the name inside the data. Unlike a
    browser it also hands out an event that the end of the stream left without its blank line.
    """

    def __init__(self) -> None:
        self._lines = Lines()
        self._data: list[bytes] = []
        self._bytes = 0
        self._begun = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of each event that ``chunk`` completes. Raises ``LineTooLongError``."""
        events: list[bytes] = []
        try:
            for line in self._lines.feed(chunk):
                self._take(line, events)
        except LineTooLongError as error:
            for line in error.before:
                self._take(line, events)
            raise LineTooLongError(events) from None
        return events

    def end(self) -> list[bytes]:
        """What was complete but for its last newlines."""
        events: list[bytes] = []
        for line in [*self._lines.end(), b""]:
            self._take(line, events)
        return events

    def _take(self, line: bytes, events: list[bytes]) -> None:
        if not self._begun:
            self._begun = True
            line = line.removeprefix(BYTE_ORDER_MARK)
        if not line:
            self._dispatch(events)
        elif line[:6] == b"data: ":
            self._add(line[6:])
        else:
            field, _, value = line.partition(b":")  # a comment begins with the colon, so its field is empty
            if field in DATA_FIELDS:
                self._add(value.removeprefix(b" "))

    def _add(self, data: bytes) -> None:
        self._data.append(data)
        self._bytes += len(data)
        if self._bytes > MOST_LINE_BYTES:
            raise LineTooLongError([])

    def _dispatch(self, events: list[bytes]) -> None:
        if self._data:
            events.append(self._data[0] if len(self._data) == 1 else b"\n".join(self._data))
            self._data, self._bytes = [], 0
