"""One connection: the hello, then every frame to its session, until either side ends it.

The door is here: who may connect, what is a frame, how many there may be. What a frame means is the session's
business. A client that sends what is not a frame is answered and stays; one that does nothing else is let go.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

import anyio
import structlog
from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed

from actors.client import Gone
from actors.mail import Asked, Attach, Detach, Mail, Refresh
from actors.ports import CommandRefused, Services
from actors.runtime import Address, Closed
from actors.sessions import Principal, Sessions
from protocol.access import AccessRole, needed
from protocol.catalogue import AnyCommand
from protocol.codec import Data, decode_command
from protocol.device_frames import DeviceLock, DeviceUnlock, RoleNow, TalkRole
from protocol.errors import ERRORS, BadFrame, CloseCode, ErrorCode, UnknownFrame, error_frame
from protocol.frames import SUBPROTOCOLS
from protocol.results import CommandAck
from protocol.session_frames import Hello, Ping, Pong, Welcome
from protocol.times import rfc3339
from server.care import Care
from server.device_desk import Answers, DeviceDesk, PairingDesk
from server.entrance import Entrance, Entrant, NotAdmitted
from server.ids import new_id, now_ms
from server.metrics import Metrics
from server.orders import Answer, AnyOrder
from server.origins import caller_of
from server.pace import Pace
from server.pairing import Pairing
from server.pins import Pins
from server.presence import Presence
from server.settings import Limits as LimitSettings
from server.sockets import Socket
from server.turnstile import Turnstile
from server.welcoming import known_code, wanted, welcome
from storage.refusals import StoreRefused

Told: TypeAlias = Callable[[Socket], Coroutine[Any, Any, None]]  # Any: what a coroutine yields to its loop

log: structlog.stdlib.BoundLogger = structlog.get_logger("connection")

TOO_FAST = "More commands of this person or device than may come at once; send again a little later."


@dataclass(frozen=True, kw_only=True)
class Door:
    """What every connection is handed."""

    sessions: Sessions
    services: Services
    limits: LimitSettings
    metrics: Metrics
    epoch: str
    default_companion: str
    care: Care
    presence: Presence
    pace: Pace
    entrance: Entrance
    pairing: Pairing
    pins: Pins
    do: Callable[[AnyOrder], Awaitable[Answer]]  # what admins and devices order


class Connection:
    """Serves one WebSocket."""

    def __init__(self, socket: ServerConnection, door: Door) -> None:
        self._connection = socket
        self._door = door
        wire = SUBPROTOCOLS.get(socket.subprotocol or "", "json")
        self._socket = Socket(socket, wire, door.limits.slow_reader_seconds)
        self._turnstile = Turnstile(door.limits.commands_per_second, door.limits.invalid_per_minute)
        self._address: Address[Mail] | None = None
        address = str(socket.remote_address[0]) if socket.remote_address else ""
        self._caller = caller_of(socket.request.headers if socket.request else Headers(), address)
        self._entrant: Entrant | None = None
        self._let_in_by: tuple[str, ...] = ()
        self._role: AccessRole = "device"
        self._rank: AccessRole = "device"  # the role without a PIN
        self._unlocked_at = 0.0
        self._pin = 0  # which PIN was shown, by how often it was set

    async def serve(self) -> None:
        """From hello to the end of the connection."""
        if self._connection.subprotocol is not None and self._connection.subprotocol not in SUBPROTOCOLS:
            await self._end("protocol.unsupported")
            return
        try:
            if await self._greeted():
                assert self._entrant is not None
                async with self._present(self._entrant):
                    await self._receive_all()
        except ConnectionClosed:
            pass
        except Gone:
            pass
        finally:
            if self._address is not None:
                self._address.post(Detach(self._socket))

    # ------------------------------------------------------------ hello

    async def _greeted(self) -> bool:
        """Whether a session stands. Hello may come again after a companion that is not known.

        What the server takes for it is no time of the client's.
        """
        deadline = anyio.current_time() + self._door.limits.hello_seconds
        while self._address is None:
            data: Data | None = None
            with anyio.CancelScope(deadline=deadline):
                data = await self._connection.recv()
            if data is None:
                await self._end("hello.required")
                return False
            try:
                command = decode_command(data, self._socket.wire)
            except UnknownFrame as bad:
                await self._end("hello.required", re=bad.re)
                return False
            except BadFrame as bad:  # a hello with a fault may be sent again in time
                if await self._bad_frame(bad):
                    return False
                continue
            if not isinstance(command, Hello):
                await self._end("hello.required", re=command.id)
                return False
            began = anyio.current_time()
            if not await self._join(command):
                return False
            deadline += anyio.current_time() - began
        return True

    async def _join(self, hello: Hello) -> bool:
        """Let in who greets, and serve them; True when hello may come again, or a session stands."""
        door = self._door
        try:
            entrant = await door.entrance.admitted(hello, self._caller)
        except NotAdmitted as refused:
            if refused.final:
                await self._end(refused.code, re=hello.id)
                return False
            await self._error(refused.code, re=hello.id)
            return True
        self._role, self._rank, self._let_in_by = entrant.role, entrant.role, entrant.by
        match entrant.role:
            case "device" | "person":
                return await self._talk(hello, entrant)
            case "caregiver" | "safeguarding":
                return await self._with_grant(hello, entrant)
            case "admin":
                desk: Answers = DeviceDesk(door.care.store, door.do)
            case "pairing":
                desk = PairingDesk(door.do, door.pairing, entrant.shown or "")
            case _:
                assert_never(entrant.role)
        await self._without_talk(hello, entrant, desk, new_id("ses"))
        return False

    async def _talk(self, hello: Hello, entrant: Entrant) -> bool:
        """A session for who talks; True when it stands, or hello may come again."""
        door = self._door
        try:
            address, session, missed = await door.sessions.join(
                door.services,
                Principal(user=entrant.user, role=entrant.role),
                wanted(hello, door.default_companion, shared="pin" in entrant.features),
                new_id("ses"),
            )
        except CommandRefused as refused:
            if (code := known_code(refused.code)).startswith("storage."):
                await self._end(code, re=hello.id)
                return False
            await self._error(code, re=hello.id, message=refused.message)
            return True
        self._address, self._entrant = address, entrant
        if "pin" in entrant.features:
            self._socket.knows = lambda: self._role_now(still_there=False) == "person"

        def told(resumed: bool, seq: int, conversation: str | None) -> Welcome:
            return self._welcome(hello, session, entrant, resumed=resumed, seq=seq, conversation=conversation)

        try:
            await address.send(Attach(self._socket, told, missed))
        except Closed:  # the session ended while the hello was on its way
            await self._socket.close(CloseCode.DRAINING, "The session has ended; connect again.")
            return False
        return True

    async def _with_grant(self, hello: Hello, entrant: Entrant) -> bool:
        """Serve who holds a grant, in their role, for as long as they stay; True when hello may come again."""
        door, grant = self._door, entrant.grant
        assert grant is not None
        cast = door.sessions.cast(
            (grant.companion or door.default_companion) if hello.companion is UNSET else hello.companion
        )
        if cast is None or not grant.covers(grant.user, cast.companion.id):
            await self._error("companion.unknown" if cast is None else "auth.forbidden", re=hello.id)
            return True
        session = new_id("ses")
        sitting = door.care.sitting(entrant.shown or "", grant, cast.companion, session)
        named = replace(hello, companion=cast.companion.id)
        await self._without_talk(named, entrant, sitting, session, sitting.told)
        return False

    async def _without_talk(
        self, hello: Hello, entrant: Entrant, desk: Answers, session: str, told: Told | None = None
    ) -> None:
        """Serve who has no talk: answer what is asked and, side by side, tell what concerns them."""
        await self._socket.send(
            self._welcome(hello, session, entrant, resumed=False, seq=0, conversation=None)
        )
        async with self._present(entrant), anyio.create_task_group() as tasks:
            if told is not None:
                tasks.start_soon(told, self._socket)
            with suppress(ConnectionClosed, Gone):
                await self._answer_all(desk)
            tasks.cancel_scope.cancel()

    async def _answer_all(self, desk: Answers) -> None:
        while (command := await self._next()) is not None:
            try:
                await self._socket.send(await desk.answer(command, now_ms()))
            except CommandRefused as refused:
                await self._error(known_code(refused.code), re=command.id, message=refused.message)
            except (ConnectionClosed, Gone):
                raise
            except Exception as error:  # a fault of ours: it is answered, and ends nothing else
                ref, name = new_id("ref"), type(command).__name__
                log.exception("command.failed", command=name, ref=ref, error=type(error).__name__)
                await self._error("server.failed", re=command.id, ref=ref)

    @asynccontextmanager
    async def _present(self, entrant: Entrant) -> AsyncGenerator[None]:
        """They are here until they leave, or until what let them in ends: it may have while it was looked up."""
        with self._door.presence.here(entrant.by, self._let_go):
            if not await self._door.entrance.still(entrant):
                await self._let_go()
            yield

    async def _let_go(self) -> None:
        """What let this connection in is over."""
        await self._end("auth.refused")

    def _welcome(
        self,
        hello: Hello,
        session: str,
        entrant: Entrant,
        *,
        resumed: bool,
        seq: int,
        conversation: str | None,
    ) -> Welcome:
        door = self._door
        cast = door.sessions.cast(wanted(hello, door.default_companion).companion)
        assert cast is not None
        return welcome(
            hello,
            session,
            entrant,
            companion=cast.companion,
            limits=door.limits,
            epoch=door.epoch,
            model=door.services.model,
            resumed=resumed,
            seq=seq,
            conversation=conversation,
        )

    # ------------------------------------------------------------ frames

    async def _receive_all(self) -> None:
        assert self._address is not None
        while (command := await self._next()) is not None:
            try:
                await self._address.send(Asked(command))
            except Closed:  # the session ended while the frame was on its way
                await self._socket.close(CloseCode.DRAINING, "The session has ended; connect again.")
                return

    async def _next(self) -> AnyCommand | None:
        """The next command that this connection's role may send; None when the connection is over.

        Every frame after the hello passes here, whoever sent it: this is the one place where it is decided who may
        what (``protocol.access``).
        """
        while True:
            try:
                command = decode_command(await self._connection.recv(), self._socket.wire)
            except BadFrame as bad:
                if await self._bad_frame(bad):
                    return None
                continue
            if not self._turnstile.admits():
                await self._error("rate.limited", re=command.id)
            elif not isinstance(command, Ping) and not self._door.pace.admits(self._let_in_by):
                await self._error("rate.limited", re=command.id, message=TOO_FAST)
            elif needed(command, self._role_now(still_there=not isinstance(command, Ping))) is None:
                await self._error("auth.forbidden", re=command.id)
            elif isinstance(command, Hello):
                await self._error("hello.repeated", re=command.id)
            elif isinstance(command, Ping):
                await self._socket.send(Pong(re=command.id, now=rfc3339(now_ms())))
            elif isinstance(command, DeviceUnlock | DeviceLock):
                await self._turn(command)
            else:
                return command

    def _role_now(self, *, still_there: bool) -> AccessRole:
        """The role; the device's when who showed their PIN has gone (a page pings by itself: no sign of anybody)."""
        now = anyio.current_time()
        if self._role != self._rank and self._entrant is not None:
            another = self._pin != self._door.entrance.pins_set(self._entrant.user)
            if another or now >= self._unlocked_at + self._door.limits.unlocked_seconds:
                self._role = self._rank
        if still_there:
            self._unlocked_at = now
        return self._role

    async def _turn(self, command: DeviceUnlock | DeviceLock) -> None:
        """The person takes the device into their hands, or gives it back."""
        assert self._entrant is not None
        self._role = self._rank
        self._pin = self._door.entrance.pins_set(self._entrant.user)
        if isinstance(command, DeviceUnlock) and self._rank == "device":
            try:
                await self._door.pins.check(self._entrant.user, command.pin)
            except CommandRefused as refused:
                await self._error(known_code(refused.code), re=command.id, message=refused.message)
                return
            except StoreRefused as refused:
                await self._error(known_code(refused.code), re=command.id)
                return
            self._role = "person"
            if self._address is not None:
                self._address.post(Refresh())  # what waits for them alone is told now
        role: TalkRole = "person" if self._role == "person" else "device"
        await self._socket.send(CommandAck(re=command.id, result=RoleNow(role=role)))

    async def _bad_frame(self, bad: BadFrame) -> bool:
        """Answer what was no frame; True when the connection is over."""
        if bad.close is not None:
            await self._socket.close(bad.close, str(bad))
            return True
        await self._error(bad.code, re=bad.re, message=str(bad))
        if self._turnstile.bad():
            await self._socket.close(CloseCode.TOO_MANY_INVALID, "Too many frames that are not frames.")
            return True
        return False

    async def _error(
        self,
        code: ErrorCode,
        *,
        re: str | UnsetType = UNSET,
        message: str | None = None,
        ref: str | None = None,
    ) -> None:
        ref = ref or new_id("ref")
        self._door.metrics.refused.labels(code).inc()
        unwritten = self._door.pace.lines_before(self._caller.address)
        if unwritten is not None:
            log.info("frame.refused", code=code, ref=ref, **({"unwritten": unwritten} if unwritten else {}))
        await self._socket.send(error_frame(code, ref=ref, re=re, message=message))

    async def _end(self, code: ErrorCode, *, re: str | UnsetType = UNSET) -> None:
        """An error after which the connection is closed; who may come with it again later is told to."""
        close = ERRORS[code].close or (CloseCode.DRAINING if ERRORS[code].retryable else CloseCode.NORMAL)
        try:
            await self._error(code, re=re)
        except Gone:
            return
        await self._socket.close(close, ERRORS[code].message)
