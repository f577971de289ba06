"""``fireside grants give|list|end``: who holds a role for a person, shown by a token that is printed once."""

import os
import secrets
import time
from pathlib import Path
from typing import Annotated, Literal

import cyclopts
from cyclopts import Parameter

from server.ids import new_id
from server.plain_words import said_plainly
from server.settings import load
from storage.connection import inline, read_only, transacted
from storage.grants import BothRoles, Grant, all_grants, digest_of, end, give
from storage.lock import held

STORE_FILE = "fireside.db"
TOKEN_BYTES = 32

app = cyclopts.App(name="grants", help="Who holds a role for a person beside the person themselves.")

ConfigFile = Annotated[Path | None, Parameter(name="--config", help="A TOML file with settings.")]
Data = Annotated[Path | None, Parameter(help="The data folder.")]
Basis = Literal["parent", "legal_representative", "best_interest"]


def _folder(config: Path | None, data: Path | None) -> Path:
    given = {"data.folder": str(data) if data is not None else None}
    folder = load(config, os.environ, given).settings.folder
    if not (folder / STORE_FILE).exists():
        raise SystemExit(f"There is no store at {folder / STORE_FILE}.")
    return folder


@app.command(name="give")
def give_(
    *,
    name: str,
    role: Literal["caregiver", "safeguarding"],
    user: str,
    companion: str = "",
    basis: Basis | None = None,
    config: ConfigFile = None,
    data: Data = None,
) -> None:
    """Give a role for one person, and print the token that shows it: once, and it is kept nowhere.

    ``--basis`` is the basis on which the holder may consent for the person: whoever runs this has seen that it holds.
    Without one they see what others consented to. The server must be stopped.

    For example:

        fireside grants give --name "Maria" --role caregiver --user ann --companion clara --basis legal_representative
    """
    folder, token = _folder(config, data), secrets.token_urlsafe(TOKEN_BYTES)
    name = name.strip()
    if not 0 < len(name) <= 60 or not name.isprintable() or not user:
        raise SystemExit("A name is one line of up to 60 characters, and a user is named.")
    if basis is not None and role != "caregiver":
        raise SystemExit("Only a caregiver consents for a person.")
    grant = Grant(id=new_id("grt"), name=name, role=role, user=user, companion=companion, basis=basis)
    at = int(time.time() * 1_000)
    with said_plainly(folder), held(folder), inline(folder / STORE_FILE, at=at) as store:
        try:
            transacted(store.db, lambda db: give(db, grant, digest=digest_of(token), at=at))
        except BothRoles:
            raise SystemExit(
                f"{name} has the other role for {user}; abuse is told to neither family nor carer."
            ) from None
    print(f"{grant.id}\n{token}")


@app.command(name="list")
def list_(*, config: ConfigFile = None, data: Data = None) -> None:
    """The grants there are, without their tokens. A server may be running.

    For example:

        fireside grants list --data /var/lib/fireside
    """
    with said_plainly(), read_only(_folder(config, data) / STORE_FILE) as db:
        for each in all_grants(db):
            print(
                f"{each.id}  {each.role:<12}  {each.user}  {each.companion or '*'}  {each.basis or '-'}  {each.name}"
            )


@app.command(name="end")
def end_(grant: str, *, config: ConfigFile = None, data: Data = None) -> None:
    """End a grant, and with it whatever its holder had consented to. The server must be stopped.

    For example:

        fireside grants end grt_01a2... --data /var/lib/fireside
    """
    folder = _folder(config, data)
    with said_plainly(folder), held(folder), inline(folder / STORE_FILE) as store:
        ended = transacted(store.db, lambda db: end(db, grant, at=int(time.time() * 1_000)))
    if not ended:
        raise SystemExit("There is no such grant.")
    print("It has ended.")
