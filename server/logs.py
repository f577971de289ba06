"""Structured logs without content: constant dotted names with fields, ids and never what was said.

What other libraries log passes the same way; an exception is logged by its type and its place in the code, since
its words can carry input.
"""

import logging
import sys
import traceback
from typing import Literal, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

Format = Literal["console", "json"]


def places_only(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """An exception as its type and the places it went through; its message may hold what a person wrote."""
    info: object = event.pop("exc_info", None)
    if not info:
        return event
    error: object = sys.exc_info()[1]
    if isinstance(info, BaseException):
        error = info
    if isinstance(error, BaseException):
        frames = traceback.extract_tb(error.__traceback__)
        event["exception"] = type(error).__name__
        event["at"] = [
            f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames[-8:]
        ]
    return event


def no_foreign_words(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """A record of another library: its template is kept, its arguments are not (they can hold frames)."""
    record = event.get("_record")
    if isinstance(record, logging.LogRecord):
        event["event"] = str(record.msg)
        event["source"] = record.name
    return event


def configure(level: str, form: Format, stream: TextIO | None = None) -> None:
    """Send every log line to ``stream`` (standard error), in one form."""
    shared: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        places_only,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    last: Processor = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=(stream or sys.stderr).isatty())
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[no_foreign_words, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, last],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for noisy in ("websockets", "httpx", "httpcore", "asyncio", "aiosqlite"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, root.level))
