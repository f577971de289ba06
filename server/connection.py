"""One connection: the hello, then every frame to its session, until either side ends it.

The door is here: who may connect, what is a frame, how many there may be. What a frame means is the session's
business. A client that sends what is not a frame is answered and stays; one that does nothing else is let go.
"""

from collections import deque
from contextlib import suppress
from dataclasses import dataclass

import anyio
import structlog
from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from actors.client import Gone
from actors.mail import Asked, Attach, Detach, Mail
from actors.ports import CommandRefused, Services
from actors.runtime import Address, Closed
from actors.sessions import Principal, Sessions, Wanted
from protocol.access import AccessRole, needed
from protocol.catalogue import AnyCommand
from protocol.codec import Data, decode_command, encode
from protocol.errors import ERRORS, BadFrame, CloseCode, ErrorCode, UnknownFrame, error_frame
from protocol.frames import SUBPROTOCOLS, Event, Wire
from protocol.session_frames import Hello, Limits, Model, Ping, Pong, Welcome
from protocol.times import rfc3339
from server.care import Care, Sitting
from server.ids import new_id, now_ms
from server.metrics import Metrics
from server.presence import Presence
from server.settings import Limits as LimitSettings

log: structlog.stdlib.BoundLogger = structlog.get_logger("connection")

QUEUE = 4
MESSAGE_CHARS = 200_000
DEFAULT_USER = "home"


class SlowReader(Gone):
    """The client did not read for too long."""


class Socket:
    """The client of a session: one WebSocket, one way of coding, one deadline for a reader."""

    def __init__(self, connection: ServerConnection, wire: Wire, seconds: float) -> None:
        self._connection = connection
        self.wire: Wire = wire
        self._seconds = seconds

    async def send(self, event: Event) -> None:
        """Send one event; ``Gone`` when the client left or does not read."""
        try:
            with anyio.fail_after(self._seconds):
                await self._connection.send(encode(event, self.wire), text=self.wire == "json")
        except ConnectionClosed:
            raise Gone from None
        except TimeoutError:
            # Who begins to read within a second is told why; from the others the line is taken.
            await self.close(CloseCode.SLOW_READER, "This client does not read what it is sent.")
            self._connection.transport.abort()
            raise SlowReader from None

    async def close(self, code: CloseCode, reason: str) -> None:
        """Close with ``code``; never raises."""
        with anyio.move_on_after(1, shield=True):
            await self._connection.close(code, reason)


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
    open_mode: bool = True


class Turnstile:
    """How many commands a second, by a bucket that holds two seconds' worth; and how many bad frames a minute."""

    def __init__(self, per_second: float, bad_per_minute: int) -> None:
        self._per_second = per_second
        self._most = max(2.0, 2 * per_second)
        self._level = self._most
        self._at = anyio.current_time()
        self._bad: deque[float] = deque()
        self._bad_per_minute = bad_per_minute

    def admits(self) -> bool:
        """Whether one more command may pass."""
        now = anyio.current_time()
        self._level = min(self._most, self._level + (now - self._at) * self._per_second)
        self._at = now
        if self._level < 1:
            return False
        self._level -= 1
        return True

    def bad(self) -> bool:
        """Count a bad frame; True when there were too many in a minute."""
        now = anyio.current_time()
        self._bad.append(now)
        while self._bad[0] < now - 60:
            self._bad.popleft()
        return len(self._bad) > self._bad_per_minute


