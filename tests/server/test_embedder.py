"""An embedder beside the model: messages get vectors in time; without one, or with a broken one, all is the same."""

import importlib.util
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from actors.ports import no_vector
from generation.local import LocalModelError
from generation.naming import BadModelNameError, OllamaModel
from loadtest.client import connected
from loadtest.model_script import Script
from loadtest.model_server import model_server
from protocol.talk_frames import ResponseDone
from server.casting import companions
from server.cli_checks import look_at_embedder
from server.metrics import Metrics
from server.models import check_embedder, embedding, tells_feelings, vectors
from server.settings import BadSetting, Companions, Embedder, Settings, load, shown
from tests.clock import virtual_time
from tests.server.serving import serving, settings
from tests.server.test_leaks import unpaced

FAR = "openai:bge@http://192.0.2.1:8000/v1"


def with_embedder(chosen: Settings, name: str, key: str = "") -> Settings:
    return replace(chosen, embedder=Embedder(name=name, api_key=key))


SAID = ("Where is my daughter?", "My soup was good.")


async def talked(chosen: Settings) -> list[ResponseDone]:
    async with serving(chosen) as url, connected(url) as talker:
        await talker.hello(user="ann")
        return [await talker.talk(text) for text in SAID]


async def test_each_message_is_embedded_and_answered(tmp_path: Path) -> None:
    """Of Clara, whose talks are not searched: whoever asks for the vector of what she was told reads it."""
    async with model_server() as upstream:

        def asked() -> list[str]:
            """The messages so far, each time that it was asked for; beside them are stories, learned once."""
            texts = [request.json()["input"] for request in upstream.requests]
            return [each[0] for each in texts if len(each) == 1 and each[0] in SAID]

        plain = settings(tmp_path, companion="clara", own=unpaced(tmp_path / "own"))
        chosen = with_embedder(plain, f"ollama:all-minilm@{upstream.url}")
        async with serving(chosen) as url, connected(url) as talker:
            await talker.hello(user="ann")
            for number, text in enumerate(SAID, start=1):
                with anyio.fail_after(60):
                    while (
                        text not in asked()
                    ):  # on a busy machine one may come too late to be read with it (D32)
                        assert (await talker.talk(text)).status == "completed"
                assert set(asked()) == set(SAID[:number])


async def test_answers_are_the_same_without_an_embedder_and_with_a_broken_one(tmp_path: Path) -> None:
    plain = await talked(settings(tmp_path / "plain"))
    async with model_server(Script(status=503)) as upstream:
        name = f"openai:bge@{upstream.url}/v1"
        broken = await talked(with_embedder(settings(tmp_path / "broken"), name))
    assert [each.text for each in plain] == [each.text for each in broken]


@pytest.mark.parametrize("anyio_backend", [virtual_time()], ids=["on a clock that jumps"])
async def test_what_came_of_the_vectors_is_counted_without_a_word_of_the_message(tmp_path: Path) -> None:
    metrics = Metrics()
    async with model_server(Script(), Script(), Script(status=503)) as upstream:
        chosen = with_embedder(settings(tmp_path), f"ollama:all-minilm@{upstream.url}")
        async with embedding(chosen) as found, vectors(found, metrics.vector) as vector:
            await upstream.asked()  # the one that warms up
            with anyio.fail_after(60):
                while await vector("My name is Ann.") is None:
                    pass
                assert await vector("My name is Ann.") is None
    text = metrics.text().decode()
    assert 'fireside_message_vectors_total{result="made"} 1.0' in text
    assert 'fireside_message_vectors_total{result="failed"} 1.0' in text
    assert "Ann" not in text


async def test_without_an_embedder_there_is_no_vector(tmp_path: Path) -> None:
    async with embedding(settings(tmp_path)) as found, vectors(found, Metrics().vector) as vector:
        assert vector is no_vector
        assert await vector("Good morning.") is None


def test_an_embedder_elsewhere_is_refused_for_local_companions(tmp_path: Path) -> None:
    found = companions("").values()
    chosen = with_embedder(settings(tmp_path), FAR)
    with pytest.raises(BadSetting, match=r"embedder\.name") as error:
        check_embedder(chosen, found)
    assert "clara, serenity may only use" in str(error.value)
    allowed = replace(chosen, companions=Companions(allow_remote=("clara", "serenity")))
    assert check_embedder(allowed, found) is not None


async def test_a_server_with_such_an_embedder_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r"embedder\.name"):
        async with serving(with_embedder(settings(tmp_path), FAR)):
            raise AssertionError("it started")
    with pytest.raises(BadModelNameError):
        async with serving(with_embedder(settings(tmp_path), "builtin")):
            raise AssertionError("it started")


@pytest.mark.skipif(
    importlib.util.find_spec("onnxruntime") is None, reason="the extra meaning is not installed"
)
@pytest.mark.onnx
def test_an_encoder_in_the_process_stays_on_this_machine_and_tells_feelings(tmp_path: Path) -> None:
    chosen = with_embedder(settings(tmp_path), "onnx")
    model = check_embedder(chosen, companions("").values())
    assert tells_feelings(model)
    assert look_at_embedder(chosen).seen == "onnx"


def test_an_encoder_that_is_not_there_is_said_before_anything_is_served(tmp_path: Path) -> None:
    chosen = with_embedder(settings(tmp_path), f"onnx:{tmp_path / 'gone.onnx'}")
    with pytest.raises(LocalModelError, match=r"gone\.onnx|fireside\[meaning\]"):
        check_embedder(chosen, companions("").values())
    assert not look_at_embedder(chosen).well


def test_the_doctor_names_the_embedder(tmp_path: Path) -> None:
    none = look_at_embedder(settings(tmp_path))
    assert none.well
    assert "none" in none.seen
    near = look_at_embedder(with_embedder(settings(tmp_path), "ollama:all-minilm"))
    assert near.well
    assert "all-minilm" in near.seen
    assert not look_at_embedder(with_embedder(settings(tmp_path), FAR)).well


def test_the_embedders_key_is_never_shown(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("sesame\n", encoding="utf-8")
    loaded = load(None, {"FIRESIDE_EMBEDDER_API_KEY_FILE": str(key)})
    assert loaded.settings.embedder.api_key == "sesame"
    assert "sesame" not in str(shown(loaded))


def test_only_the_model_the_head_was_trained_on_tells_feelings() -> None:
    assert tells_feelings(OllamaModel("all-minilm"))
    assert tells_feelings(OllamaModel("sentence-transformers/all-MiniLM-L6-v2"))
    for name in ("all-minilm:33m", "all-MiniLM-L12-v2", "nomic-embed-text"):
        assert not tells_feelings(OllamaModel(name))
    assert not tells_feelings(None)
