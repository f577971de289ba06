"""The command as an operator gives it, in a process of its own that the nursery bears: what it said, how it ended."""

import tempfile
from collections.abc import Mapping
from typing import NamedTuple

from loadtest.nursery import Nursery


class Said(NamedTuple):
    """The exit code of a command, and what it wrote."""

    code: int
    out: str
    err: str


def fireside(born: Nursery, *words: str, environment: Mapping[str, str] | None = None) -> Said:
    """``fireside`` with these words, to its end; nothing is typed. No stack trace is ever shown."""
    with tempfile.TemporaryFile() as typed, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        life = born.born(words, (typed.fileno(), out.fileno(), err.fileno()), environment)
        try:
            code = life.ended()
        finally:
            life.close()
        out.seek(0)
        err.seek(0)
        said = Said(code, out.read().decode(), err.read().decode())
    assert "Traceback" not in said.err
    return said
