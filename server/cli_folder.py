"""What commands for staff share: the data folder that is meant, and orders that are carried out in it."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from server.keys import unlocked
from server.order_line import STORE_FILE, ordered
from server.orders import Answer, AnyOrder, NotDone
from server.plain_words import said_plainly
from server.settings import load

ConfigFile = Annotated[Path | None, Parameter(name="--config", help="A TOML file with settings.")]
Data = Annotated[Path | None, Parameter(help="The data folder.")]


def store_folder(config: Path | None, data: Path | None) -> Path:
    """The data folder; leaves with a sentence where there is no store in it."""
    given = {"data.folder": str(data) if data is not None else None}
    settings = load(config, os.environ, given).settings
    folder = settings.folder
    if not (folder / STORE_FILE).exists():
        raise SystemExit(f"There is no store at {folder / STORE_FILE}.")
    with said_plainly(folder):
        unlocked(settings)
    return folder


def answered(folder: Path, order: AnyOrder) -> Answer:
    """Have ``order`` carried out; a refusal is a sentence on standard error."""
    with said_plainly(folder):
        try:
            return ordered(folder, order)
        except NotDone as refused:
            raise SystemExit(str(refused)) from None


def done(folder: Path, order: AnyOrder) -> None:
    """Have ``order`` carried out and print its answer."""
    for line in answered(folder, order).lines:
        print(line)


def told(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print ``rows`` in columns under their heads."""
    lines = [heads, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(heads))]
    for line in lines:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())
