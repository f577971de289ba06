"""``python -m loadtest``: start a server and a model server, let people talk, print what was seen.

Example:
    python -m loadtest --clients 200 --tokens-per-second 50
"""

import sys
import tempfile
import time
from pathlib import Path
from subprocess import PIPE
from typing import Annotated

import anyio
import cyclopts
import msgspec
from cyclopts import Parameter

from loadtest.figures import table
from loadtest.model_script import Script
from loadtest.model_server import model_server
from loadtest.page import Measures, page
from loadtest.process import server_process
from loadtest.talking import Gathered, Load, missing_or_doubled, run

app = cyclopts.App(name="loadtest", help="Drive a Fireside server with real connections and report.")


@app.default
def talk(
    *,
    clients: int = 200,
    messages: int = 3,
    tokens_per_second: float = 50.0,
    tokens: int = 120,
    companion: str = "serenity",
    stop_share: float = 0.05,
    seed: int = 1,
    report: Annotated[Path | None, Parameter(name="--json", help="Write the figures here.")] = None,
    html: Annotated[Path | None, Parameter(name="--html", help="Write a page with plots here.")] = None,
    compare: Annotated[bool, Parameter(help="Let a bare loop send the same frames afterwards.")] = False,
) -> None:
    """Let ``clients`` people talk at once.

    For example:

        python -m loadtest
        python -m loadtest --clients 50 --messages 5 --json figures.json
        python -m loadtest --compare --html report.html
    """
    load = Load(clients=clients, messages=messages, companion=companion, stop_share=stop_share, seed=seed)
    script = Script(tokens_per_second=tokens_per_second, tokens=tokens)
    runs: dict[str, Measures] = {}
    code = anyio.run(_talk, load, script, report, runs)
    if compare:
        runs["bare loop"] = anyio.run(_bare, load, script)
    if html is not None:
        title = f"{load.clients} people, {load.messages} messages each, {tokens_per_second:g} tokens a second"
        html.write_text(page(title, runs), encoding="utf-8")
    raise SystemExit(code)


async def _bare(load: Load, script: Script) -> Measures:
    """The same talks with a loop that only sends frames, in a process of its own as the server was."""
    seen = Gathered()
    command = [sys.executable, "-m", "loadtest.bare", str(script.tokens), str(script.tokens_per_second)]
    async with await anyio.open_process(command, stdin=PIPE, stdout=PIPE, stderr=None) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with anyio.fail_after(30):
            url = (await process.stdout.receive()).decode().strip()
        await run(url, load, seen)
        await process.stdin.aclose()  # it ends with whoever started it
        await process.wait()
    print(f"\na bare loop that sends the same frames\n{table(seen.rows())}")
    print(f"errors {sum(seen.errors.values())} {dict(seen.errors) or ''}")
    return seen.measures()


async def _talk(load: Load, script: Script, report: Path | None, runs: dict[str, Measures]) -> int:
    seen = Gathered()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "settings.toml").write_text(
            f"[model]\nmost_at_once = {load.clients}\n[limits]\ncommands_per_second = 100.0\n"
        )
        async with model_server(script) as model:
            started = time.perf_counter()
            arguments = [
                "--model",
                f"openai:loadtest@{model.url}/v1",
                "--config",
                str(folder / "settings.toml"),
            ]
            async with server_process(folder, arguments) as server:
                ready = time.perf_counter() - started
                memory = server.memory_mib()
                print(f"ready in {ready:.2f} s, {memory:.0f} MiB; {load.clients} people begin to talk …")
                before = server.cpu_seconds()
                began = time.perf_counter()
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(_progress, seen, load)
                    await run(server.url, load, seen)
                    tasks.cancel_scope.cancel()
                took = time.perf_counter() - began
                cpu = server.cpu_seconds() - before
                full = server.memory_mib()
                code = await server.stop()
        lost, doubled = missing_or_doubled(folder / "data" / "fireside.db", seen.acknowledged)
        lost_answers, _ = missing_or_doubled(folder / "data" / "fireside.db", seen.answers)
    print(table(seen.rows()))
    runs["fireside"] = seen.measures()
    errors = sum(seen.errors.values())
    print(
        f"{took:.1f} s, {len(seen.acknowledged)} messages acknowledged, {len(seen.answers)} answers, "
        f"{seen.deltas} deltas; server: {cpu:.1f} s of CPU, {full:.0f} MiB at the end, exit code {code}"
    )
    print(f"errors {errors} {dict(seen.errors) or ''}  lost {lost + lost_answers}  stored twice {doubled}")
    if report is not None:
        figures = {name: msgspec.structs.asdict(each) for name, each in seen.rows()}
        report.write_bytes(msgspec.json.format(msgspec.json.encode(figures), indent=2))
    return 1 if errors or lost or lost_answers or doubled else 0


async def _progress(seen: Gathered, load: Load) -> None:
    whole = load.clients * load.messages
    while True:
        await anyio.sleep(5)
        print(f"  {len(seen.whole)} of {whole} answers", flush=True)


if __name__ == "__main__":
    app()
