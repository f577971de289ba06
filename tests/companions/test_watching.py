"""What who looks on is shown: whenever they begin, an answer whole or not at all, and nothing kept from family."""

from collections.abc import Callable, Sequence

import pytest

from companions.events import Effect, Event, SendDelta, TellDone, TellMessage, TellStarted
from companions.state import Responding, State
from companions.watching import Sight, Told
from tests.companions.sitting import Sitting

HURT = "My son hits me when nobody is there."
PLAIN = "The roses are in bloom."


class Followed(Sitting):
    """A person sits with Clara; every state is kept beside what was told in it."""

    def __init__(self) -> None:
        super().__init__("clara")
        self.told: list[tuple[State, Told]] = []

    def play(self, event: Event) -> Sequence[Effect]:
        effects = super().play(event)
        self.told += [(self.state, each) for each in effects if isinstance(each, Told)]
        return effects

    def answered(self) -> None:
        """What waits is answered, all of it."""
        self.land()
        while isinstance(self.state.phase, Responding):
            if self.state.phase.plan.prompt is not None and self.state.phase.over is None:
                self.piece("How lovely they must look.")
                self.finish()
            else:
                self.ring("pace")
            self.land()

    def seen_from(self, start: int) -> list[Told]:
        """What somebody is shown who looks on from there."""
        sight = Sight()
        return [told for state, told in self.told[start:] if sight.shows(state, told)]


def queued() -> Followed:
    """A harm is told while another answer is open; then it goes on."""
    table = Followed()
    table.say(PLAIN)
    table.land()
    table.say(HURT)
    table.answered()
    table.say("Good morning.")
    table.answered()
    return table


def answered_anew() -> Followed:
    """The answer to a harm is asked for once more."""
    table = Followed()
    table.say(HURT)
    table.answered()
    message = next(told.message for _, told in table.told if isinstance(told, TellMessage))
    table.regenerate(message.id)
    table.answered()
    return table


def words(told: Told) -> str:
    match told:
        case TellMessage(message=message):
            return message.text
        case SendDelta(text=text) | TellDone(text=text):
            return text
        case _:
            return ""


@pytest.mark.parametrize("made", [queued, answered_anew])
def test_whenever_somebody_begins_to_look_on_no_answer_to_what_is_kept_from_family_is_shown(
    made: Callable[[], Followed],
) -> None:
    table = made()
    said = {told.message.text: told.message for _, told in table.told if isinstance(told, TellMessage)}
    private = {said[HURT].id}
    answers = {each.text for each in said.values() if each.answers in private}
    assert answers, "it was answered"
    for start in range(len(table.told)):
        for told in table.seen_from(start):
            assert words(told) not in {HURT, *answers}, f"begun at {start}"
            assert not (isinstance(told, TellStarted) and told.message in private), f"begun at {start}"


def test_an_answer_is_shown_whole_or_not_at_all() -> None:
    table = queued()
    for start in range(len(table.told)):
        seen = table.seen_from(start)
        begun = {told.message for told in seen if isinstance(told, TellStarted)}
        of_answers = [told.message for told in seen if isinstance(told, TellMessage) and told.message.answers]
        assert {each.answers for each in of_answers} == begun, f"begun at {start}"
    assert words(next(told for told in table.seen_from(0) if isinstance(told, TellMessage))) == PLAIN
