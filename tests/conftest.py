"""What every test shares."""

import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from loadtest.nursery import Nursery, nursery
from tests.outcomes import Outcomes

# How fast examples are made and run is the machine's matter, and a busy one fails nothing.
settings.register_profile("fireside", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# A build is the same each time it is made: its examples are drawn from the test alone. Elsewhere they are new ones.
settings.register_profile("build", settings.get_profile("fireside"), derandomize=True, database=None)
settings.load_profile("build" if os.environ.get("CI") else "fireside")

LONG = (
    "test_distribution.py",
    "test_asyncapi_parser.py",
    "test_kills.py",
    "test_store_faults.py",
    "test_month.py",
    "test_power_cut.py",
    "test_bounds.py",
    "test_migrating.py",
    "test_facts_any_order.py",
    "test_views_any_order.py",
)
"""Files of which one test takes long: they begin first, so that nobody waits for the last of them alone."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In every worker the same order: what takes long, then all others as they were found."""
    items.sort(key=lambda item: LONG.index(item.path.name) if item.path.name in LONG else len(LONG))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def born() -> Generator[Nursery]:
    """Bears processes of the command that need not import everything anew; a few tests start the whole command."""
    with nursery() as bearing:
        yield bearing


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # reports come together in the process that started the run
        config.pluginmanager.register(Outcomes(), "outcomes")
