"""The commands: ``fireside serve|talk|doctor|config|protocol|companions`` and the batch entry points."""

import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import anyio
import cyclopts
from cyclopts import Parameter

from server import (
    batch,
    cli_checks,
    cli_companions,
    cli_devices,
    cli_grants,
    cli_init,
    cli_jobs,
    cli_keeper,
    cli_memory,
    serving,
)
from server.models import embedding_at_once
from server.plain_words import said_plainly
from server.settings import Loaded, load, shown
from server.talk import talk as talk_at_the_terminal

app = cyclopts.App(
    name="fireside",
    help="A realtime chat server for AI companions that remember.",
    help_format="markdown",
    version=cli_checks.own_version,
    version_flags=["--version"],
)
config_app = cyclopts.App(name="config", help="Look at the settings.")
protocol_app = cyclopts.App(name="protocol", help="Describe the wire for client developers.")
app.command(config_app)
app.command(protocol_app)
app.command(cli_companions.app)
app.command(cli_jobs.app)
app.command(cli_grants.app)
app.command(cli_init.init)
app.command(cli_devices.pair)
app.command(cli_devices.audit)
app.command(cli_devices.device_app)
app.command(cli_devices.token_app)
app.command(cli_devices.user_app)
app.command(cli_keeper.date_app)
app.command(cli_keeper.storage)
app.command(cli_keeper.encrypt)

ConfigFile = Annotated[
    Path | None, Parameter(name="--config", help="A TOML file with settings (see docs/operating.md).")
]
Data = Annotated[Path | None, Parameter(help="The data folder.")]
MODELS = "builtin | ollama:NAME[@URL] | openai:NAME@URL | anthropic:NAME[@URL] | local:FILE.gguf."

EmbedderName = Annotated[
    str | None,
    Parameter(
        help="onnx | onnx:FILE.onnx | ollama:NAME[@URL] | openai:NAME@URL. Without it nothing is found by meaning."
    ),
]


def run() -> None:
    """Run a command; what an operator can mend is said in a sentence, without a stack trace."""
    with said_plainly():
        try:
            app()
        finally:
            sys.stdout.flush()  # a reader that has gone is met here, and not at the interpreter's end


def settings_of(
    config: Path | None,
    *,
    host: str | None = None,
    port: int | None = None,
    data: Path | None = None,
    model: str | None = None,
    embedder: str | None = None,
) -> Loaded:
    """The settings of a command; raises ``BadSetting``."""
    given = {
        "listen.host": host,
        "listen.port": port,
        "data.folder": str(data) if data is not None else None,
        "model.name": model,
        "embedder.name": embedder,
    }
    return load(config, os.environ, given)


@app.command
def serve(
    *,
    host: Annotated[str | None, Parameter(help="Address to listen on (127.0.0.1).")] = None,
    port: Annotated[int | None, Parameter(help="Port to listen on (8765); 0 takes a free one.")] = None,
    data: Annotated[Path | None, Parameter(help="Folder in which everything is kept.")] = None,
    config: ConfigFile = None,
    model: Annotated[
        str | None,
        Parameter(help=f"{MODELS} Without it: an Ollama on this machine, else the companions' own texts."),
    ] = None,
    embedder: EmbedderName = None,
) -> None:
    """Start the server.

    For example:

        fireside serve
        fireside serve --port 9000 --data /var/lib/fireside
        fireside serve --model ollama:llama3.2
        fireside serve --model openai:qwen2.5@http://127.0.0.1:8080/v1
    """
    serving.serve(settings_of(config, host=host, port=port, data=data, model=model, embedder=embedder))


@app.command
def talk(
    *,
    url: Annotated[str, Parameter(help="The server to talk to.")] = "ws://127.0.0.1:8765/ws",
    companion: Annotated[str | None, Parameter(help="Which companion.")] = None,
    user: Annotated[str | None, Parameter(help="Who is talking (open mode).")] = None,
    token_file: Annotated[Path | None, Parameter(help="A file with a token, where one is asked for.")] = None,
) -> None:
    """Talk at the terminal. Ctrl-C stops an answer; Ctrl-D ends.

    For example:

        fireside talk
        fireside talk --companion coach --user sam
    """
    token = None if token_file is None else token_file.read_text(encoding="utf-8").strip()
    raise SystemExit(anyio.run(talk_at_the_terminal, url, companion, user, token))


@app.command
def doctor(
    *,
    config: ConfigFile = None,
    data: Data = None,
    model: Annotated[str | None, Parameter(help=f"The model to look at instead: {MODELS}")] = None,
    embedder: EmbedderName = None,
    network: Annotated[
        bool,
        Parameter(
            help="Only say which addresses are talked to, and what listens; nobody is asked.", negative=()
        ),
    ] = False,
) -> None:
    """Look at this installation and say what is well and what is not.

    For example:

        fireside doctor --data /var/lib/fireside
        fireside doctor --network
    """
    loaded = settings_of(config, data=data, model=model, embedder=embedder)
    if network:
        raise SystemExit(cli_checks.network_told(loaded))
    raise SystemExit(anyio.run(cli_checks.doctor, loaded.settings))


