"""What is prepared between turns, while nobody waits: it changes no answer."""

from collections.abc import Sequence

import pytest

from companions.events import Effect, Event
from companions.state import Idle
from memory.reading import Before, read
from memory.recall import Reach, Remembered, stated_by
from tests.companions.library import NAMES
from tests.companions.sitting import Sitting

SAID = (
    "I'm allergic to peanuts and I take warfarin every evening.",
    "My left knee is bad, so no running for me. " + "It rained all day in the valley. " * 30,
    "What could I eat before training?",
    "I moved to Porto, and I work as a nurse now.",
    "Give me a workout for my legs, and a snack for afterwards.",
)


class Rested(Sitting):
    """Whoever sits here rests after every event that leaves nothing to answer."""

    def play(self, event: Event) -> Sequence[Effect]:
        effects = super().play(event)
        if isinstance(self.state.phase, Idle):
            self.policy_rules.rest(self.state)
        return effects


@pytest.mark.parametrize("name", NAMES)
def test_prompts_are_the_same_whether_or_not_it_was_rested(name: str) -> None:
    hurried, rested = Sitting(name), Rested(name)
    asked = [hurried.exchange(text) for text in SAID]
    assert [rested.exchange(text) for text in SAID] == asked
    assert any(asked)
    assert hurried.state.talk == rested.state.talk


def test_what_was_said_is_ready_to_be_recalled_when_the_next_message_comes() -> None:
    rested = Rested("coach")
    rested.exchange(SAID[0])
    needed = read("What could I have for a snack?", Before(), recalls=True).needed
    found = rested.state.remembered.index.bring_back(needed, most=3, reach=Reach(9, frozenset()))
    assert [stated.text for _, stated in found] == [SAID[0]]


def test_what_is_critical_comes_as_far_as_it_is_asked_for() -> None:
    rows = [
        (f"m{at}", "user", f"I am allergic to {what}.") for at, what in enumerate(("nuts", "milk", "eggs"))
    ]
    index = Remembered(stated_by(rows))
    needed = read("Dinner ideas?", Before(), recalls=True).needed
    one = next(index.bring_back(needed, most=1, reach=Reach(9, frozenset())))
    every = list(index.bring_back(needed, most=1, reach=Reach(9, frozenset())))
    assert [each.message_id for each, _ in every] == ["m2", "m1", "m0"]
    assert one == every[0]
