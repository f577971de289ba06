"""What an operator can mend, said in a sentence: what is wrong, where, and what to do; never a stack trace."""

import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from companions.errors import PolicyError
from generation.local import LocalModelError
from generation.naming import BadModelNameError
from memory.data import BadTable
from server.listener import CannotListen
from server.order_line import ServerSilent
from server.settings import BadSetting
from storage.bringing_in import BadFile
from storage.lock import FolderHeld, FolderUnusable
from storage.refusals import StoreRefused

WRONG_SETTING = 2
FOLDER = 3
STORE = 4
SYSTEM = 5
INTERRUPTED = 130
READER_GONE = 141  # what a shell reports of a program that wrote into a closed pipe


class CannotStart(SystemExit):
    """Something is wrong that the operator can mend; it was said in plain words."""


@contextmanager
def said_plainly(folder: Path | None = None) -> Generator[None]:
    """Say what the operator can mend, and leave with its exit code; what is a fault of ours goes on as it is.

    ``folder`` is the data folder, where it is known.
    """
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains at its end
        raise CannotStart(READER_GONE) from None
    except KeyboardInterrupt:
        raise CannotStart(INTERRUPTED) from None
    except Exception as error:
        said = [plain_words(each, folder) for each in _leaves(error)]
        if not said or None in said or said[0] is None:
            raise
        words, code = said[0]
        print(f"fireside: {words}", file=sys.stderr)
        raise CannotStart(code) from None


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """What task groups have wrapped."""
    if isinstance(error, BaseExceptionGroup):
        group: BaseExceptionGroup[BaseException] = error  # pyright: ignore[reportUnknownVariableType]  # isinstance says nothing of what is in it
        for each in group.exceptions:
            yield from _leaves(each)
    else:
        yield error


def plain_words(error: BaseException, folder: Path | None = None) -> tuple[str, int] | None:
    """A sentence and an exit code; None for what no operator can mend."""
    match error:
        case (
            BadSetting()
            | PolicyError()
            | BadModelNameError()
            | LocalModelError()
            | CannotListen()
            | BadTable()
        ):
            return str(error), WRONG_SETTING
        case BadFile():
            return f"{error}. Nothing was brought in.", WRONG_SETTING
        case FolderHeld():
            return f"{error}. Stop it, or choose another folder with --data.", FOLDER
        case FolderUnusable():
            return f"{error}. Give its owner the right to write there, or choose another with --data.", FOLDER
        case ServerSilent():
            said = f"{error} is in use by a process that takes no orders now: a server that starts or stops"
            return f"{said}. Try again in a moment.", FOLDER
        case StoreRefused():
            return store_words(error, folder), STORE
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            return f"{where}{error.strerror or error}", SYSTEM
        case _:
            return None


def store_words(refused: StoreRefused, folder: Path | None) -> str:
    """What is wrong with the store, and what to do about it."""
    store = f"the store in {folder}" if folder is not None else "the store"
    match refused.code:
        case "storage.newer":
            return (
                f"{store} was written by a newer version of Fireside ({refused.detail}) and was left untouched. "
                "Start that version, or choose another folder with --data."
            )
        case "storage.damaged":
            return (
                f"{store} is damaged ({refused.detail}). `fireside serve` sets it aside, restores the newest good copy "
                "from backups/ and saves what can still be read."
            )
        case "storage.full":
            return f"{store} cannot be written: the disk is full. Make room and start again."
        case "storage.read_only":
            return f"{store} cannot be written ({refused.detail}). Look at the rights of the folder and its files."
        case "storage.busy":
            return f"{store} is locked by another program. End that program and start again."
        case "storage.failed":
            return f"{store} cannot be read or written ({refused.detail}). Look at the disk."
