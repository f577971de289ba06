"""A conversation on a table: scripted rules, minted ids, and a hand that carries effects out at once."""

from collections.abc import Sequence

from msgspec.structs import replace

from companions.changes import AnyChange, CommandId, Landed, Outcome
from companions.conversation import step
from companions.events import (
    AskModel,
    CancelAsked,
    CloseAsked,
    Effect,
    Event,
    MessageSent,
    Minted,
    ModelFailed,
    ModelFinished,
    PieceCame,
    RegenerateAsked,
    Save,
    Saved,
    SendDelta,
    Style,
    TellDone,
    TimerRang,
)
from companions.events import Timer as TimerName
from companions.ports import FinishReason, ModelFault, Prompt, PromptMessage
from companions.speech import Judge, Manner
from companions.state import Alarm, Plan, Rules, Settings, State, Waiting, Who
from memory.messages import Source
from memory.reading import Before, Reading, read

WHO = Who(session="ses_1", space="ses_1", user="ann", companion="test")


def allow(_shown: str, _part: str) -> str | None:
    """Everything may be said."""
    return None


class ScriptedRules:
    """A companion that reads really and plans by script."""

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        manner: Manner | None = None,
        judge: Judge = allow,
        speaks: bool = True,
        alarm: Alarm | None = None,
        own_source: Source = "fallback",
    ) -> None:
        self._settings = settings or Settings(silence=1_800.0)
        self.manner = manner or Manner()
        self.judge = judge
        self.speaks = speaks
        self.set_alarm = alarm
        self.own_source: Source = own_source
        self.planned: list[str] = []

    @property
    def settings(self) -> Settings:
        return self._settings

    def read(self, state: State, text: str, vector: Sequence[float] | None = None) -> Reading:
        return read(text, Before(asked=state.talk.asked if state.talk else ()))

    def alarm(self, state: State, message: str, reading: Reading) -> Alarm | None:
        return self.set_alarm if reading.crisis is not None else None

    def ordered(self, state: State, waiting: Waiting) -> tuple[AnyChange, ...]:
        return ()

    def rest(self, state: State) -> None:
        """Nothing to prepare."""

    def anchors(self, text: str) -> tuple[str, ...]:
        return ()

    def plan(self, state: State, waiting: Waiting) -> Plan:
        self.planned.append(waiting.message.text)
        prompt = Prompt(
            system="", messages=(PromptMessage(role="user", text=waiting.message.text),), max_tokens=100
        )
        return Plan(
            prompt=prompt if self.speaks else None,
            own_words="I am here with you. Take all the time you like.",
            own_source=self.own_source,
            closing="I am glad you are here.",
            manner=self.manner,
            judge=self.judge,
        )


class Table:
    """Plays events, keeps every effect; saves are held until they are landed by hand."""

    def __init__(self, rules: ScriptedRules | None = None) -> None:
        self.rules = rules or ScriptedRules()
        self.by: Rules = self.rules  # whose rules are played: a real companion's may be set
        self.state = State(who=WHO)
        self.effects: list[Effect] = []
        self.held: list[Save] = []
        self.now: int = 1_000
        self.vector: tuple[float, ...] | None = None  # of what is said next
        self._count = 0

    def play(self, event: Event) -> Sequence[Effect]:
        """Take one step; its effects."""
        self.state, effects = step(self.by, self.state, event)
        self.effects.extend(effects)
        self.held.extend(effect for effect in effects if isinstance(effect, Save))
        return effects

    def mint(self) -> Minted:
        """Fresh ids, counted."""
        self._count += 1
        n = self._count
        return Minted(
            conversation=f"cnv_{n}",
            message=f"msg_{n}",
            response=f"rsp_{n}",
            answer=f"ans_{n}",
            alert=f"alr_{n}",
            jobs=(f"job_{n}",),
        )

    def say(self, text: str, *, id_: str | None = None) -> Sequence[Effect]:
        """The person says something."""
        self.now += 1_000
        ids = self.mint()
        command = CommandId(space="ses_1", id=id_ or f"c{self._count}", digest=text)
        return self.play(MessageSent(command=command, text=text, ids=ids, at=self.now, vector=self.vector))

    def land(self, outcome: Outcome | None = None) -> None:
        """Every held save has its outcome, in order, those that follow from it too."""
        while self.held:
            save = self.held.pop(0)
            self.play(Saved(ticket=save.ticket, outcome=outcome or Landed(), at=self.now))

    def ask(self) -> AskModel:
        """The model request made last."""
        return [effect for effect in self.effects if isinstance(effect, AskModel)][-1]

    def piece(self, text: str) -> Sequence[Effect]:
        """The model says more."""
        ask = self.ask()
        return self.play(PieceCame(response=ask.response, attempt=ask.attempt, text=text, at=self.now))

    def finish(self, reason: FinishReason = "stop") -> Sequence[Effect]:
        """The model is done."""
        ask = self.ask()
        return self.play(
            ModelFinished(response=ask.response, attempt=ask.attempt, reason=reason, at=self.now, took_ms=5)
        )

    def fail(self, fault: ModelFault = "broken") -> Sequence[Effect]:
        """The model breaks."""
        ask = self.ask()
        return self.play(
            ModelFailed(response=ask.response, attempt=ask.attempt, fault=fault, at=self.now, took_ms=5)
        )

    def cancel(self, response: str | None = None) -> Sequence[Effect]:
        """The person stops the answer."""
        return self.play(CancelAsked(re="stop", response=response, at=self.now))

    def close(self) -> Sequence[Effect]:
        """The person closes the conversation."""
        command = CommandId(space="ses_1", id="close", digest="")
        return self.play(
            CloseAsked(re=command, conversation=None, reason="asked", ids=self.mint(), at=self.now)
        )

    def regenerate(self, message: str, style: Style = "again") -> Sequence[Effect]:
        """The person wants another answer."""
        command = CommandId(space="ses_1", id="again", digest="")
        return self.play(
            RegenerateAsked(command=command, message=message, style=style, ids=self.mint(), at=self.now)
        )

    def ring(self, timer: TimerName) -> Sequence[Effect]:
        """A timer is over."""
        return self.play(TimerRang(timer=timer, ids=self.mint(), at=self.now))

    def talk(self, text: str, answer: str = "I see.") -> None:
        """A whole exchange."""
        self.say(text)
        self.land()
        self.piece(answer)
        self.finish()
        self.land()

    @property
    def shown(self) -> str:
        """Everything that was shown, in order."""
        return "".join(effect.text for effect in self.effects if isinstance(effect, SendDelta))

    @property
    def done(self) -> TellDone:
        """The last end of an answer."""
        return [effect for effect in self.effects if isinstance(effect, TellDone)][-1]


def with_settings(**changes: float | bool | None) -> ScriptedRules:
    """Scripted rules with other durations."""
    return ScriptedRules(settings=replace(Settings(silence=1_800.0), **changes))
