"""The files of the pages: an exact list, read once, with the headers that keep a page to itself.

A path that is not in the list is no file; nothing is ever looked up by what a client wrote.
"""

from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Final

import msgspec

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS: Final = MappingProxyType(
    {
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), screen-wake-lock=(self)",
        "Cache-Control": "no-cache",
    }
)
"""Sent with every file of a page. ``no-cache``: after an upgrade no page runs with old parts."""

_TYPES: Final = MappingProxyType(
    {
        "html": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
    }
)


class PageFile(msgspec.Struct, frozen=True):
    """A file as it is sent."""

    content_type: str
    body: bytes


@cache
def page_files() -> MappingProxyType[str, PageFile]:
    """Every file by its path: ``/`` and ``/pages/NAME``."""
    folder = resources.files("server").joinpath("pages")
    named = {file.name: file for file in folder.iterdir() if file.name.rpartition(".")[2] in _TYPES}
    files = {
        f"/pages/{name}": PageFile(_TYPES[name.rpartition(".")[2]], file.read_bytes())
        for name, file in sorted(named.items())
    }
    return MappingProxyType({"/": files["/pages/index.html"], **files})
