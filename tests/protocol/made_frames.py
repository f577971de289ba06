"""Hypothesis strategies for frames, read off their types: every field, every limit, nothing by hand."""

from functools import cache
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from protocol.ids import NO_NUL

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
OPEN_OBJECTS = st.dictionaries(
    WORDS,
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | WORDS,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
        max_leaves=4,
    ),
    max_size=3,
)

Made = st.SearchStrategy[Any]  # of whatever the type says


@cache
def made(kind: Any) -> Made:  # a type, or an alias of one
    """Instances of a struct, with every field its type allows."""
    return _of(inspect.type_info(kind))


def _of(info: inspect.Type) -> Made:
    match info:
        case inspect.Metadata(type=inner):
            return _of(inner)
        case inspect.StructType(cls=cls):
            return _struct(cls)
        case inspect.StrType():
            return _text(info)
        case inspect.IntType():
            return st.integers(_least(info), _most(info))
        case inspect.FloatType():
            return st.floats(info.ge or 0, info.le or 1e9).map(lambda value: value + 0.0)
        case inspect.VarTupleType(item_type=item):
            least = info.min_length or 0
            return st.lists(_of(item), min_size=least, max_size=max(least, min(info.max_length or 2, 2))).map(
                tuple
            )
        case _:
            return _simple(info)


def _simple(info: inspect.Type) -> Made:
    match info:
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.LiteralType(values=values):
            return st.sampled_from(values)
        case inspect.UnionType(types=types):
            return st.one_of([_of(inner) for inner in types])
        case inspect.DictType(value_type=inspect.AnyType()):
            return OPEN_OBJECTS
        case inspect.DictType(value_type=inner):
            return st.dictionaries(WORDS, _of(inner), max_size=2)
        case inspect.AnyType():
            return OPEN_OBJECTS
        case _:
            raise AssertionError(info)


@cache
def _struct(kind: type[msgspec.Struct]) -> Made:
    """Made once, however many frames hold it: strategies take longer to make than to draw from."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    required = {field.name: _of(field.type) for field in info.fields if field.required}
    optional = {field.name: _of(field.type) for field in info.fields if not field.required}
    fields = st.fixed_dictionaries(required, optional=optional)
    return fields.map(lambda given: _built(info.cls, given)).filter(lambda frame: frame is not None)


def _built(kind: type[msgspec.Struct], given: dict[str, Any]) -> msgspec.Struct | None:
    try:
        return kind(**given)
    except ValueError:  # fields that exclude one another
        return None


def _text(info: inspect.StrType) -> Made:
    return _text_of(info.pattern, info.min_length or 0, info.max_length or 20)


@cache
def _text_of(pattern: str | None, least: int, most: int) -> Made:
    if pattern and pattern != NO_NUL:
        return st.from_regex(pattern.replace("$", r"\Z"))
    characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    return st.text(characters, min_size=least, max_size=min(most, 20))


def _least(info: inspect.IntType) -> int:
    return -(2**63) if info.ge is None else int(info.ge)


def _most(info: inspect.IntType) -> int:
    return 2**64 - 1 if info.le is None else int(info.le)
