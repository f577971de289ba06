"""``fireside pair | device | token | user | audit``: who comes in, and who lives here.

Each works with the server running and without (but for pairing, which needs it). Tokens are printed once; none is ever
an argument.
"""

import getpass
import sys
from datetime import UTC, datetime
from typing import Annotated, Literal

import cyclopts
import segno
from cyclopts import Parameter

from server import orders
from server.cli_folder import ConfigFile, Data, answered, done, store_folder, told
from server.cli_init import authority_line
from server.order_line import STORE_FILE
from server.pins import kept
from server.plain_words import said_plainly
from storage.audit import acts_about, all_acts
from storage.connection import read_only
from storage.disclosures import disclosures as all_disclosures
from storage.grants import all_grants
from storage.persons import all_people
from storage.tokens import all_tokens

device_app = cyclopts.App(name="device", help="The devices that may talk here.")
token_app = cyclopts.App(name="token", help="What lets programs, devices, caregivers and admins in.")
user_app = cyclopts.App(name="user", help="The people who talk here.")

User = Annotated[str | None, Parameter(help="Whose device it is; without it everybody may talk there.")]
PIN_DIGITS = range(4, 13)


def pair(
    *,
    name: Annotated[str, Parameter(help="What to call the device.")] = "",
    user: User = None,
    own: Annotated[
        bool, Parameter(help="Theirs alone: they see their memory there without a PIN.", negative=())
    ] = False,
    config: ConfigFile = None,
    data: Data = None,
) -> None:
    """Let a device in: prints a code, and the same as a QR code for its camera. Once, within 10 minutes.

    The server must run. The first device that is paired ends open mode.

    For example:

        fireside pair --name "Garden room"
        fireside pair --name "Ann's tablet" --user ann --own
    """
    folder = store_folder(config, data)
    answer = answered(folder, orders.PairDevice(name=name, user=user, own=own))
    code, address = answer.lines
    segno.make_qr(address).terminal(out=sys.stdout, compact=True)
    print(f"Code: {code}   (once, within 10 minutes)\nOn the device: {address.partition('#')[0]}")
    if (trust := authority_line(folder)) is not None and address.startswith("https:"):
        print(trust)


@device_app.command(name="list")
def device_list(*, config: ConfigFile = None, data: Data = None) -> None:
    """The devices, whose they are, and since when.

    For example:

        fireside device list
    """
    with said_plainly(), read_only(store_folder(config, data) / STORE_FILE) as db:
        found = [each for each in all_tokens(db) if each.paired]
    told(
        ("DEVICE", "SINCE", "WHOSE", "FOR", "NAME"),
        [
            (
                each.id,
                _day(each.at),
                "own" if each.role == "person" else "shared",
                each.user or "all",
                each.name,
            )
            for each in found
        ],
    )


@device_app.command(name="name")
def device_name(
    device: Annotated[str, Parameter(help="Its id, from fireside device list.")],
    name: Annotated[str, Parameter(help="What to call it.")],
    *,
    config: ConfigFile = None,
    data: Data = None,
) -> None:
    """Call a device something else.

    For example:

        fireside device name tok_01a2... "Garden room"
    """
    done(store_folder(config, data), orders.NameDevice(device=device, name=name))


@device_app.command(name="revoke")
def device_revoke(device: str, *, config: ConfigFile = None, data: Data = None) -> None:
    """A device opens nothing any more; what it has open is closed at once.

    For example:

        fireside device revoke tok_01a2...
    """
    done(store_folder(config, data), orders.RevokeToken(token=device))


@device_app.command(name="reopen")
def device_reopen(*, config: ConfigFile = None, data: Data = None) -> None:
    """Revoke every device and go back to open mode: anyone at this machine may talk as anybody.

    For example:

        fireside device reopen
    """
    done(store_folder(config, data), orders.Reopen())


@token_app.command(name="list")
def token_list(*, config: ConfigFile = None, data: Data = None) -> None:
    """Every token there is, by its id; what it opens is kept nowhere.

    For example:

        fireside token list
    """
    with said_plainly(), read_only(store_folder(config, data) / STORE_FILE) as db:
        tokens, grants = all_tokens(db), all_grants(db)
    told(
        ("TOKEN", "ROLE", "SINCE", "FOR", "NAME"),
        [
            *((each.id, each.role, _day(each.at), each.user or "all", each.name) for each in tokens),
            *((each.id, each.role, "-", each.user, each.name) for each in grants),
        ],
    )


@token_app.command(name="give")
def token_give(
    *,
    role: Annotated[Literal["person", "admin"], Parameter(help="A person's own program, or who runs this.")],
    name: Annotated[str, Parameter(help="What it is for: a program, or who the admin is.")],
    user: Annotated[str | None, Parameter(help="Whose memory a person's token opens.")] = None,
    config: ConfigFile = None,
    data: Data = None,
) -> None:
    """Give a token to a person's own program, or to an admin, who looks after devices and sees nobody's words.

    It is printed once. Caregivers are given theirs by `fireside grants give`, devices by `fireside pair`.

    For example:

        fireside token give --role person --user sam --name "Sam's editor"
        fireside token give --role admin --name "Ms Berg"
    """
    done(store_folder(config, data), orders.GiveToken(role=role, name=name, user=user))


