"""What every test shares."""

import pytest
from hypothesis import HealthCheck, settings

# How fast examples are made and run is the machine's matter, and a busy one fails nothing.
settings.register_profile("fireside", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fireside")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
