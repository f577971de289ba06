"""What became of each test in this run, so that it can be seen at its end that every promise was proved in it.

Reports come together in one process, also when several run the tests. The look is taken only where every test file
ran; a part of the suite proves what it proves.
"""

import re
from pathlib import Path

import pytest

from tests.disks import NOT_HERE

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "conformance.md"
NODE = re.compile(r"`(tests/[\w/]+\.py::test_\w+)`")
NEEDS = (
    "browser",
    "model",
    "npm",
    "compiler",
)  # what may be missing on a machine: such tests are skipped in sight


class Outcomes:
    """Notes every report and looks at the end."""

    def __init__(self) -> None:
        self.proved: set[str] = set()  # passed, or skipped for what this machine has not
        self.files: set[str] = set()
        self.unproved: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One part of one test is over."""
        node = report.nodeid.partition("[")[0]
        self.files.add(node.partition("::")[0])
        absent = report.skipped and (
            any(need in report.keywords for need in NEEDS) or NOT_HERE in str(report.longrepr)
        )
        if absent or (report.when == "call" and report.passed):
            self.proved.add(node)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A promise without its proof fails a run that would have passed."""
        if self.whole() and session.exitstatus == pytest.ExitCode.OK:
            self.unproved = named() - self.proved
            if self.unproved:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say which promises stand without proof."""
        for node in sorted(self.unproved):
            terminalreporter.write_line(f"{PAGE.name} names {node}, which did not pass in this run", red=True)

    def whole(self) -> bool:
        """Whether every test file ran."""
        every = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
        return every <= self.files


def named() -> set[str]:
    """The tests that the page of promises names."""
    return set(NODE.findall(PAGE.read_text(encoding="utf-8")))