class Connection:
    """Serves one WebSocket."""

    def __init__(self, socket: ServerConnection, door: Door) -> None:
        self._connection = socket
        self._door = door
        wire = SUBPROTOCOLS.get(socket.subprotocol or "", "json")
        self._socket = Socket(socket, wire, door.limits.slow_reader_seconds)
        self._turnstile = Turnstile(door.limits.commands_per_second, door.limits.invalid_per_minute)
        self._address: Address[Mail] | None = None
        self._role: AccessRole = "person"

    async def serve(self) -> None:
        """From hello to the end of the connection."""
        if self._connection.subprotocol is not None and self._connection.subprotocol not in SUBPROTOCOLS:
            await self._end("protocol.unsupported")
            return
        try:
            if await self._greeted():
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
        """Whether a session stands. Hello may come again after a companion that is not known."""
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
            if not await self._join(command):
                return False
        return True

    async def _join(self, hello: Hello) -> bool:
        """Find the session; False when the connection is over."""
        door = self._door
        if hello.token is not UNSET:
            return await self._with_token(hello, hello.token)
        principal = Principal(user=DEFAULT_USER if hello.user is UNSET else hello.user, role="person")
        try:
            address, session, missed = await door.sessions.join(
                door.services, principal, _wanted(hello, door.default_companion), new_id("ses")
            )
        except CommandRefused as refused:
            await self._error(_code(refused.code), re=hello.id, message=refused.message)
            return True
        self._address = address

        def welcome(resumed: bool, seq: int, conversation: str | None) -> Welcome:
            return self._welcome(
                hello, session, principal, resumed=resumed, seq=seq, conversation=conversation
            )

        try:
            await address.send(Attach(self._socket, welcome, missed))
        except Closed:  # the session ended while the hello was on its way
            await self._socket.close(CloseCode.DRAINING, "The session has ended; connect again.")
            return False
        return True

    async def _with_token(self, hello: Hello, token: str) -> bool:
        """Serve who holds a grant, in their role, for as long as they stay; True when hello may come again."""
        door = self._door
        grant = await door.care.grant(token)
        if grant is None or hello.user not in (UNSET, grant.user):
            await self._end("auth.refused", re=hello.id)
            return False
        cast = door.sessions.cast(
            (grant.companion or door.default_companion) if hello.companion is UNSET else hello.companion
        )
        if cast is None or not grant.covers(grant.user, cast.companion.id):
            await self._error("companion.unknown" if cast is None else "auth.forbidden", re=hello.id)
            return True
        self._role = grant.role
        session, companion = new_id("ses"), cast.companion
        named = replace(hello, companion=companion.id)
        who = Principal(user=grant.user, role=grant.role)
        await self._socket.send(self._welcome(named, session, who, resumed=False, seq=0, conversation=None))
        with door.presence.here((grant.id,), self._let_go):
            if await door.care.grant(token) == grant:  # it may have ended while it was looked up
                await self._cared(door.care.sitting(token, grant, companion, session))
            else:
                await self._let_go()
        return False

    async def _cared(self, sitting: Sitting) -> None:
        """Answer what is asked, and tell what concerns the holder, side by side."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(sitting.told, self._socket)
            with suppress(ConnectionClosed, Gone):
                await self._receive_care(sitting)
            tasks.cancel_scope.cancel()

    async def _let_go(self) -> None:
        """What let this connection in is over."""
        await self._end("auth.refused")

    async def _receive_care(self, sitting: Sitting) -> None:
        while (command := await self._next()) is not None:
            try:
                await self._socket.send(await sitting.answer(command, now_ms()))
            except CommandRefused as refused:
                await self._error(_code(refused.code), re=command.id, message=refused.message)

    def _welcome(
        self,
        hello: Hello,
        session: str,
        principal: Principal,
        *,
        resumed: bool,
        seq: int,
        conversation: str | None,
    ) -> Welcome:
        door = self._door
        cast = door.sessions.cast(_wanted(hello, door.default_companion).companion)
        assert cast is not None
        model = door.services.model
        policy = cast.companion.policy
        features = ["open_mode"] if door.open_mode else []
        features += ["regenerate"] if policy.session.regenerate else []
        features += ["health"] if policy.memory.health != "never" else []
        features += ["check_in"] if policy.memory.check_in != "never" else []
        if principal.role != "person":
            features = ["care"]
        return Welcome(
            re=hello.id,
            session=session,
            resumed=resumed,
            seq=seq,
            epoch=door.epoch,
            companion=cast.companion.id,
            user=principal.user,
            role=principal.role,
            conversation=conversation,
            limits=Limits(
                frame_bytes=door.limits.frame_bytes,
                message_chars=MESSAGE_CHARS,
                queue=QUEUE,
                commands_per_s=door.limits.commands_per_second,
                heartbeat_s=door.limits.heartbeat_seconds,
            ),
            features=tuple(features),
            model=Model(kind=model.kind, name=model.name, connected=model.connected),
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
            elif needed(command, self._role) is None:
                await self._error("auth.forbidden", re=command.id)
            elif isinstance(command, Hello):
                await self._error("hello.repeated", re=command.id)
            elif isinstance(command, Ping):
                await self._socket.send(Pong(re=command.id, now=rfc3339(now_ms())))
            else:
                return command

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
        self, code: ErrorCode, *, re: str | UnsetType = UNSET, message: str | None = None
    ) -> None:
        ref = new_id("ref")
        self._door.metrics.refused.labels(code).inc()
        log.info("frame.refused", code=code, ref=ref)
        await self._socket.send(error_frame(code, ref=ref, re=re, message=message))

    async def _end(self, code: ErrorCode, *, re: str | UnsetType = UNSET) -> None:
        """An error after which the connection is closed."""
        close = ERRORS[code].close
        try:
            await self._error(code, re=re)
        except Gone:
            return
        await self._socket.close(close if close is not None else CloseCode.NORMAL, ERRORS[code].message)


def _wanted(hello: Hello, default: str) -> Wanted:
    resume = None if hello.resume is UNSET else hello.resume
    return Wanted(
        companion=default if hello.companion is UNSET else hello.companion,
        conversation=None if hello.conversation is UNSET else hello.conversation,
        session_type=None if hello.session_type is UNSET else hello.session_type,
        resume_session=resume.session if resume is not None else None,
        resume_seq=resume.seq if resume is not None else None,
        resume_epoch=resume.epoch if resume is not None else None,
    )


def _code(code: str) -> ErrorCode:
    for known in ERRORS:
        if known == code:
            return known
    return "server.failed"