@config_app.command
def show(*, config: ConfigFile = None) -> None:
    """Every setting, its value, and where the value came from; secrets are masked.

    For example:

        fireside config show --config fireside.toml
    """
    rows = shown(settings_of(config))
    width = max(len(key) for key, _, _ in rows)
    for key, value, origin in rows:
        print(f"{key:<{width}}  {value or '(empty)':<24}  {origin}")


@protocol_app.command
def asyncapi() -> None:
    """The wire as AsyncAPI 3.0, in JSON.

    For example:

        fireside protocol asyncapi > asyncapi.json
    """
    print(cli_checks.asyncapi_text())


@protocol_app.command
def schema() -> None:
    """Every frame as JSON Schema.

    For example:

        fireside protocol schema > schema.json
    """
    print(cli_checks.schema_text())


@app.command(name="export")
def export_(
    file: Annotated[Path, Parameter(help="The file to write; only its owner may read it.")],
    *,
    user: Annotated[str, Parameter(help="Whose memory.")],
    companion: Annotated[str, Parameter(help="With which companion.")],
    form: Annotated[
        Literal["json", "html"], Parameter(name="--format", help="To bring in again, or to read.")
    ] = "json",
    data: Data = None,
    config: ConfigFile = None,
) -> None:
    """Write a person's memory with a companion into a file: JSON that comes in again, or HTML to read.

    For example:

        fireside export ann.json --user ann --companion serenity
        fireside export ann.html --user ann --companion serenity --format html
    """
    chosen = settings_of(config, data=data).settings
    cli_memory.write_export(chosen, file, user=user, companion=companion, form=form)


@app.command(name="import")
def import_(
    file: Annotated[Path, Parameter(help="An export in JSON.")],
    *,
    user: cli_memory.User = None,
    companion: cli_memory.Companion = None,
    data: Data = None,
    config: ConfigFile = None,
) -> None:
    """Bring an export (JSON) in, for the person and the companion it names unless others are named here.

    It adds what is missing and changes nothing that is there; a file with a fault changes nothing at all.

    For example:

        fireside import ann.json
        fireside import ann.json --user anna --data /var/lib/fireside
    """
    chosen = settings_of(config, data=data).settings
    cli_memory.read_import(chosen, file, user=user, companion=companion)


@app.command
def purge(
    *,
    before: Annotated[str, Parameter(help="A day, as 2026-01-31; what was archived on it stays.")],
    data: Data = None,
    config: ConfigFile = None,
) -> None:
    """Remove the conversations that were archived before a date, of everybody, for good.

    For example:

        fireside purge --before 2026-01-31
    """
    cli_memory.purge_archived(settings_of(config, data=data).settings, before)


Companion = Annotated[str, Parameter(help="The companion whose policy is used.")]


@app.command
def analyse(*, companion: Companion, config: ConfigFile = None) -> None:
    """Read messages: JSON lines in ({"id","session","text"}), JSON lines out, in order.

    For example:

        fireside analyse --companion clara < messages.jsonl
    """
    batch.run(batch.analyse(batch.companion_named(companion, settings_of(config).settings)))


@app.command
def guard(*, companion: Companion, config: ConfigFile = None) -> None:
    """Judge answers: {"id","answer","window"} in, {"id","allowed","rule","shown"} out.

    For example:

        fireside guard --companion clara < answers.jsonl
    """
    batch.run(batch.guard(batch.companion_named(companion, settings_of(config).settings)))


@app.command
def recall(*, companion: Companion, config: ConfigFile = None) -> None:
    """What keyword recall adds beyond the last 10 messages: {"id","messages","query"} in.

    For example:

        fireside recall --companion coach < queries.jsonl
    """
    batch.run(batch.recall(batch.companion_named(companion, settings_of(config).settings)))


@app.command
def search(*, embedder: EmbedderName = None) -> None:
    """Full-text search in a dialogue: {"id","messages","queries"} in, {"id","results"} out.

    For example:

        fireside search < dialogues.jsonl
        fireside search --embedder onnx < dialogues.jsonl
    """
    if embedder is None:
        batch.run(batch.search)
        return
    with embedding_at_once(embedder) as embed:
        batch.run(lambda line: batch.search(line, embed))


@app.command
def extract(*, companion: Companion, config: ConfigFile = None) -> None:
    """Facts the person stated: {"id","messages"} in, {"id","facts"} out.

    For example:

        fireside extract --companion serenity < dialogues.jsonl
    """
    batch.run(batch.extract(batch.companion_named(companion, settings_of(config).settings)))
