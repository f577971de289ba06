"""``fireside grants give|list|end``: who holds a role for a person, shown by a token that is printed once."""

from typing import Annotated, Literal

import cyclopts
from cyclopts import Parameter

from companions.consenting import Basis as AnyBasis
from server.cli_folder import ConfigFile, Data, done, store_folder, told
from server.order_line import STORE_FILE
from server.orders import EndGrant, GiveGrant
from server.plain_words import said_plainly
from storage.connection import read_only
from storage.grants import all_grants

app = cyclopts.App(name="grants", help="Who holds a role for a person beside the person themselves.")

Basis = Literal["parent", "legal_representative", "best_interest"]


@app.command(name="give")
def give_(
    *,
    name: Annotated[str, Parameter(help="Who holds it, as the person knows them and is told.")],
    role: Annotated[
        Literal["caregiver", "safeguarding"],
        Parameter(help="What for; nobody holds both for one person."),
    ],
    user: Annotated[str, Parameter(help="For whom.")],
    companion: Annotated[str, Parameter(help="With which companion; without it with every one.")] = "",
    basis: Annotated[
        Basis | None, Parameter(help="On which basis a caregiver may consent for the person; see above.")
    ] = None,
    config: ConfigFile = None,
    data: Data = None,
) -> None:
    """Give a role for one person, and print the token that shows it: once, and it is kept nowhere.

    ``--basis`` is the basis on which the holder may consent for the person: whoever runs this has seen that it holds.
    Without one they see what others consented to. A server may be running.

    For example:

        fireside grants give --name "Maria" --role caregiver --user ann --companion clara --basis legal_representative
    """
    own: AnyBasis | None = basis
    order = GiveGrant(name=name, role=role, user=user, companion=companion, basis=own)
    done(store_folder(config, data), order)


@app.command(name="list")
def list_(*, config: ConfigFile = None, data: Data = None) -> None:
    """The grants there are, without their tokens. A server may be running.

    For example:

        fireside grants list --data /var/lib/fireside
    """
    with said_plainly(), read_only(store_folder(config, data) / STORE_FILE) as db:
        found = all_grants(db)
    told(
        ("GRANT", "ROLE", "FOR", "WITH", "BASIS", "NAME"),
        [
            (each.id, each.role, each.user, each.companion or "all", each.basis or "-", each.name)
            for each in found
        ],
    )


@app.command(name="end")
def end_(
    grant: Annotated[str, Parameter(help="Its id, from fireside grants list.")],
    *,
    config: ConfigFile = None,
    data: Data = None,
) -> None:
    """End a grant, and with it whatever its holder had consented to.

    A server may be running: the holder's open connections are closed.

    For example:

        fireside grants end grt_01a2... --data /var/lib/fireside
    """
    done(store_folder(config, data), EndGrant(grant=grant))
