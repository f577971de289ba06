"""What every test shares."""

import pytest
from hypothesis import HealthCheck, settings

from tests.outcomes import Outcomes

# How fast examples are made and run is the machine's matter, and a busy one fails nothing.
settings.register_profile("fireside", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fireside")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # reports come together in the process that started the run
        config.pluginmanager.register(Outcomes(), "outcomes")