@token_app.command(name="rotate")
def token_rotate(token: str, *, config: ConfigFile = None, data: Data = None) -> None:
    """Another token in place of the one of that id (a grant's too); the old one opens nothing any more.

    For example:

        fireside token rotate tok_01a2...
    """
    done(store_folder(config, data), orders.RotateToken(token=token))


@token_app.command(name="revoke")
def token_revoke(token: str, *, config: ConfigFile = None, data: Data = None) -> None:
    """End the token of that id (or the grant), and close what it has open.

    For example:

        fireside token revoke tok_01a2...
    """
    done(store_folder(config, data), orders.RevokeToken(token=token))


@user_app.command(name="list")
def user_list(*, config: ConfigFile = None, data: Data = None) -> None:
    """Everybody who talks here.

    For example:

        fireside user list
    """
    with said_plainly(), read_only(store_folder(config, data) / STORE_FILE) as db:
        found = all_people(db)
    told(
        ("USER", "STATUS", "PIN", "NAME"),
        [(each.user, each.status, "yes" if each.has_pin else "-", each.name) for each in found],
    )


@user_app.command(name="add")
def user_add(
    user: Annotated[str, Parameter(help="What they are known by: no name that changes.")],
    *,
    name: Annotated[str, Parameter(help="What pages and staff call them.")] = "",
    config: ConfigFile = None,
    data: Data = None,
) -> None:
    """Add somebody: paired devices may then talk as them.

    For example:

        fireside user add ann --name "Ann Miller"
    """
    done(store_folder(config, data), orders.AddPerson(user=user, name=name))


@user_app.command(name="rename")
def user_rename(user: str, name: str, *, config: ConfigFile = None, data: Data = None) -> None:
    """Show somebody under another name. What they are known by, and their memory, stay.

    For example:

        fireside user rename ann "Ann Smith"
    """
    done(store_folder(config, data), orders.NamePerson(user=user, name=name))


@user_app.command(name="archive")
def user_archive(user: str, *, config: ConfigFile = None, data: Data = None) -> None:
    """Nobody comes in as them any more; what is remembered of them stays until it is erased.

    For example:

        fireside user archive ann
    """
    done(store_folder(config, data), orders.SetStatus(user=user, status="archived"))


@user_app.command(name="set")
def user_set(
    user: str, status: Literal["active", "inactive"], *, config: ConfigFile = None, data: Data = None
) -> None:
    """Bring somebody back, or note that they are away; both may talk.

    For example:

        fireside user set ann active
    """
    done(store_folder(config, data), orders.SetStatus(user=user, status=status))


@user_app.command(name="pin")
def user_pin(
    user: str,
    *,
    remove: Annotated[bool, Parameter(help="They need none any more.", negative=())] = False,
    config: ConfigFile = None,
    data: Data = None,
) -> None:
    """Set the PIN with which somebody shows who they are on a shared device. It is asked for, never an argument.

    For example:

        fireside user pin ann
    """
    folder = store_folder(config, data)
    if remove:
        done(folder, orders.SetPin(user=user))
        return
    pin = _asked_pin()
    known = kept(pin)
    done(folder, orders.SetPin(user=user, salt=known.salt, key=known.key))


def audit(
    *,
    user: Annotated[str | None, Parameter(help="About whom; without it about everybody.")] = None,
    limit: Annotated[int, Parameter(help="How many, the latest first.")] = 50,
    disclosures: Annotated[
        bool, Parameter(help="When people were told that they talk with a program.")
    ] = False,
    config: ConfigFile = None,
    data: Data = None,
) -> None:
    """Who looked at what is kept of people, and who did what about it. No text is recorded.

    For example:

        fireside audit --user ann
        fireside audit --disclosures
    """
    if disclosures:
        with said_plainly(), read_only(store_folder(config, data) / STORE_FILE) as db:
            for shown in all_disclosures(db, user=user, limit=limit):
                print(f"{_moment(shown.at)}  {shown.occasion:<8}  {shown.user}  {shown.companion}")
        return
    with said_plainly(), read_only(store_folder(config, data) / STORE_FILE) as db:
        if user is None:
            found = all_acts(db, before=None, limit=limit)
        else:
            found = acts_about(db, person=user, before=None, limit=limit)
    for each in found:
        act = each.act
        about = f"{act.person or '-'}  {act.by or '-'}  {act.name}"
        print(f"{_moment(each.at)}  {act.role or '-':<12}  {act.did:<14}  {about}")


def _asked_pin() -> str:
    """A PIN from the terminal, unseen and twice; from a pipe as one line."""
    if not sys.stdin.isatty():
        pin = sys.stdin.readline().strip()
    else:
        pin = getpass.getpass("PIN (4 to 12 digits): ")
        if pin != getpass.getpass("Once more: "):
            raise SystemExit("These were two different PINs; nothing was changed.")
    if not (pin.isascii() and pin.isdigit() and len(pin) in PIN_DIGITS):
        raise SystemExit("A PIN has 4 to 12 digits.")
    return pin


def _moment(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000, UTC).strftime("%Y-%m-%d")
