"""What became of each test in this run, for the check that every promise was proved in it."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OUTCOMES = pytest.StashKey[dict[str, set[str]]]()
WHOLE = pytest.StashKey[bool]()
ABSENT = "absent"  # skipped, because what it needs is not on this machine
NEEDS = ("browser", "model", "npm")


def is_whole(items: list[pytest.Item]) -> bool:
    """Whether every test file of the suite was collected."""
    files = {path.resolve() for path in (ROOT / "tests").rglob("test_*.py")}
    return files <= {item.path.resolve() for item in items}


def base(node: str) -> str:
    """A node's id without its parameters."""
    return node.partition("[")[0]


def outcome(item: pytest.Item, report: pytest.TestReport) -> str:
    """Passed, failed or skipped, and of those skipped which lack something this machine has not."""
    absent = report.skipped and any(item.get_closest_marker(need) for need in NEEDS)
    return ABSENT if absent else report.outcome
