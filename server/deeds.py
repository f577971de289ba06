"""What each order of staff does to the store, inside one transaction. Tokens are made here and shown once."""

import sqlite3
from typing import assert_never

from msgspec.structs import replace

from server import orders
from server.entrance import OPEN, person_here
from server.ids import new_id
from server.orders import Answer, AnyOrder, NotDone
from storage import persons
from storage.audit import Act, record
from storage.grants import BothRoles, Grant, digest_of, end, give, new_token, rotate
from storage.persons import Pin
from storage.tokens import (
    Token,
    TokenRole,
    all_tokens,
    end_token,
    give_token,
    is_open,
    rename_token,
    reopen,
    token_named,
)

MOST_NAME = 60
MOST_USER = 128


def carry_out(db: sqlite3.Connection, order: AnyOrder, at: int) -> Answer:
    """Do ``order`` and record it, inside the caller's transaction. Raises ``NotDone``."""
    answer = _done(db, order, at)
    record(db, _act(order, answer), at)
    return answer


def _act(order: AnyOrder, answer: Answer) -> Act:
    match order:
        case orders.GiveGrant(user=user, companion=companion, name=name):
            return Act(
                person=user.strip(),
                companion=companion,
                role="staff",
                by=answer.lines[0],
                name=name.strip(),
                did="granted",
            )
        case orders.EndGrant(grant=grant):
            return Act(person=answer.about or "", role="staff", by=grant, did="grant_ended")
        case orders.AddPerson() | orders.NamePerson() | orders.SetStatus() | orders.SetPin():
            return Act(person=order.user.strip(), role="staff", did="status")
        case _:
            return Act(person=answer.about or "", role="staff", did="device")


def _done(db: sqlite3.Connection, order: AnyOrder, at: int) -> Answer:
    match order:
        case orders.GiveGrant():
            return _give_grant(db, order, at)
        case orders.EndGrant(grant=grant):
            about = end(db, grant, at=at)
            if about is None:
                raise NotDone("There is no such grant.")
            return Answer(lines=("It has ended.",), ended=(grant,), about=about)
        case orders.GiveToken():
            return _give_token(db, order, at)
        case orders.RotateToken(token=token):
            return _rotate(db, token, at)
        case orders.RevokeToken(token=token):
            return _revoke(db, token, at)
        case orders.ClaimDevice() | orders.NameDevice() | orders.Reopen():
            return _with_devices(db, order, at)
        case orders.AddPerson() | orders.NamePerson() | orders.SetStatus() | orders.SetPin():
            return _with_person(db, order, at)
        case orders.PairDevice():
            raise NotDone("A device is paired with the server that runs: start it first.")
        case _:
            assert_never(order)


# ------------------------------------------------------------ grants and tokens


def _give_grant(db: sqlite3.Connection, order: orders.GiveGrant, at: int) -> Answer:
    name, user = one_line(order.name), _user(order.user)
    if order.basis is not None and order.role != "caregiver":
        raise NotDone("Only a caregiver consents for a person.")
    token = new_token()
    grant = Grant(
        id=new_id("grt"), name=name, role=order.role, user=user, companion=order.companion, basis=order.basis
    )
    try:
        give(db, grant, digest=digest_of(token), at=at)
    except BothRoles:
        said = f"{name} has the other role for {user}; abuse is told to neither family nor carer."
        raise NotDone(said) from None
    return Answer(lines=(grant.id, token), about=user)


def _give_token(db: sqlite3.Connection, order: orders.GiveToken, at: int) -> Answer:
    if (order.role == "person") != (order.user is not None):
        raise NotDone("A person's token names its user, an admin's none.")
    user = None if order.user is None else _user(order.user)
    return _given(
        db, Token(id="", role=order.role, paired=False, name=one_line(order.name), user=user, at=at)
    )


