"""The command line. A server that is asked for in plain words is served at once; everything else is ``server.cli_app``.

Whoever starts a server again after it fell waits for it: loading every command, and the library that reads and explains
them, would take longer than the server itself.
"""

import gc
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

SETTINGS = {
    "--host": "listen.host",
    "--port": "listen.port",
    "--data": "data.folder",
    "--model": "model.name",
    "--embedder": "embedder.name",
}
CONFIG = "--config"
READ: dict[str, Callable[[str], str | int]] = {"--port": int, "--data": lambda value: str(Path(value))}
UNUSED = (
    "rich",
    "click",
)  # structlog would draw tracebacks, httpx a command line of its own: nobody sees either


def main() -> None:
    """Run a command; what an operator can mend is said in a sentence, without a stack trace."""
    os.umask(0o077)  # whatever is written is its owner's alone
    given = plainly_served(sys.argv[1:])
    if given is None:
        from server import cli_app  # late, as the other: a command loads what it needs

        cli_app.run()
        return
    gc.set_threshold(
        50_000
    )  # nothing of what is loaded is garbage: looking for some takes a tenth of a start
    for name in UNUSED:
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # None: not to be found; both are optional there
    from server import serving

    config = given.pop(CONFIG, None)
    serving.serve_with(None if config is None else Path(str(config)), given)


def plainly_served(arguments: Sequence[str]) -> dict[str, str | int] | None:
    """The settings that a plain ``serve`` is given, and its ``--config``; None for what wants reading or explaining.

    Plain is ``serve`` and after it options with their values, each once, none of them odd: no shortened or joined
    ones, no value that is empty or looks like an option, no port but digits.
    """
    command, *rest = arguments or ("",)
    options, values = rest[::2], rest[1::2]
    if command != "serve" or len(options) != len(values) or len({*options}) != len(options):
        return None
    given: dict[str, str | int] = {}
    for option, value in zip(options, values, strict=True):
        if option not in SETTINGS and option != CONFIG:
            return None
        if not value.strip() or value.startswith("-"):
            return None
        if option == "--port" and not (value.isascii() and value.isdigit() and len(value) <= len("65535")):
            return None
        given[SETTINGS.get(option, option)] = READ.get(option, str)(value)
    return given


if __name__ == "__main__":
    main()
