"""What a run wrote, in order, and the files as a power cut may leave them.

A cut keeps what was synced. Of every later write the disk may have all, nothing, or some of its sectors of 512 bytes,
in any order over all files; a name that was made, moved or removed is only sure once its folder was synced, and such
changes reach the disk in their order.
"""

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

SECTOR: Final = 512
ACK: Final = "A"
_HEAD: Final = struct.Struct("=cIQQ")

Cut: TypeAlias = Literal["dropped", "mixed", "torn", "all"]
CUTS: Final[tuple[Cut, ...]] = ("dropped", "mixed", "torn", "all")


@dataclass(frozen=True)
class Event:
    """One record: ``what`` is C(reated), W(ritten), T(runcated), S(ynced), U(nlinked), R(enamed) or A(cknowledged)."""

    what: str
    path: str
    place: int
    content: bytes


def events(record: Path) -> Iterator[Event]:
    """Every record of the file, in order; a last one that is not whole is left out."""
    with record.open("rb") as file:
        while len(head := file.read(_HEAD.size)) == _HEAD.size:
            what, length, place, size = _HEAD.unpack(head)
            rest = file.read(length + size)
            if len(rest) < length + size:
                return
            yield Event(what.decode(), rest[:length].decode(), place, rest[length:])


def acknowledged(said: bytes) -> bytes:
    """A record of ``said``: somebody was promised this."""
    return _HEAD.pack(ACK.encode(), 0, 0, len(said)) + said


@dataclass
class _File:
    sure: bytearray = field(default_factory=bytearray)
    since: list[Event] = field(default_factory=list)  # not synced yet

    def synced(self) -> None:
        for event in self.since:
            _apply(self.sure, event)
        self.since.clear()

    def after(self, cut: Cut, chance: random.Random) -> bytearray:
        content = bytearray(self.sure)
        for event in self.since:
            if cut == "all" or (cut == "mixed" and chance.random() < 0.5):
                _apply(content, event)
            elif cut == "torn":
                _tear(content, event, chance)
        return content


def _apply(content: bytearray, event: Event) -> None:
    if event.what == "T":
        del content[event.place :]
        content.extend(bytes(event.place - len(content)))
        return
    if len(content) < event.place:
        content.extend(bytes(event.place - len(content)))
    content[event.place : event.place + len(event.content)] = event.content


def _tear(content: bytearray, event: Event, chance: random.Random) -> None:
    """Some sectors of a write; a truncation is whole or is none."""
    if event.what == "T":
        if chance.random() < 0.5:
            _apply(content, event)
        return
    start = event.place
    while start < event.place + len(event.content):
        end = min((start // SECTOR + 1) * SECTOR, event.place + len(event.content))
        if chance.random() < 0.5:
            part = event.content[start - event.place : end - event.place]
            _apply(content, Event("W", event.path, start, part))
        start = end


class Disk:
    """The files as they are while the record is read; ``syncs`` False: no fsync ever reaches it (a control)."""

    def __init__(self, *, syncs: bool = True) -> None:
        self._syncs = syncs
        self._sure: dict[str, _File] = {}
        self._now: dict[str, _File] = {}
        self._names: list[tuple[Event, _File]] = []  # changes of names that no folder's sync has made sure

    def take(self, event: Event) -> None:
        """The next record."""
        file = self._now.get(event.path)
        match event.what:
            case "C" | "U" | "R":
                file = _File() if file is None or event.what == "C" else file
                _name(self._now, event, file)
                self._names.append((event, file))
            case "S" if self._syncs:
                if file is not None:
                    file.synced()
                else:  # the folder
                    self._sure = dict(self._now)
                    self._names.clear()
            case "W" | "T" if file is not None:
                file.since.append(event)
            case _:
                pass

    def cut(self, chance: random.Random) -> tuple[Cut, dict[str, bytearray]]:
        """How the power went, and what the files are then."""
        how = chance.choice(CUTS)
        names = dict(self._sure)
        for event, file in self._names[: chance.randint(0, len(self._names))]:
            _name(names, event, file)
        return how, {path: file.after(how, chance) for path, file in names.items()}


def _name(names: dict[str, _File], event: Event, file: _File) -> None:
    if event.what != "C":
        names.pop(event.path, None)
    if event.what != "U":
        names[event.content.decode() if event.what == "R" else event.path] = file