def _given(db: sqlite3.Connection, like: Token, *, ended: tuple[str, ...] = ()) -> Answer:
    shown, token = new_token(), replace(like, id=new_id("tok"))
    give_token(db, token, digest=digest_of(shown))
    return Answer(lines=(token.id, shown), ended=ended)


def _rotate(db: sqlite3.Connection, name: str, at: int) -> Answer:
    shown = new_token()
    if rotate(db, name, digest=digest_of(shown), at=at):
        return Answer(lines=(name, shown), ended=(name,))
    old = end_token(db, name, at=at)
    if old is None:
        raise NotDone("There is no such token.")
    return _given(db, replace(old, at=at), ended=(name,))


def _revoke(db: sqlite3.Connection, name: str, at: int) -> Answer:
    if end_token(db, name, at=at) is not None:
        return Answer(lines=("It has ended.",), ended=(name,))
    about = end(db, name, at=at)
    if about is None:
        raise NotDone("There is no such token.")
    return Answer(lines=("It has ended.",), ended=(name,), about=about)


# ------------------------------------------------------------ devices


def _with_devices(
    db: sqlite3.Connection, order: orders.ClaimDevice | orders.NameDevice | orders.Reopen, at: int
) -> Answer:
    match order:
        case orders.ClaimDevice(user=user, own=own):
            if own and user is None:
                raise NotDone("A device that is somebody's own names whose.")
            role: TokenRole = "person" if own else "device"
            token = Token(id="", role=role, paired=True, name=one_line(order.name), user=user, at=at)
            return _given(db, token, ended=(OPEN,) if is_open(db) else ())
        case orders.NameDevice(device=device, name=name):
            found = token_named(db, device)
            if found is None or not found.paired or not rename_token(db, device, one_line(name)):
                raise NotDone("There is no such device.")
            return Answer(lines=("It is called so now.",))
        case orders.Reopen():
            ended = tuple(each.id for each in all_tokens(db) if each.paired)
            for each in ended:
                end_token(db, each, at=at)
            reopen(db)
            return Answer(lines=(f"{len(ended)} devices revoked; open mode is back.",), ended=ended)


# ------------------------------------------------------------ people


def _with_person(
    db: sqlite3.Connection,
    order: orders.AddPerson | orders.NamePerson | orders.SetStatus | orders.SetPin,
    at: int,
) -> Answer:
    user = _user(order.user)
    if isinstance(order, orders.AddPerson):
        if not persons.add_person(db, user, one_line(order.name or user), at=at):
            raise NotDone(f"{user} is here already.")
        return Answer(lines=(f"{user} may talk here.",))
    if not persons.is_known(db, user):
        raise NotDone(f"Nobody here is called {user}.")
    persons.add_person(db, user, user, at=at)  # a companion has met them, staff have not
    match order:
        case orders.NamePerson(name=name):
            persons.rename_person(db, user, one_line(name))
            return Answer(lines=(f"{user} is shown as {one_line(name)} now.",))
        case orders.SetStatus(status=status):
            persons.set_status(db, user, status)
            ended = (person_here(user),) if status == "archived" else ()
            return Answer(lines=(f"{user} is {status}.",), ended=ended)
        case orders.SetPin(salt=salt, key=key):
            persons.set_pin(db, user, Pin(salt=salt, key=key, misses=0) if key else None)
            return Answer(lines=(f"{user} has a PIN now." if key else f"{user} has no PIN any more.",))
        case _:
            assert_never(order)


def one_line(name: str) -> str:
    """A name as it is kept; raises ``NotDone``."""
    name = name.strip()
    if not 0 < len(name) <= MOST_NAME or not name.isprintable():
        raise NotDone(f"A name is one line of up to {MOST_NAME} characters.")
    return name


def _user(user: str) -> str:
    user = user.strip()
    if not 0 < len(user) <= MOST_USER or not user.isprintable():
        raise NotDone(f"Name the user: one line of up to {MOST_USER} characters.")
    return user
