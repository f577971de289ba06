"""Whatever a model writes for JSON is read as far as it goes, and never raises."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.loose_json import Json, list_of, loose_json, words_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Here you are:\n```json\n{"a": [1, 2,],}\n```\nAnything else?', {"a": [1, 2]}),
        ('{"a": "b", "c": ["d", "e', {"a": "b", "c": ["d", "e"]}),
        ('{"a": "b", "c": ', {"a": "b"}),
        ('<think>{"wrong": 1}</think>{"a": 2}', {"a": 2}),
        ('so I think {"wrong": 1} </think>{"a": 2}', {"a": 2}),
        ('a [1] and {"much": "longer"}', {"much": "longer"}),
        ("nothing of the kind", None),
        ("", None),
        ("[" * 60_000, None),
        ('{"a":' * 5_000 + "1", None),
    ],
)
def test_an_object_is_found_where_it_stands_and_mended_where_it_breaks_off(said: str, read: Json) -> None:
    assert loose_json(said) == read


@given(st.dictionaries(st.text(min_size=1), JSON, min_size=1), st.integers(0, 400))
def test_half_an_object_is_read_without_raising(value: dict[str, object], length: int) -> None:
    loose_json(json.dumps(value)[:length])


@given(JSON)
def test_a_text_and_a_list_come_out_of_anything(value: Json) -> None:
    assert isinstance(words_of(value), str)
    assert len(list_of(value, most=3)) <= 3


def test_one_text_with_commas_is_a_list_too() -> None:
    assert list_of("work, sleep; work\n- the garden") == ("work", "sleep", "the garden")
