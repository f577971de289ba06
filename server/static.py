"""The pages: package data, read once, each with its kind of content."""

from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
PERMISSIONS_POLICY = "camera=(), display-capture=(), geolocation=(), microphone=()"
"""What a browser keeps even from our own pages: none of them listens, looks or asks where somebody is."""
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}


class Page(NamedTuple):
    """A file as it is served."""

    content: bytes
    kind: str


def pages() -> dict[str, Page]:
    """Every page by its path; ``/`` is the kiosk, ``/me`` and such are files of that name."""
    found: dict[str, Page] = {}
    for file in _files(resources.files("server") / "pages"):
        ending = file.name[file.name.rfind(".") :]
        if ending in KINDS:
            page = Page(file.read_bytes(), KINDS[ending])
            found[f"/{file.name}"] = page
            if ending == ".html":
                found[f"/{file.name.removesuffix(ending)}"] = page
    if "/index.html" in found:
        found["/"] = found["/index.html"]
    return found


def _files(folder: Traversable) -> list[Traversable]:
    return [each for each in folder.iterdir() if each.is_file()] if folder.is_dir() else []
