"""Devices: how one is let in, and who looks after those that are.

A device is paired once, by a code that staff read out or show as a QR code: it greets with the code as its
``token``, sends ``device.claim``, and is given a token of its own, which is good until it is revoked. On a device that
several people use a person shows who they are by a PIN (``device.unlock``).
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from protocol.frames import Command
from protocol.ids import NO_NUL, Id, UserId
from protocol.times import Time
from protocol.values import Value

DeviceName: TypeAlias = Annotated[str, Meta(min_length=1, max_length=60, pattern=NO_NUL)]
Pin: TypeAlias = Annotated[str, Meta(pattern="^[0-9]{4,12}$", description="4 to 12 digits")]
TalkRole: TypeAlias = Literal["device", "person"]


class DeviceClaim(Command, frozen=True, kw_only=True, tag="device.claim"):
    """Become a device of this installation. Only on a connection that greeted with a pairing code, and once."""

    name: DeviceName | UnsetType = UNSET


class DeviceUnlock(Command, frozen=True, kw_only=True, tag="device.unlock"):
    """The person shows who they are: this connection is theirs until it ends, is locked, or rests for 10 minutes.

    A wrong PIN is ``auth.forbidden``; after 5 in a row each further try waits (``rate.limited``).
    """

    pin: Pin


class DeviceLock(Command, frozen=True, kw_only=True, tag="device.lock"):
    """The person goes: the connection is a device's again."""


class DeviceList(Command, frozen=True, kw_only=True, tag="device.list"):
    """The devices that may talk here. For admins."""


class DevicePair(Command, frozen=True, kw_only=True, tag="device.pair"):
    """A code with which one device is paired, once and within 10 minutes. For admins.

    With ``user`` the device talks as that person only; ``own`` makes it theirs alone: no PIN is asked for.
    """

    name: DeviceName | UnsetType = UNSET
    user: UserId | UnsetType = UNSET
    own: bool = False


class DeviceRename(Command, frozen=True, kw_only=True, tag="device.name"):
    """Call a device something else. For admins."""

    device: Id
    name: DeviceName


class DeviceRevoke(Command, frozen=True, kw_only=True, tag="device.revoke"):
    """The device opens nothing any more; what it has open is closed at once. For admins."""

    device: Id


class DeviceEntry(Value, frozen=True, kw_only=True):
    """A device: ``user`` is null where several people use it."""

    device: Id
    name: str
    role: TalkRole
    paired_at: Time
    user: UserId | None = None


class Devices(Value, frozen=True, kw_only=True):
    """The devices, in the order in which they were paired."""

    devices: tuple[DeviceEntry, ...]


class DeviceClaimed(Value, frozen=True, kw_only=True):
    """The device's own token: shown this once, to be kept by the device and named in each hello."""

    device: Id
    token: str
    name: str
    role: TalkRole
    user: UserId | None = None


class PairingCode(Value, frozen=True, kw_only=True):
    """A code that lets one device in, until ``expires_at``."""

    code: str
    expires_at: Time


class RoleNow(Value, frozen=True, kw_only=True):
    """As whom this connection is served from here on."""

    role: TalkRole
