"""Every key of a companion's files, read from the structs: ``window.messages``, ``session.types.*.label``."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect

REQUIRED = "required"


def keys(kind: Any, path: str = "") -> Iterator[tuple[str, object]]:  # Any: as msgspec.inspect takes it
    """The keys of a struct with their defaults; ``*`` stands for a name, ``[]`` for each entry of a list."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    yield from _fields(info, path)


def _fields(info: inspect.StructType, path: str) -> Iterator[tuple[str, object]]:
    for field in info.fields:
        name = f"{path}.{field.encode_name}".lstrip(".")
        inner = list(_inner(field.type, name))
        if inner:
            yield from inner
        else:
            yield name, _default(field)


def _inner(kind: inspect.Type, path: str) -> Iterator[tuple[str, object]]:
    match kind:
        case inspect.StructType():
            yield from _fields(kind, path)
        case inspect.UnionType():
            for each in kind.types:
                yield from _inner(each, path)
        case inspect.VarTupleType():
            yield from _inner(kind.item_type, f"{path}[]")
        case inspect.DictType():
            yield from _inner(kind.value_type, f"{path}.*")
        case inspect.Metadata():
            yield from _inner(kind.type, path)
        case _:
            return


def _default(field: inspect.Field) -> object:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return REQUIRED if field.default is msgspec.NODEFAULT else field.default
