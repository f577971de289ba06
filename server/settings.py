"""Settings: defaults beside the fields, then a TOML file, then the environment, then the command line.

Read once at start and handed down by the part; no other module reads the environment. An error names the key,
the value and the reason. A secret may be given as the path of a file (``…_FILE``) and is never shown.
"""

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_type_hints

import msgspec
import platformdirs

from server.setting_faults import fault

PREFIX = "FIRESIDE_"
SECRETS = frozenset({"model.api_key", "embedder.api_key"})

Port = Annotated[int, msgspec.Meta(ge=0, le=65_535)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=3_600)]
PerSecond = Annotated[float, msgspec.Meta(gt=0, le=10_000)]
Count = Annotated[int, msgspec.Meta(ge=1)]


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A section of the settings; an unknown key is refused."""


class Listen(Table, frozen=True, kw_only=True):
    """Where the server listens."""

    host: str = "127.0.0.1"
    port: Port = 8765  # 0: any free one
    origins: tuple[str, ...] = ()  # further web origins that may connect, exact
    names: tuple[str, ...] = ()  # further names by which devices reach this machine
    kiosk: bool = False  # nobody comes in without a token, on this machine neither
    plain_network: bool = False  # the explicit word to serve more than this machine without TLS


class Data(Table, frozen=True, kw_only=True):
    """Where everything is kept, and how safely."""

    folder: str = ""  # empty: this system's own place for an application's data
    durability: Literal["acked", "process", "debounced"] = "acked"
    key_file: str = ""  # holds the key of an encrypted store: 64 hexadecimal digits
    erase_cool_down_seconds: Annotated[float, msgspec.Meta(ge=0, le=604_800)] = 30.0
    backup_hours: Annotated[float, msgspec.Meta(ge=0, le=168)] = (
        24.0  # 0: no copies but before what cannot be undone
    )
    purge_archived_days: Annotated[int, msgspec.Meta(ge=0, le=36_500)] = 0  # 0: what is put away stays


class Model(Table, frozen=True, kw_only=True):
    """Which language model answers. Empty: an Ollama on this machine, else the companions' own texts."""

    name: str = ""
    api_key: str = ""
    first_token_seconds: Seconds = 20.0
    gap_seconds: Seconds = 10.0
    total_seconds: Seconds = 120.0
    most_at_once: Count = 4
    for_jobs: bool = True  # False: summaries and facts are made of a talk's own words alone


class Embedder(Table, frozen=True, kw_only=True):
    """What turns messages into vectors, beside the readers that go by words. Empty: nothing does."""

    name: str = ""  # onnx[:FILE], ollama:NAME[@URL] or openai:NAME@URL
    api_key: str = ""


class Companions(Table, frozen=True, kw_only=True):
    """Which companions there are."""

    default: str = "clara"
    folder: str = ""  # an operator's own companions, one folder each
    allow_remote: tuple[str, ...] = ()  # local companions that may use a model beyond this machine


class Contact(Table, frozen=True, kw_only=True):
    """Somebody who is told when a person needs help, as that person knows them."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    companion: str = ""  # empty: of every companion
    user: str = ""  # empty: of everybody


class Contacts(Table, frozen=True, kw_only=True):
    """Who is told of an alert. Abuse is told to the safeguarding contact only; without one to nobody."""

    caregiver: tuple[Contact, ...] = ()
    safeguarding: tuple[Contact, ...] = ()


class Limits(Table, frozen=True, kw_only=True):
    """What one client may do."""

    frame_bytes: Annotated[int, msgspec.Meta(ge=1_024, le=16_777_216)] = 1_048_576
    hello_seconds: Seconds = 5.0
    open_seconds: Seconds = 5.0
    handshakes_per_minute: Count = 6_000  # of one address
    commands_per_second: PerSecond = 20.0  # of one connection
    person_commands_per_second: PerSecond = 40.0  # of all their connections; never less than of one
    device_commands_per_second: PerSecond = 80.0  # of all its connections; never less than of one
    tokens_per_day: Annotated[int, msgspec.Meta(ge=0)] = 0  # of a person; 0: as many as they like
    invalid_per_minute: Count = 20
    connections: Count = 2_000
    sessions: Count = 10_000
    slow_reader_seconds: Seconds = 2.0  # without a byte taken; half a second for the close: cut within 5
    heartbeat_seconds: Seconds = 15.0
    heartbeat_timeout_seconds: Seconds = 10.0
    drain_seconds: Seconds = 10.0
    unlocked_seconds: Seconds = 600.0  # how long a PIN holds without a command


class Log(Table, frozen=True, kw_only=True):
    """What is written to standard error. No setting makes a log hold what was said."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["console", "json"] = "console"


class Settings(Table, frozen=True, kw_only=True):
    """Everything that can be set."""

    listen: Listen = Listen()
    data: Data = Data()
    model: Model = Model()
    embedder: Embedder = Embedder()
    companions: Companions = Companions()
    contacts: Contacts = Contacts()
    limits: Limits = Limits()
    log: Log = Log()

    @property
    def folder(self) -> Path:
        """The data folder."""
        return Path(self.data.folder) if self.data.folder else Path(platformdirs.user_data_dir("fireside"))


