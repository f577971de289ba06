"""What every test shares."""

from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from tests.outcomes import OUTCOMES, WHOLE, base, is_whole, outcome

# How fast examples are made and run is the machine's matter, and a busy one fails nothing.
settings.register_profile("fireside", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fireside")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def pytest_configure(config: pytest.Config) -> None:
    config.stash[OUTCOMES] = {}
    config.stash[WHOLE] = False


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What asks about the run as a whole comes last."""
    config.stash[WHOLE] = is_whole(items)
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" or report.skipped:
        item.config.stash[OUTCOMES].setdefault(base(item.nodeid), set()).add(outcome(item, report))
    return report
