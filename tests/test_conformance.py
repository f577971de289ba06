"""What the page of promises names exists, and ran: no promise rests on a test that is not there or was skipped."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.disks import NOT_HERE
from tests.outcomes import NODE, PAGE, ROOT, Outcomes, named

ROW = re.compile(
    r"^\| (?P<id>[A-Z]+\d+) \| (?P<promise>[^|]+) \| (?P<state>[^|]+) \| (?P<tests>[^|]*) \|$", re.MULTILINE
)


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
    for row, state, nodes in found:
        assert state == "done" or state.startswith("begun"), row
        assert nodes, row


@pytest.mark.parametrize(("row", "nodes"), [(row, nodes) for row, _, nodes in rows()])
def test_every_test_that_is_named_exists(row: str, nodes: list[str]) -> None:
    for node in nodes:
        file, _, name = node.partition("::")
        assert name in named_in(ROOT / file), node


def test_a_whole_run_fails_where_a_named_test_did_not_pass() -> None:
    outcomes = Outcomes()
    outcomes.files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    session = SimpleNamespace(exitstatus=pytest.ExitCode.OK)
    outcomes.proved = named() - {min(named())}
    outcomes.pytest_sessionfinish(session)  # type: ignore[arg-type]  # all it looks at is the status
    assert session.exitstatus == pytest.ExitCode.TESTS_FAILED
    assert outcomes.unproved == {min(named())}


@pytest.mark.parametrize(("why", "absent"), [(NOT_HERE, True), ("it is not yet written", False)])
def test_what_the_machine_does_not_allow_is_no_promise_without_proof(why: str, absent: bool) -> None:
    """A container most often lets nobody mount a disk."""
    outcomes = Outcomes()
    node = "tests/server/test_store_faults.py::test_a"
    skipped = ("tests/disks.py", 17, f"Skipped: {why}")
    outcomes.pytest_runtest_logreport(pytest.TestReport(node, (node, 0, ""), {}, "skipped", skipped, "call"))
    assert (node in outcomes.proved) is absent


def test_a_part_of_the_suite_is_not_asked_for_the_whole() -> None:
    outcomes = Outcomes()
    session = SimpleNamespace(exitstatus=pytest.ExitCode.OK)
    outcomes.pytest_sessionfinish(session)  # type: ignore[arg-type]  # as above
    assert session.exitstatus == pytest.ExitCode.OK
