"""A person sits with a real companion: its own policy, texts and readers, played through the pure rules."""

from collections.abc import Sequence

from msgspec import Raw
from msgspec.json import encode
from msgspec.structs import replace

from companions.changes import CommandId
from companions.conversation import step
from companions.events import AskModel, Effect, Event, MessageSent, Report, Save
from companions.ports import Prompt
from companions.remembered import Health, Remembered
from companions.resuming import resumed
from companions.state import Responding, Who
from companions.talk import Talk
from companions.turn import PolicyRules
from tests.companions.library import shipped
from tests.companions.scenes import Table


class Sitting(Table):
    """A table at which one of the shipped companions sits; its prompts and reports are kept."""

    def __init__(
        self,
        name: str,
        *,
        remembered: Remembered | None = None,
        talk: Talk | None = None,
        health: Health | None = None,
        user: str = "ann",
        session_type: str = "freeform",
    ) -> None:
        super().__init__()
        self.companion = shipped(name)[0]
        self.policy_rules = PolicyRules(self.companion)
        self.state = replace(
            self.state,
            who=Who(session="ses_1", space="ses_1", user=user, companion=self.companion.id),
            remembered=remembered or Remembered(),
            talk=talk,
            health=health,
            session_type=session_type,
        )

    def play(self, event: Event) -> Sequence[Effect]:
        self.state, effects = step(self.policy_rules, self.state, event)
        return self._keep(effects)

    def come_back(self) -> Sequence[Effect]:
        """The conversation is opened after the server was gone."""
        self.state, effects = resumed(self.policy_rules, self.state, self.mint(), self.now)
        return self._keep(effects)

    def send(self, text: str, context: dict[str, str]) -> None:
        """The person says something out of another program."""
        self.now += 1_000
        ids = self.mint()
        command = CommandId(space="ses_1", id=ids.message, digest=text)
        self.play(MessageSent(command=command, text=text, ids=ids, at=self.now, context=Raw(encode(context))))

    def _keep(self, effects: Sequence[Effect]) -> Sequence[Effect]:
        self.effects.extend(effects)
        self.held.extend(effect for effect in effects if isinstance(effect, Save))
        return effects

    def exchange(self, text: str, answer: str = "I see.") -> Prompt | None:
        """One whole turn; the prompt of it, None when the model was not asked."""
        before = len(self.effects)
        self.say(text)
        self.land()
        asked = [effect for effect in self.effects[before:] if isinstance(effect, AskModel)]
        if asked:
            self.piece(answer)
            self.finish()
        while isinstance(self.state.phase, Responding):
            if self.state.phase.over is None:
                self.finish()  # the guard had the model asked once more, and it has nothing to add
            else:
                self.ring("pace")  # a slow voice pauses after each sentence
        self.land()
        return asked[0].prompt if asked else None

    @property
    def prompts(self) -> list[Prompt]:
        """Every prompt so far."""
        return [effect.prompt for effect in self.effects if isinstance(effect, AskModel)]

    @property
    def report(self) -> Report:
        """What the last planning found and left out."""
        return [effect for effect in self.effects if isinstance(effect, Report)][-1]
