"""The words an operator names a language model with, read into a value.

``builtin``, ``ollama:NAME[@URL]``, ``openai:NAME@URL``, ``anthropic:NAME[@URL]`` or ``local:FILE.gguf``.
"""

from pathlib import Path
from typing import TypeAlias, assert_never

import msgspec

from generation.addresses import address_fault, is_local

OLLAMA_URL = "http://127.0.0.1:11434"
ANTHROPIC_URL = "https://api.anthropic.com"
FORMS = "builtin, ollama:NAME[@URL], openai:NAME@URL, anthropic:NAME[@URL] or local:FILE.gguf"
EMBEDDER_FORMS = "onnx, onnx:FILE.onnx, ollama:NAME[@URL] or openai:NAME@URL"


class BuiltinModel(msgspec.Struct, frozen=True, tag="builtin"):
    """No language model: the companion's own words."""


class OllamaModel(msgspec.Struct, frozen=True, tag="ollama"):
    """A model of an Ollama server."""

    name: str
    url: str = OLLAMA_URL


class OpenAIModel(msgspec.Struct, frozen=True, tag="openai"):
    """A model of any server that speaks OpenAI's chat completions; ``url`` ends where ``/chat`` begins."""

    name: str
    url: str


class AnthropicModel(msgspec.Struct, frozen=True, tag="anthropic"):
    """A model of Anthropic's messages API."""

    name: str
    url: str = ANTHROPIC_URL


class LocalModel(msgspec.Struct, frozen=True, tag="local"):
    """A GGUF file, run by llama.cpp inside this process."""

    file: Path


class OnnxModel(msgspec.Struct, frozen=True, tag="onnx"):
    """An encoder run inside this process; without a file the one that ``fireside[meaning]`` brings."""

    file: Path | None = None


Model: TypeAlias = BuiltinModel | OllamaModel | OpenAIModel | AnthropicModel | LocalModel
EmbedderModel: TypeAlias = OllamaModel | OpenAIModel | OnnxModel


class BadModelNameError(ValueError):
    """What was written names no model. The message says what is wrong and what to write instead."""


def parse_model(text: str) -> Model:
    """The model that ``text`` names; raises ``BadModelNameError``."""
    kind, colon, rest = text.strip().partition(":")
    match kind.lower():
        case "builtin" if not colon:
            return BuiltinModel()
        case "builtin":
            raise BadModelNameError(f"{text!r}: builtin takes nothing after it; write just builtin")
        case "local":
            return LocalModel(_file(text, rest))
        case "ollama":
            return OllamaModel(*_name_and_url(text, kind, rest, OLLAMA_URL))
        case "anthropic":
            return AnthropicModel(*_name_and_url(text, kind, rest, ANTHROPIC_URL))
        case "openai":
            return OpenAIModel(*_name_and_url(text, kind, rest, None))
        case _:
            raise BadModelNameError(f"{text!r} names no kind of model; write one of {FORMS}")


def parse_embedder(text: str) -> EmbedderModel:
    """The embedder that ``text`` names: ``onnx``, ``onnx:FILE``, ``ollama:NAME[@URL]`` or ``openai:NAME@URL``.

    Raises ``BadModelNameError``.
    """
    kind, colon, rest = text.strip().partition(":")
    if kind.lower() == "onnx":
        if colon and not rest.lower().endswith(".onnx"):
            raise BadModelNameError(
                f"{text!r}: onnx: takes the path of an ONNX file, as in onnx:/models/minilm.onnx"
            )
        return OnnxModel(Path(rest).expanduser() if rest else None)
    if kind.lower() in {"ollama", "openai"}:
        model = parse_model(text)
        if isinstance(model, OllamaModel | OpenAIModel):
            return model
    raise BadModelNameError(f"{text!r} names no embedder; write one of {EMBEDDER_FORMS}")


def written(model: Model | OnnxModel) -> str:
    """The words that name ``model``."""
    match model:
        case BuiltinModel():
            return "builtin"
        case LocalModel(file=file):
            return f"local:{file}"
        case OnnxModel(file=file):
            return "onnx" if file is None else f"onnx:{file}"
        case OllamaModel(name=name, url=url):
            return f"ollama:{name}@{url}"
        case OpenAIModel(name=name, url=url):
            return f"openai:{name}@{url}"
        case AnthropicModel(name=name, url=url):
            return f"anthropic:{name}@{url}"
        case _:
            assert_never(model)


def is_on_this_machine(model: Model | OnnxModel) -> bool:
    """Whether nothing that is said to the model leaves this machine (D29)."""
    return isinstance(model, BuiltinModel | LocalModel | OnnxModel) or is_local(model.url)


def _file(text: str, rest: str) -> Path:
    if not rest.lower().endswith(".gguf"):
        raise BadModelNameError(
            f"{text!r}: local: takes the path of a GGUF file, as in local:/models/chat.gguf"
        )
    return Path(rest).expanduser()


def _name_and_url(text: str, kind: str, rest: str, default: str | None) -> tuple[str, str]:
    name, at, url = rest.partition("@")
    example = (
        f"{kind}:{name or 'NAME'}@http://127.0.0.1:8000/v1" if default is None else f"{kind}:{name or 'NAME'}"
    )
    if not name.strip():
        raise BadModelNameError(f"{text!r} names no model; write for example {example}")
    if not at:
        if default is None:
            raise BadModelNameError(f"{text!r} does not say where the server is; write for example {example}")
        return name.strip(), default
    if fault := address_fault(url):
        raise BadModelNameError(
            f"{text!r}: the address after @ {fault}; write for example {kind}:{name}@http://HOST:PORT"
        )
    return name.strip(), url.rstrip("/")
