"""What tests of the server share beside what every test has."""

from collections.abc import Generator

import pytest

from loadtest.nursery import Nursery, nursery
from tests.server.shims import built

SHIMS = ("failing_fsync.c", "hanging_disk.c", "recorded_connects.c", "refused_writes.c", "shifted_clock.c")


@pytest.fixture(scope="session")
def shimmed(tmp_path_factory: pytest.TempPathFactory) -> Generator[Nursery]:
    """Bears processes beneath which the system does what a test wants: each library acts where its variable is set."""
    place = tmp_path_factory.mktemp("shims")
    libraries = [built(source, place) for source in SHIMS]
    with nursery({"LD_PRELOAD": " ".join(map(str, libraries))}) as bearing:
        yield bearing
