"""``fireside companions list|show|check``."""

import sys
from pathlib import Path
from typing import Annotated

import cyclopts
from cyclopts import Parameter

from companions.check import checked, listed, shown
from companions.folder import SHARED
from server.casting import companions, files_of, shipped

app = cyclopts.App(name="companions", help="Look at companions and check an own one.")

Folder = Annotated[str, Parameter(name="--folder", help="A folder of your own companions.")]


@app.command(name="list")
def list_(*, folder: Folder = "") -> None:
    """Every companion there is.

    For example:

        fireside companions list --folder ./my-companions
    """
    found = companions(folder)
    unique = {companion.id: companion for companion in found.values()}
    print("\n".join(listed(unique.values())))


@app.command
def show(name: str, *, folder: Folder = "") -> None:
    """What a companion is, does and remembers.

    For example:

        fireside companions show clara
    """
    found = companions(folder)
    if name not in found:
        print(f"There is no companion {name!r}; there are {', '.join(found)}.", file=sys.stderr)
        raise SystemExit(2)
    print("\n".join(shown(found[name])))


@app.command
def check(folder: Path) -> None:
    """Check a companion's folder: every fault with file, key and reason.

    For example:

        fireside companions check ./my-companions/iris
    """
    if not folder.is_dir():
        print(f"{folder} is not a folder.", file=sys.stderr)
        raise SystemExit(2)
    files = {**files_of(shipped() / "shared", SHARED), **files_of(folder)}
    report = checked(folder.resolve().name, files)
    for line in report.errors:
        print(f"error    {line}")
    for line in report.warnings:
        print(f"warning  {line}")
    if not report.errors:
        print("\n".join(report.lines))
    raise SystemExit(1 if report.errors else 0)
