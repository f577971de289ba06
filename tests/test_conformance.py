"""What the page of promises names exists, and ran: no promise rests on a test that is not there or was skipped."""

import ast
import re
from pathlib import Path

import pytest

from tests.outcomes import ABSENT, OUTCOMES, WHOLE

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "conformance.md"
ROW = re.compile(
    r"^\| (?P<id>[A-Z]+\d+) \| (?P<promise>[^|]+) \| (?P<state>[^|]+) \| (?P<tests>[^|]*) \|$", re.MULTILINE
)
NODE = re.compile(r"`(tests/[\w/]+\.py::test_\w+)`")


def rows() -> list[tuple[str, str, list[str]]]:
    return [
        (row["id"], row["state"].strip(), NODE.findall(row["tests"]))
        for row in ROW.finditer(PAGE.read_text())
    ]


def named_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {node.name for node in functions if node.name.startswith("test_")}


def test_every_row_names_its_state_and_at_least_one_test() -> None:
    found = rows()
    lines = [line for line in PAGE.read_text().splitlines() if re.match(r"\| [A-Z]+\d", line)]
    assert len(found) == len(lines) >= 60
    assert len({row for row, _, _ in found}) == len(found)
    for row, state, named in found:
        assert state == "done" or state.startswith("begun"), row
        assert named, row


@pytest.mark.parametrize(("row", "named"), [(row, named) for row, _, named in rows()])
def test_every_test_that_is_named_exists(row: str, named: list[str]) -> None:
    for node in named:
        file, _, name = node.partition("::")
        assert name in named_in(ROOT / file), node


@pytest.mark.last
def test_every_test_that_is_named_ran(request: pytest.FixtureRequest) -> None:
    """Only where everything was collected; runs after all others.

    What needs a browser or a model may be missing on a machine; it is skipped by its marker, in sight.
    """
    outcomes: dict[str, set[str]] = request.config.stash[OUTCOMES]
    if not request.config.stash[WHOLE]:
        pytest.skip("a part of the suite runs")
    named = {node for _, _, nodes in rows() for node in nodes}
    assert not {node for node in named if not outcomes.get(node, set()) & {"passed", ABSENT}}