class BadSetting(Exception):
    """A setting cannot be used. The message names the key, the value (masked when secret) and the reason."""

    def __init__(self, key: str, value: object, reason: str, origin: str) -> None:
        shown = "********" if key in SECRETS else repr(value)
        super().__init__(f"{key} = {shown} (from {origin}): {reason}")


class Loaded(msgspec.Struct, frozen=True):
    """The settings, and where each value that is not a default came from."""

    settings: Settings
    origins: Mapping[str, str]


def load(file: Path | None, environment: Mapping[str, str], given: Mapping[str, Any] | None = None) -> Loaded:
    """The settings from ``file``, the environment and what was ``given`` on the command line, by dotted key.

    Raises ``BadSetting``.
    """
    values: dict[str, Any] = {}  # what TOML, the environment and flags hold is checked below
    origins: dict[str, str] = {}
    for found, origin in (*_from_file(file), *_from_environment(environment), *_given(given or {})):
        key, value = found
        _check_key(key, value, origin)
        values[key] = value
        origins[key] = origin
    nested: dict[str, dict[str, Any]] = {}
    for key, value in values.items():
        section, _, name = key.partition(".")
        nested.setdefault(section, {})[name] = _checked(key, value, origins[key])
    return Loaded(msgspec.convert(nested, Settings), origins)


def keys() -> dict[str, Any]:
    """Every dotted key and its type."""
    found: dict[str, Any] = {}
    for section, table in get_type_hints(Settings, include_extras=True).items():
        for name, kind in get_type_hints(table, include_extras=True).items():
            found[f"{section}.{name}"] = kind
    return found


def shown(loaded: Loaded) -> list[tuple[str, str, str]]:
    """Key, value and origin of every setting, secrets masked."""
    rows: list[tuple[str, str, str]] = []
    for key in keys():
        section, _, name = key.partition(".")
        value = getattr(getattr(loaded.settings, section), name)
        text = "********" if key in SECRETS and value else str(value)
        rows.append((key, text, loaded.origins.get(key, "default")))
    return rows


def _from_file(file: Path | None) -> list[tuple[tuple[str, Any], str]]:
    if file is None:
        return []
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8-sig"))  # some editors write a mark before it
    except OSError as error:
        raise BadSetting("config", str(file), f"cannot be read: {error.strerror}", "--config") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSetting("config", str(file), f"is not TOML: {error}", "--config") from None
    found: list[tuple[tuple[str, Any], str]] = []
    for section, value in content.items():
        if not isinstance(value, dict):
            raise BadSetting(section, value, "belongs into a section, such as [listen]", str(file))
        table = cast("dict[str, Any]", value)  # TOML's keys are text; values are checked by ``_checked``
        found.extend(((f"{section}.{name}", value), str(file)) for name, value in table.items())
    return found


def _from_environment(environment: Mapping[str, str]) -> list[tuple[tuple[str, Any], str]]:
    """``FIRESIDE_LISTEN_PORT`` is ``listen.port``; ``FIRESIDE_MODEL_API_KEY_FILE`` names a file with the value."""
    names = {f"{PREFIX}{key.replace('.', '_').upper()}": key for key in keys()}
    found: list[tuple[tuple[str, Any], str]] = []
    for name, value in environment.items():
        key = names.get(name)
        if key is not None:
            found.append(((key, value), f"environment {name}"))
        elif name.endswith("_FILE") and name.removesuffix("_FILE") in names:
            key = names[name.removesuffix("_FILE")]
            found.append(((key, _secret_file(key, value, name)), f"file of {name}"))
        elif name.startswith(PREFIX) and not name.startswith(f"{PREFIX}TEST_"):
            wanted = name.removeprefix(PREFIX).lower().replace("_", ".", 1)
            raise BadSetting(name, value, f"no setting has that name{_nearest(wanted)}", "environment")
    return found


def _secret_file(key: str, path: str, name: str) -> str:
    try:
        held = Path(path).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise BadSetting(
            key, path, f"the file {path} cannot be read: {reason}", f"environment {name}"
        ) from None
    if not held:
        raise BadSetting(key, path, f"the file {path} is empty", f"environment {name}")
    return held


def _given(given: Mapping[str, Any]) -> list[tuple[tuple[str, Any], str]]:
    return [((key, value), "command line") for key, value in given.items() if value is not None]


def _check_key(key: str, value: object, origin: str) -> None:
    if key not in keys():
        raise BadSetting(key, value, f"no setting has that name{_nearest(key)}", origin)


def _nearest(key: str) -> str:
    same = [known for known in keys() if known.split(".")[-1] == key.split(".")[-1]]
    near = same or difflib.get_close_matches(key, keys(), n=1)
    return f"; did you mean {near[0]}?" if near else "; fireside config show lists them all"


def _checked(key: str, value: object, origin: str) -> object:
    kind = keys()[key]
    if isinstance(value, str) and "\0" in value:
        raise BadSetting(key, value, "holds a NUL character, which no name or path may have", origin)
    if isinstance(value, str) and origin.startswith(("environment", "file of")) and "tuple" in str(kind):
        value = [part.strip() for part in value.split(",") if part.strip()]
    try:
        checked: object = msgspec.convert(value, kind, strict=isinstance(value, bool | dict))
    except msgspec.ValidationError as error:
        raise BadSetting(key, value, str(error), origin) from None
    wrong = fault(key, checked)
    if wrong is not None:
        raise BadSetting(key, value, wrong, origin)
    return checked
