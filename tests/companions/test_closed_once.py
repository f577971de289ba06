"""Whatever races (the client's close, silence, a restart, a new message), a conversation is closed once (guarantee 18).

The store is a model of its own: it takes what has landed, in order, and a crash loses what has not.
"""

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from companions.changes import ConversationClosed, Landed, MessageSaid
from companions.events import AskModel, Saved, Timer
from companions.resuming import resumed
from companions.state import Idle, Responding, State
from companions.talk import Talk
from tests.companions.scenes import WHO, Table

TIMERS: tuple[Timer, ...] = ("silence", "landing", "patience", "hold", "pace", "checkpoint")


class AnyRace(RuleBasedStateMachine):
    """One session over restarts, with everything that may end its conversation at any moment."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Table()
        self.last: dict[str, int] = {}  # conversations that landed, and their last position
        self.closes: Counter[str] = Counter()
        self.jobs: Counter[str] = Counter()
        self.late: list[str] = []  # messages that landed in a closed conversation

    def land_one(self) -> None:
        save = self.table.held.pop(0)
        for change in (save.change, *save.also):
            match change:
                case MessageSaid(conversation=name, position=position):
                    self.last[name] = position
                    self.late += [change.message] if self.closes[name] else []
                case ConversationClosed(conversation=name, jobs=jobs):
                    self.closes[name] += 1
                    self.jobs.update(job.id for job in jobs)
                case _:
                    pass
        self.table.play(Saved(ticket=save.ticket, outcome=Landed(), at=self.table.now))

    @rule(text=st.sampled_from(["Good morning.", "Where were we?", "I see."]))
    def the_person_speaks(self, text: str) -> None:
        self.table.say(text)

    @rule()
    def the_person_closes(self) -> None:
        self.table.close()

    @rule(timer=st.sampled_from(TIMERS))
    def a_timer_rings(self, timer: Timer) -> None:
        self.table.ring(timer)

    @precondition(lambda self: self.table.held)
    @rule()
    def something_lands(self) -> None:
        self.land_one()

    @precondition(lambda self: any(isinstance(each, AskModel) for each in self.table.effects))
    @rule(how=st.sampled_from(["piece", "finish", "fail", "cancel"]))
    def the_model_goes_on(self, how: str) -> None:
        match how:
            case "piece":
                self.table.piece("Hello there. ")
            case "finish":
                self.table.finish()
            case "fail":
                self.table.fail()
            case _:
                self.table.cancel()

    @rule()
    def the_process_is_killed_and_starts_again(self) -> None:
        still_open = [name for name in self.last if not self.closes[name]]
        self.table.held.clear()
        talk = None
        if still_open:
            name = still_open[-1]
            talk = Talk(conversation=name, last_position=self.last[name], message_count=self.last[name])
        self.table.state, effects = resumed(
            self.table.by, State(who=WHO, talk=talk), self.table.mint(), self.table.now
        )
        self.table.effects.extend(effects)

    @invariant()
    def closed_at_most_once_and_nothing_said_after(self) -> None:
        assert all(count == 1 for count in self.closes.values())
        assert all(count == 1 for count in self.jobs.values())
        assert self.late == []

    def teardown(self) -> None:
        """When it has become quiet for long enough every conversation is closed, each with its hand-over."""
        for _ in range(50):
            while self.table.held:
                self.land_one()
            if isinstance(self.table.state.phase, Responding):
                self.table.piece("Hello there. ")
                self.table.finish()
        assert isinstance(self.table.state.phase, Idle)
        self.table.ring("silence")
        while self.table.held:
            self.land_one()
        assert {name: self.closes[name] for name in self.last} == dict.fromkeys(self.last, 1)
        assert len(self.jobs) == len(self.last)


def test_whatever_races_a_conversation_is_closed_once() -> None:
    run_state_machine_as_test(AnyRace, settings=settings(max_examples=60, stateful_step_count=30))
