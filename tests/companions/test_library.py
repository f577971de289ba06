"""The companions that ship load whole, from data alone."""

import pytest

from companions.loading_texts import asked_of_a_model
from tests.companions.library import NAMES, shipped


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_companion_loads_whole(name: str) -> None:
    for companion in shipped(name):
        assert companion.id.partition("/")[0] == name
        assert set(companion.texts.sessions) == set(companion.policy.session.types)
        assert set(companion.texts.jobs) == set(asked_of_a_model(companion.policy))
