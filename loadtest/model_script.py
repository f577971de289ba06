"""What a model server of ours is told to say, and how to go wrong.

A script is played for one request. Everything in it is deterministic, so that two runs say the same.
"""

from typing import Literal, TypeAlias

import msgspec

Fault: TypeAlias = Literal[
    "none",
    "refuse",  # the connection is reset as soon as it is made
    "not_http",  # bytes that are no HTTP answer
    "redirect",  # to another address
    "stall_before_headers",
    "stall_first",  # headers, then nothing
    "stall",  # in the middle
    "pings",  # signs of life, no output
    "drip",  # single bytes that never make a token
    "never_end",
    "half_utf8",  # a character cut in two, the rest never comes
    "long_line",  # 10 MB without a newline
    "no_end",  # the body ends properly, the answer does not
    "no_newline",  # a good answer whose last line lacks its end
    "cut",  # the connection is closed within the body
    "reset",  # the connection is reset within the body
    "unknown_fields",
    "error_in_stream",
    "garbage",  # bytes of no protocol
    "half_json",  # a line that stops within its object
    "empty",  # an answer without a word
    "echo",  # the last message given back
    "role_markers",  # the model goes on and plays the person too
]
Thinking: TypeAlias = Literal[
    "none",
    "field",  # in the field that the dialect has for it
    "other_field",  # in the field that some servers use instead
    "tags",
    "unclosed",
    "no_opening",  # the template wrote the opening mark, so the text lacks it
    "nested",
    "empty_tags",
    "harmony",  # channels, as gpt-oss writes them
]

TEXT = (
    "It is good to hear from you. The kettle is on, the window is open, and there is nothing to be done "
    "right now. Tell me what is on your mind, and we will look at it together, one piece after another."
)
THOUGHT = "The person seems tired, so I should plan a short warm reply."
BIG = 10 * 1024 * 1024


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that the model calls; the arguments are JSON text."""

    name: str
    arguments: str
    id: str = "call_1"


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """One answer. ``tokens_per_second`` 0 is as fast as it goes; ``tokens`` repeats or cuts the text to
    that many.

    ``status`` other than 200 answers with an error of the dialect, ``retry_after`` with that header.
    ``refuses`` names request fields that are answered with 400. ``write_bytes`` cuts what is written into
    pieces of that size. After ``hold_after`` tokens nothing comes until the request is told to ``go_on``.
    """

    text: str = TEXT
    thought: str = THOUGHT
    tokens: int | None = None
    first_token: float = 0.0
    tokens_per_second: float = 0.0
    fault: Fault = "none"
    fault_after: int = 3  # tokens
    thinking: Thinking = "none"
    calls: tuple[Call, ...] = ()
    finish: Literal["stop", "length", "refused"] = "stop"
    status: int = 200
    retry_after: str | None = None
    refuses: tuple[str, ...] = ()
    write_bytes: int | None = None
    hold_after: int | None = None
    count: bool = True  # says how many tokens it used
    dimension: int = 384  # of embeddings


def tokens_of(text: str, most: int | None) -> list[str]:
    """The text as tokens, a word with the space before it each; repeated or cut to ``most``."""
    words = text.split(" ")
    tokens = [words[0], *(f" {word}" for word in words[1:])] if text else []
    if most is None or not tokens:
        return tokens
    return [tokens[n % len(tokens)] for n in range(most)]
