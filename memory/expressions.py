"""Regular expressions that are compiled when they are first looked for.

Compiling one takes up to a millisecond, and a module has several: importing the readers would cost more than reading
dozens of messages.
"""

import re
from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias

from memory.once import once

Match: TypeAlias = re.Match[str]


class Sub(Protocol):
    """Puts something else in the place of what is found."""

    def __call__(self, repl: str | Callable[[Match], str], string: str, /) -> str:
        """As `re.Pattern.sub`."""
        ...


class Expression:
    """A regular expression, used like one that is compiled; its methods are looked up once."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self.source = source
        self.flags = flags

    @once
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled."""
        return re.compile(self.source, self.flags)

    @once
    def search(self) -> Callable[..., Match | None]:
        """As `re.Pattern.search`."""
        return self.pattern.search

    @once
    def match(self) -> Callable[..., Match | None]:
        """As `re.Pattern.match`."""
        return self.pattern.match

    @once
    def fullmatch(self) -> Callable[..., Match | None]:
        """As `re.Pattern.fullmatch`."""
        return self.pattern.fullmatch

    @once
    def findall(self) -> Callable[..., list[str]]:
        """As `re.Pattern.findall`, of an expression of at most one group."""
        return self.pattern.findall

    @once
    def finditer(self) -> Callable[..., Iterator[Match]]:
        """As `re.Pattern.finditer`."""
        return self.pattern.finditer

    @once
    def sub(self) -> Sub:
        """As `re.Pattern.sub`."""
        return self.pattern.sub

    @once
    def split(self) -> Callable[..., list[str]]:
        """As `re.Pattern.split`, of an expression without groups."""
        return self.pattern.split
