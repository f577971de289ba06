"""What the store refuses waits in a file beside it, so that a power cut does not take it too (decision D2).

The file is made in full size beforehand, because it is needed when the disk is full, and is its owner's alone
(0600). Each record is its length, the CRC-32 of its payload and the payload: one group of changes as JSON. A
record that was torn, and all after it, was never promised to anybody. What was replayed is overwritten. Beside an
encrypted store the payload is sealed.
"""

import os
import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from struct import Struct
from typing import Final, TypeAlias

import msgspec

from companions.changes import AnyChange
from storage.engine import key_of
from storage.refusals import translated
from storage.sealing import BadSeal, Seal

Group: TypeAlias = tuple[AnyChange, ...]

SPILL_BYTES: Final = 4 * 1024 * 1024
_MAGIC: Final = b"fireside spill 1"
_RECORD: Final = Struct("<II")
_ZEROS: Final = bytes(1024 * 1024)
_DECODER: Final = msgspec.json.Decoder(Group)


class Spill:
    """The open file. Every method raises ``StoreRefused`` where the disk refuses."""

    def __init__(self, descriptor: int, size: int, key: bytes | None = None) -> None:
        self._file = descriptor
        self._seal = None if key is None else Seal(key)
        self._size = size
        self._end = len(_MAGIC)
        self.torn = 0  # bytes behind the last whole record that are something: torn, or of another version

    def waiting(self) -> list[Group]:
        """The groups that are kept, in the order in which they came; what follows is written after them."""
        with translated():
            content = os.pread(self._file, self._size, 0)
        found: list[Group] = []
        self._end = len(_MAGIC)
        while (payload := _record_at(content, self._end)) is not None:
            try:
                found.append(_DECODER.decode(payload if self._seal is None else self._seal.opened(payload)))
            except (
                msgspec.DecodeError,
                BadSeal,
            ):  # another version's change: what it says is not for this one
                break
            self._end += _RECORD.size + len(payload)
        self.torn = max(0, len(content.rstrip(b"\0")) - self._end)
        return found

    def keep(self, groups: Sequence[Group]) -> int:
        """Append ``groups`` and bring them to the disk; how many of them had room."""
        written, records = 0, bytearray()
        for group in groups:
            payload = msgspec.json.encode(group)
            payload = payload if self._seal is None else self._seal.closed(payload)
            record = _RECORD.pack(len(payload), zlib.crc32(payload)) + payload
            if self._end + len(records) + len(record) > self._size:
                break
            records += record
            written += 1
        if records:
            with translated():
                end = bytes(min(_RECORD.size, self._size - self._end - len(records)))
                _write(self._file, bytes(records) + end, self._end)  # what lies behind is none of the next
                os.fsync(self._file)
            self._end += len(records)
        return written

    def clear(self) -> None:
        """Everything kept has landed: overwrite it, and what was found behind it."""
        end, self._end, self.torn = min(self._size, self._end + self.torn), len(_MAGIC), 0
        with translated():
            for at in range(self._end, end, len(_ZEROS)):
                _write(self._file, _ZEROS[: min(len(_ZEROS), end - at)], at)
            os.fsync(self._file)


def _record_at(content: bytes, at: int) -> bytes | None:
    if at + _RECORD.size > len(content):
        return None
    length, checksum = _RECORD.unpack_from(content, at)
    payload = content[at + _RECORD.size : at + _RECORD.size + length]
    return payload if length and len(payload) == length and zlib.crc32(payload) == checksum else None


def _write(descriptor: int, content: bytes, at: int) -> None:
    while content:
        done = os.pwrite(descriptor, content, at)
        content, at = content[done:], at + done


@contextmanager
def spill(path: Path, size: int = SPILL_BYTES) -> Generator[Spill]:
    """The spill file at ``path``, made with ``size`` bytes where there is none; raises ``StoreRefused``."""
    with translated():
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        with translated():
            os.fchmod(descriptor, 0o600)
            size = max(size, os.fstat(descriptor).st_size)
            if os.pread(descriptor, len(_MAGIC), 0) != _MAGIC:
                os.ftruncate(descriptor, 0)
                _write(descriptor, _MAGIC, 0)
            _fill(descriptor, size)
        yield Spill(descriptor, size, key_of(path))
    finally:
        os.close(descriptor)


def _fill(descriptor: int, size: int) -> None:
    """Take up ``size`` bytes on the disk now, where the file system can promise them."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
        return
    have = os.fstat(descriptor).st_size  # macOS: by writing them
    for at in range(have, size, len(_ZEROS)):
        _write(descriptor, _ZEROS[: min(len(_ZEROS), size - at)], at)
