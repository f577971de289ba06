"""Connections that have no talk: who looks after devices, and a device that is none yet."""

import sqlite3
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

from msgspec import UNSET

from actors.command_kinds import digest_of
from actors.ports import CommandRefused
from protocol import device_frames as devices
from protocol.audit_frames import AuditQuery
from protocol.catalogue import AnyCommand
from protocol.frames import Event
from protocol.results import CommandAck, Done
from protocol.times import rfc3339
from protocol.values import Value
from server.audit import audit_page
from server.orders import Answer, AnyOrder, ClaimDevice, NameDevice, PairDevice, RevokeToken
from server.pairing import SECONDS, Pairing
from storage.connection import Store
from storage.refusals import StoreRefused
from storage.tokens import Token, all_tokens, token_named

Do: TypeAlias = Callable[[AnyOrder], Awaitable[Answer]]
MOST_SEEN = 256


class Answers(Protocol):
    """Answers the commands of one connection."""

    async def answer(self, command: AnyCommand, at: int) -> Event:
        """The answer to ``command``; raises ``CommandRefused``."""
        ...


class Once:
    """The answers that were given: the same id again gets the first one again."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, tuple[str, Event]] = OrderedDict()

    def known(self, command: AnyCommand) -> Event | None:
        """What was answered to this very command; raises ``CommandRefused`` for another with its id."""
        known = self._seen.get(command.id)
        if known is not None and known[0] != digest_of(command):
            raise CommandRefused("id.reused")
        return None if known is None else known[1]

    def keep(self, command: AnyCommand, answer: Event) -> Event:
        """Keep an answer."""
        self._seen[command.id] = (digest_of(command), answer)
        while len(self._seen) > MOST_SEEN:
            self._seen.popitem(last=False)
        return answer


class DeviceDesk:
    """Looks after devices; sees nobody's words."""

    def __init__(self, store: Store, do: Do) -> None:
        self._store = store
        self._do = do
        self._once = Once()

    async def answer(self, command: AnyCommand, at: int) -> Event:
        """The answer to ``command``; raises ``CommandRefused``."""
        known = self._once.known(command)
        if known is not None:
            return known
        try:
            result = await self._result(command, at)
        except StoreRefused as refused:
            raise CommandRefused(refused.code) from None
        answer: Event = CommandAck(re=command.id, result=result)
        return (
            answer
            if isinstance(command, devices.DeviceList | AuditQuery)
            else self._once.keep(command, answer)
        )

    async def _result(self, command: AnyCommand, at: int) -> Value:
        match command:
            case devices.DeviceList():
                return devices.Devices(devices=await self._store.read(_devices))
            case AuditQuery():
                return await self._store.read(lambda db: audit_page(db, command, None))
            case devices.DevicePair():
                order = PairDevice(
                    name="" if command.name is UNSET else command.name,
                    user=None if command.user is UNSET else command.user,
                    own=command.own,
                )
                code = (await done(self._do, order))[0]
                return devices.PairingCode(code=code, expires_at=rfc3339(at + round(SECONDS * 1_000)))
            case devices.DeviceRename(device=device, name=name):
                await done(self._do, NameDevice(device=device, name=name))
                return Done()
            case devices.DeviceRevoke(device=device):
                found = await self._store.read(lambda db: token_named(db, device))
                if found is None or not found.paired:
                    raise CommandRefused("memory.unknown", "There is no such device.")
                await done(self._do, RevokeToken(token=device))
                return Done()
            case _:
                raise CommandRefused("auth.forbidden")


class PairingDesk:
    """A device that greeted with a code: it becomes one, once."""

    def __init__(self, do: Do, pairing: Pairing, code: str) -> None:
        self._do = do
        self._pairing = pairing
        self._code = code
        self._once = Once()

    async def answer(self, command: AnyCommand, at: int) -> Event:  # noqa: ARG002  # the desk's shape
        """The answer to ``command``; raises ``CommandRefused``."""
        if not isinstance(command, devices.DeviceClaim):
            raise CommandRefused("auth.forbidden")
        known = self._once.known(command)
        if known is not None:
            return known
        with self._pairing.used(self._code) as offer:  # a name that is refused costs nobody their code
            if offer is None:
                raise CommandRefused("auth.forbidden", "The code was used or has lapsed; ask for another.")
            name = offer.name or ("A device" if command.name is UNSET else command.name)
            order = ClaimDevice(name=name, user=offer.user, own=offer.own)
            device, token = await done(self._do, order)
        claimed = devices.DeviceClaimed(
            device=device,
            token=token,
            name=name,
            role="person" if offer.own else "device",
            user=offer.user,
        )
        return self._once.keep(command, CommandAck(re=command.id, result=claimed))


async def done(do: Do, order: AnyOrder) -> tuple[str, ...]:
    """The lines of an order's answer; a refusal is the command's."""
    answer = await do(order)
    if answer.refused is not None:
        raise CommandRefused("policy.refused", answer.refused)
    return answer.lines


def _devices(db: sqlite3.Connection) -> tuple[devices.DeviceEntry, ...]:
    return tuple(_entry(each) for each in all_tokens(db) if each.paired)


def _entry(token: Token) -> devices.DeviceEntry:
    return devices.DeviceEntry(
        device=token.id,
        name=token.name,
        role="person" if token.role == "person" else "device",
        paired_at=rfc3339(token.at),
        user=token.user,
    )
