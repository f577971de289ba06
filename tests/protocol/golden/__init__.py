"""The frames of every release, byte for byte: added to, never changed, for clients are built on them."""

from pathlib import Path

V1 = Path(__file__).parent / "v1"


def golden_frames() -> dict[str, bytes]:
    """Every golden frame in JSON; a name's first parts are the frame's type, ``ack.`` the type it answers."""
    return {path.stem: path.read_bytes() for path in sorted(V1.glob("*.json"))}


def golden_msgpack() -> dict[str, bytes]:
    """The same frames in MessagePack."""
    lines = (line.split() for line in (V1 / "msgpack.hex").read_text().splitlines())
    return {name: bytes.fromhex(digits) for name, digits in lines}
