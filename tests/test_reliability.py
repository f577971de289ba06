"""What the page of faults names exists: no row rests on a test, a file or a command that is not there."""

import importlib.util
import re

import pytest

from tests.outcomes import ROOT
from tests.test_conformance import named_in

PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
PLACE = re.compile(r"`(tests/[\w/.]+)(?:::(\w+))?`")
COMMAND = re.compile(r"`(?:python -m (loadtest\.\w+)|make (\w+))")


@pytest.mark.parametrize(("file", "name"), sorted(set(PLACE.findall(PAGE))))
def test_every_proof_that_is_named_exists(file: str, name: str) -> None:
    assert (ROOT / file).exists()
    assert not name or name in named_in(ROOT / file)


def test_every_command_that_is_named_exists() -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    found = COMMAND.findall(PAGE)
    assert found
    for module, target in found:
        assert not module or importlib.util.find_spec(module) is not None
        assert not target or target in targets


def test_every_row_has_all_its_columns() -> None:
    widths = {"## Faults": 6, "## Attacks": 4, "## Runs by hand": 5}
    for head, width in widths.items():
        table = PAGE.split(head)[1].split("\n## ")[0]
        rows = [line for line in table.splitlines() if line.startswith("|")]
        assert rows
        assert {line.count("|") - 1 for line in rows} == {width}, head
