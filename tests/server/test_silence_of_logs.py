"""Nothing a person says, is called or measures is in a log line, a metric, an error, or where it has no business."""

import io
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from msgspec.structs import replace

from loadtest.client import Refusal, connected
from loadtest.model_script import Script
from loadtest.model_server import model_server
from protocol.errors import ErrorFrame
from protocol.person_frames import Health, HealthShare, MoodCheckIn, Profile, ProfileSet, Sleep
from server.logs import configure
from server.settings import Model
from tests.server.scenes import played
from tests.server.serving import serving, settings
from tests.server.test_pages_and_door import asked

CANARY = "zanzibarquince"
USER = "userquagmirezephyr"
NAME = "namevortexplum"
QUALITY_MINUTES = 389  # 6.5 hours
STEPS = 131_337
ID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MODEL = "It is good that you are here, modelkumquatsphinx."


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What is logged at the most talkative level, as an operator would see it."""
    root = logging.getLogger()
    handlers, level, before = root.handlers[:], root.level, structlog.get_config()
    stream = io.StringIO()
    configure("debug", "json", stream)
    yield stream
    root.handlers[:], root.level = handlers, level
    structlog.configure(**before)


def secrets() -> list[str]:
    return [CANARY, USER, NAME, "modelkumquatsphinx", "bedsidelotus"]


def holds(text: str, number: int) -> bool:
    """Whether a number stands there by itself: its digits may be within an id or a fraction by chance."""
    return re.search(rf"(?<![\w.-]){number}(?![\w-])", text) is not None


def stored(file: Path) -> bytes:
    """What a file holds, but for ids, whose digits are drawn by chance."""
    return ID.sub(b" ", file.read_bytes())


async def test_no_log_line_no_metric_and_no_error_holds_a_persons_words(
    tmp_path: Path, lines: io.StringIO
) -> None:
    errors: list[ErrorFrame] = []
    async with played(tmp_path, Script(text=MODEL)) as scene, connected(scene.url) as talker:
        await talker.hello(companion="serenity", user=USER)
        await talker.ask(ProfileSet(id="p", profile=Profile(name=NAME, therapist="bedsidelotus")))
        await talker.ask(MoodCheckIn(id="m", mood=2, stressors=(f"the {CANARY}",)))
        await talker.ask(HealthShare(id="h", health=Health(steps_today=STEPS)))
        await talker.talk(f"I keep thinking of the {CANARY}.")
        await talker.talk(f"I want to kill myself because of the {CANARY}.")
        for frame in (
            f'{{"type":"message.send","id":"x","text":"{CANARY}","colour":"{NAME}"}}',
            f'{{"type":"{CANARY}","id":"x"}}',
            f'{{"type":"health.share","id":"x","health":{{"steps_today":"{STEPS}"}}}}',
            f'{{"type":"message.send","id":"x","text":"{CANARY}\\ud800"}}',
            f'{{"type":"message.send","id":"x","text":"{CANARY}"',
            f"{CANARY}",
        ):
            await talker.socket.send(frame)
            errors.append(await talker.next(ErrorFrame))
        with pytest.raises(Refusal) as refused:
            await talker.say(f"{CANARY} again", id_="p")
        errors.append(refused.value.error)
        for fault in ("garbage", "half_json", "error_in_stream", "cut"):
            scene.model.play(Script(text=MODEL, fault=fault, fault_after=1))
            await talker.talk(f"And the {CANARY}?")
        scene.model.play(Script(status=500))
        await talker.talk(f"And the {CANARY}?")
        port = int(scene.url.rsplit(":", 1)[1].removesuffix("/ws"))
        metrics = (await asked(port, "/metrics")).body.decode()
        await talker.socket.send(f'{{"type":"ping","id":"{CANARY}\xff"}}'.encode("latin-1"), text=True)
        await talker.socket.wait_closed()
    logged = lines.getvalue()
    assert "turn.planned" in logged
    assert "frame.refused" in logged
    assert "fireside_answers_total" in metrics
    told = " ".join(f"{error.message} {error.hint} {error.say}" for error in errors)
    for secret in secrets():
        assert secret not in logged
        assert secret not in metrics
        assert secret not in told
    assert holds(f'{{"steps": {STEPS}}}', STEPS)  # the look finds what is there
    assert not any(holds(text, STEPS) for text in (logged, metrics, told))


async def test_a_fault_of_ours_is_logged_by_its_place_alone(lines: io.StringIO) -> None:
    log: structlog.stdlib.BoundLogger = structlog.get_logger("test")
    try:
        raise ValueError(f"cannot decode {CANARY}")
    except ValueError:
        log.exception("actor.crashed")
    logging.getLogger("somebody.else").warning("got %s", CANARY)
    try:
        b"\xff".decode()
    except UnicodeDecodeError:
        logging.getLogger("somebody.else").exception("failed on %r", CANARY)
    assert CANARY not in lines.getvalue()
    assert "test_silence_of_logs.py" in lines.getvalue()
    assert "ValueError" in lines.getvalue()


async def test_health_is_on_no_disk_and_in_the_prompts_of_its_session_alone(
    tmp_path: Path, lines: io.StringIO
) -> None:
    health = Health(last_night=Sleep(minutes=QUALITY_MINUTES, quality="poor"), steps_today=STEPS)
    async with played(tmp_path, Script(text="Yes.")) as scene:
        async with scene.greeted() as talker:
            await talker.ask(HealthShare(id="share", health=health))
            await talker.talk("Good morning to you.")
            assert str(STEPS) in scene.model.requests[-1].body.decode()
            files = [stored(file) for file in scene.data.rglob("*") if file.is_file()]
        async with scene.greeted() as other:
            await other.talk("Good morning to you.")
            assert str(STEPS) not in scene.model.requests[-1].body.decode()
    files += [stored(file) for file in scene.data.rglob("*") if file.is_file()]
    assert any(b"Good morning to you." in content for content in files)  # the scan finds what is there
    for needle in (str(STEPS).encode(), b"6.5 hours", str(QUALITY_MINUTES * 60).encode()):
        assert not any(needle in content for content in files)
    assert not holds(lines.getvalue(), STEPS)


async def test_the_key_of_a_model_is_in_no_log(tmp_path: Path, lines: io.StringIO) -> None:
    async with model_server(Script(status=401)) as upstream:
        chosen = settings(tmp_path, model=f"openai:m@{upstream.url}/v1")
        keyed = Model(name=chosen.model.name, api_key="keysecretmango")
        async with serving(replace(chosen, model=keyed)) as url, connected(url) as talker:
            await talker.hello()
            assert (await talker.talk("Hello.")).source == "fallback"
        assert "keysecretmango" in upstream.requests[0].headers["authorization"]
    assert "keysecretmango" not in lines.getvalue()
