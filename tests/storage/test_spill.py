"""What the store refused waits in a file of its own: whole, in order, its owner's alone, and gone once it landed."""

import stat
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companions.changes import AnyChange
from storage.spill import Group, spill
from tests.storage.making import answered, said

GROUPS: list[Group] = [
    (said("cnv_a", 1, "Good morning, the canary sings."),),
    (answered("cnv_a", 2, "It does."), said("cnv_a", 3, "Where is it?")),
    (said("cnv_b", 1, "Ein zweites Gespräch 花生"),),
]
SMALL = 16 * 1024


def kept(file: Path) -> list[Group]:
    with spill(file, SMALL) as opened:
        return opened.waiting()


def test_what_is_kept_is_there_at_the_next_start_in_order(tmp_path: Path) -> None:
    with spill(tmp_path / "spill", SMALL) as opened:
        assert opened.waiting() == []
        assert opened.keep(GROUPS[:1]) == 1
        assert opened.keep(GROUPS[1:]) == 2
    assert kept(tmp_path / "spill") == GROUPS


def full(of: msgspec.inspect.Type) -> Any:  # Any: a value of whatever type that is
    """Something of that type, nothing of it left out: of two it may be, the one that holds more."""
    match of:
        case msgspec.inspect.StructType(cls=cls, fields=fields):
            return cls(**{each.name: full(each.type) for each in fields})
        case msgspec.inspect.UnionType(types=types):
            return full(next(each for each in types if not isinstance(each, msgspec.inspect.NoneType)))
        case msgspec.inspect.LiteralType(values=values):
            return values[0]
        case msgspec.inspect.VarTupleType(item_type=item):
            return (full(item), full(item))
        case msgspec.inspect.TupleType(item_types=items):
            return tuple(full(item) for item in items)
        case msgspec.inspect.DictType(key_type=key, value_type=value):
            return {full(key): full(value)}
        case msgspec.inspect.RawType():
            return msgspec.Raw(b'[{"is":"JSON"}]')
        case msgspec.inspect.StrType():
            return "Marta"
        case msgspec.inspect.BoolType():
            return True
        case msgspec.inspect.IntType():
            return 3
        case msgspec.inspect.FloatType():
            return 0.5
        case _:
            raise AssertionError(of)


CHANGES: list[type[AnyChange]] = list(get_args(AnyChange))


@pytest.mark.parametrize("kind", CHANGES, ids=[each.__name__ for each in CHANGES])
def test_every_change_comes_back_with_all_that_it_may_hold(tmp_path: Path, kind: type[AnyChange]) -> None:
    """One that did not would take with it everything that was kept behind it."""
    change = full(msgspec.inspect.type_info(kind))
    groups: list[Group] = [(change,), *GROUPS]
    with spill(tmp_path / "spill", SMALL) as opened:
        assert opened.keep(groups) == len(groups)
    assert kept(tmp_path / "spill") == groups


def test_it_goes_on_behind_what_it_found(tmp_path: Path) -> None:
    with spill(tmp_path / "spill", SMALL) as opened:
        opened.keep(GROUPS[:1])
    with spill(tmp_path / "spill", SMALL) as opened:
        opened.waiting()
        opened.keep(GROUPS[1:])
    assert kept(tmp_path / "spill") == GROUPS


def test_the_file_has_its_size_beforehand_and_is_its_owners_alone(tmp_path: Path) -> None:
    with spill(tmp_path / "spill", SMALL):
        status = (tmp_path / "spill").stat()
    assert (status.st_size, stat.S_IMODE(status.st_mode)) == (SMALL, 0o600)
    assert status.st_blocks * 512 >= SMALL  # and its place on the disk


def test_what_has_no_room_is_not_kept_and_nothing_grows(tmp_path: Path) -> None:
    groups: list[Group] = [(said("cnv_a", at, "words " * 300),) for at in range(1, 20)]
    with spill(tmp_path / "spill", SMALL) as opened:
        fitted = opened.keep(groups)
    assert 0 < fitted < len(groups)
    assert kept(tmp_path / "spill") == groups[:fitted]
    assert (tmp_path / "spill").stat().st_size == SMALL


def test_once_it_landed_no_word_of_it_is_left_in_the_file(tmp_path: Path) -> None:
    with spill(tmp_path / "spill", SMALL) as opened:
        opened.keep(GROUPS)
        assert b"canary" in (tmp_path / "spill").read_bytes()
        opened.clear()
    assert b"canary" not in (tmp_path / "spill").read_bytes()
    assert kept(tmp_path / "spill") == []


def test_nothing_that_lies_behind_a_broken_record_is_kept_or_comes_after_another(tmp_path: Path) -> None:
    file = tmp_path / "spill"
    with spill(file, SMALL) as opened:
        opened.keep(GROUPS)
    content = bytearray(file.read_bytes())
    content[content.index(b"morning")] ^= 1
    file.write_bytes(content)
    with spill(file, SMALL) as opened:
        assert opened.waiting() == []
        assert opened.torn
        opened.keep(GROUPS[:1])  # exactly as long as what was broken
    assert kept(file) == GROUPS[:1]
    with spill(file, SMALL) as opened:
        opened.waiting()
        opened.clear()
    assert file.stat().st_size == SMALL
    assert b"canary" not in file.read_bytes()
    assert "花生".encode() not in file.read_bytes()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("written") / "spill"
    with spill(file, SMALL) as opened:
        opened.keep(GROUPS)
    return file.read_bytes()


@given(cut=st.integers(0, 2_500), mark=st.integers(0, 255))
def test_a_torn_write_costs_only_what_was_not_whole(
    tmp_path_factory: pytest.TempPathFactory, written: bytes, cut: int, mark: int
) -> None:
    file = tmp_path_factory.mktemp("torn") / "spill"
    file.write_bytes(written[:cut] + bytes([mark]) * 64 + bytes(SMALL - cut - 64))
    found = kept(file)
    assert found == GROUPS[: len(found)]
