"""What who looks on is shown: whenever they begin, an answer whole or not at all, and nothing kept from family.

From what is kept from family on they are shown nothing more of that talk: later answers may speak of it.
"""

from collections.abc import Callable, Sequence

import pytest

from companions.events import (
    Effect,
    Event,
    SendDelta,
    TellClosed,
    TellDone,
    TellMessage,
    TellStarted,
)
from companions.state import Responding, State
from companions.talk import Talk
from companions.unsaying import Unsaid, unsaid_in
from companions.watching import Sight, Told
from tests.companions.sitting import Sitting

HURT = "My son hits me when nobody is there."
PLAIN = "The roses are in bloom."
LATER = "What he does to you is not your fault."


class Followed(Sitting):
    """A person sits with a companion; every state is kept beside what was told in it."""

    def __init__(self, talk: Talk | None = None, *, name: str = "clara") -> None:
        super().__init__(name, talk=talk)
        self.told: list[tuple[State, Told]] = []

    def play(self, event: Event) -> Sequence[Effect]:
        effects = super().play(event)
        self.told += [(self.state, each) for each in effects if isinstance(each, Told)]
        return effects

    def answered(self, answer: str = "How lovely they must look.") -> None:
        """What waits is answered, all of it."""
        self.land()
        while isinstance(self.state.phase, Responding):
            if self.state.phase.plan.prompt is not None and self.state.phase.over is None:
                self.piece(answer)
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
    table = Followed(name="serenity")
    table.say(HURT)
    table.answered()
    message = next(told.message for _, told in table.told if isinstance(told, TellMessage))
    table.regenerate(message.id)
    table.answered()
    assert sum(isinstance(told, TellDone) for _, told in table.told) == 2
    return table


def gone_on() -> Followed:
    """After a harm the talk goes on to something else, and the model comes back to the harm; then it is closed."""
    table = Followed()
    table.say(PLAIN)
    table.answered()
    table.say(HURT)
    table.answered()
    for plain in ("Good morning.", "The window is open."):
        table.say(plain)
        table.answered(LATER)
    table.close()
    table.land()
    return table


def taken_back() -> Followed:
    """The answer to what stood before a harm is asked for once more: all behind it goes, and the model knows of it."""
    table = Followed(name="serenity")
    table.say(PLAIN)
    table.answered()
    first = next(told.message for _, told in table.told if isinstance(told, TellMessage))
    table.say(HURT)
    table.answered()
    table.regenerate(first.id)
    table.answered(LATER)
    return table


def words(told: Told) -> str:
    match told:
        case TellMessage(message=message):
            return message.text
        case SendDelta(text=text) | TellDone(text=text):
            return text
        case _:
            return ""


@pytest.mark.parametrize("made", [queued, answered_anew, gone_on])
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


def test_from_what_is_kept_from_family_on_no_word_of_that_talk_is_shown_whenever_they_begin() -> None:
    table = gone_on()
    said = [words(told) for _, told in table.told]
    assert LATER in said
    for start in range(len(table.told)):
        seen = table.seen_from(start)
        assert LATER not in "".join(words(told) for told in seen), f"begun at {start}"
        assert isinstance(seen[-1], TellClosed), "that the talk is over is seen"
        behind = start > said.index(HURT)
        assert not behind or seen == [seen[-1]], f"begun at {start}"
    before = [words(told) for told in table.seen_from(0) if isinstance(told, TellMessage)]
    assert before == [PLAIN, "How lovely they must look."]


def test_an_answer_that_is_made_anew_after_a_harm_is_not_shown_where_the_first_one_was() -> None:
    table = taken_back()
    assert LATER in [words(told) for _, told in table.told]
    for start in range(len(table.told)):
        assert LATER not in "".join(words(told) for told in table.seen_from(start)), f"begun at {start}"


def test_what_follows_is_kept_back_also_where_the_harm_itself_is_not_held_any_more() -> None:
    gone_by = Talk(conversation="cnv_0", last_position=400, message_count=400, withheld=True)
    unread = Talk(conversation="cnv_0", withheld=None)
    for talk, shown in ((gone_by, False), (unread, False), (Talk(conversation="cnv_0"), True)):
        table = Followed(talk)
        table.say("Good morning.")
        table.answered(LATER)
        assert bool(table.seen_from(0)) is shown


def test_what_follows_a_message_that_was_removed_may_still_speak_of_it() -> None:
    table = Followed()
    table.say("My neighbour has the blue car.")
    table.answered()
    talk = table.state.talk
    assert talk is not None
    assert not talk.withheld
    unsaid = Unsaid(conversation=talk.conversation, messages=(talk.messages[0].id,))
    assert unsaid_in(talk, unsaid, None).withheld
