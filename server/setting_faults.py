"""What no type says of a setting: a value of the right kind that would do nothing, or something else than was meant.

An origin that no browser sends lets nobody in, a name that no device asks for is answered to nobody, and a ``~`` that
nobody replaces is a folder of that name, wherever the server happened to be started.
"""

import ipaddress
import re
from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import Final, cast
from urllib.parse import SplitResult, urlsplit

_LABEL = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)")
_MOST_NAME = 253
_USUAL_PORT: Final = {"http": 80, "https": 443}


def fault(key: str, value: object) -> str | None:
    """Why ``value`` cannot be meant for ``key``, in words for the operator; None where it can."""
    look = _LOOKS.get(key)
    if look is None:
        return None
    each = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)  # as it was converted
    return next((found for one in each if isinstance(one, str) and (found := look(one))), None)


def unknown(names: Collection[str], known: Collection[str]) -> str | None:
    """The first of ``names`` that no companion has, in words for the operator; None where all are known."""
    strange = next((name for name in names if name not in known), None)
    if strange is None:
        return None
    near = get_close_matches(strange.strip().lower(), known, n=1)
    meant = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(sorted(known))}"
    return f"there is no companion {strange!r}{meant}"


def _path(path: str) -> str | None:
    if path != path.strip():
        return "begins or ends with white space, which would be part of the name"
    if path.startswith("~"):
        return "nobody replaces the ~ here; write the whole path"
    return None


def _key(key: str) -> str | None:
    if key != key.strip():
        return "has white space around it, which no key has"
    if not key.isascii() or not key.isprintable() or " " in key:
        return "is no key: one word of plain characters (not é, no line break)"
    return None


def _host(host: str) -> str | None:
    if not host:
        return "is empty; write 127.0.0.1, or 0.0.0.0 for every network of this machine"
    if _is_address(host) or _is_name(host):
        return None
    return f"{host!r} is neither an address nor a name, such as 127.0.0.1 or ::1; the port is listen.port's"


def _name(name: str) -> str | None:
    if _is_address(name) or _is_name(name):
        return None
    return f"{name!r} is no name of a machine: write it alone, as fireside.local, without http://, port, path or *"


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_name(text: str) -> bool:
    return 0 < len(text) <= _MOST_NAME and all(_LABEL.fullmatch(label) for label in text.split("."))


def _origin(origin: str) -> str | None:
    if origin == "null":
        return "'null' is what a page of any site can send from a sandbox; it is never let in"
    try:
        parts = urlsplit(origin)
        written = _as_a_browser_writes(parts)
    except ValueError:
        written = None
    if written is None:
        return f"{origin!r} is no origin: write scheme, name and no path, such as https://kiosk.example"
    return None if origin == written else f"a browser never sends {origin!r}; write {written}"


def _as_a_browser_writes(parts: SplitResult) -> str | None:
    """The origin of an address; None where it has none. Of an app's own scheme any name is one."""
    host, port = parts.hostname or "", parts.port
    if not parts.scheme or parts.scheme in ("ws", "wss", "file") or parts.username is not None:
        return None
    if parts.scheme not in _USUAL_PORT:
        return f"{parts.scheme}://{parts.netloc}" if parts.netloc and parts.netloc.isascii() else None
    if not host.isascii():
        host = host.encode("idna").decode()
    if not (_is_name(host) or _is_address(host)):
        return None
    shown = f"[{host}]" if ":" in host else host
    beside = "" if port in (None, _USUAL_PORT.get(parts.scheme)) else f":{port}"
    return f"{parts.scheme}://{shown}{beside}"


_LOOKS: Final[dict[str, Callable[[str], str | None]]] = {
    "listen.host": _host,
    "listen.origins": _origin,
    "listen.names": _name,
    "data.folder": _path,
    "data.key_file": _path,
    "companions.folder": _path,
    "model.api_key": _key,
    "embedder.api_key": _key,
}
