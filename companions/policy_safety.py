"""What a companion does in a crisis, which answers it may not give, and what the person is told about it."""

from typing import Annotated, Literal, TypeAlias

import msgspec

from companions.policy_memory import Positive
from companions.tables import Table
from memory.crisis_table import CrisisCategory as CrisisCategory

Severity: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=3)]
SafetyAction: TypeAlias = Literal["pass", "redirect", "escalate"]
Recipient: TypeAlias = Literal["caregiver", "safeguarding"]
AnswerFamily: TypeAlias = Literal[
    "reminder", "quiz", "correction", "comparison", "deficit", "session", "role"
]

CATEGORIES: tuple[CrisisCategory, ...] = ("self_harm", "harm_others", "abuse", "medical")


class CrisisRule(Table, frozen=True, kw_only=True):
    """What happens for one category, by severity (1 a sign, 2 clear, 3 acute).

    ``escalate`` goes before ``redirect``. Under both the resources were shown first.
    """

    resources_from: Severity = 1  # the fixed resources are shown at once
    redirect_from: Annotated[int, msgspec.Meta(ge=1, le=4)] = (
        1  # a safe answer instead of the model's; 4: never
    )
    escalate_from: Severity | None = None  # as redirect, and an alert is raised; None: never
    model_speaks: bool = False  # escalated, the model answers under crisis instructions instead
    recipients: tuple[Recipient, ...] = ()  # who is told of an escalation; nobody when empty

    def action(self, severity: int) -> SafetyAction:
        """What the turn does with a message of this category and severity."""
        if self.escalate_from is not None and severity >= self.escalate_from:
            return "escalate"
        if severity >= self.redirect_from:
            return "redirect"
        return "pass"

    def guides(self, severity: int) -> bool:
        """Whether a model that speaks does so under crisis instructions: wherever help is shown, and beyond."""
        return severity >= self.resources_from or self.action(severity) != "pass"


class Safety(Table, frozen=True, kw_only=True):
    """One rule for each category; all four are stated by every companion."""

    self_harm: CrisisRule
    harm_others: CrisisRule
    abuse: CrisisRule
    medical: CrisisRule
    country: Annotated[str, msgspec.Meta(pattern="^[A-Z]{2}$")] | None = None  # where none is known else

    def rule(self, category: CrisisCategory) -> CrisisRule:
        """The rule of ``category``."""
        match category:
            case "self_harm":
                return self.self_harm
            case "harm_others":
                return self.harm_others
            case "abuse":
                return self.abuse
            case "medical":
                return self.medical


class Answers(Table, frozen=True, kw_only=True):
    """The guard over what a model says: a sentence is checked, then shown.

    ``rules`` name families of sentences that are never shown: that something was said already, questions that
    test, corrections, comparisons with another time, words about what the person cannot do, talk of another
    session.
    """

    rules: tuple[AnswerFamily, ...] = ()  # none: answers are streamed as they come
    hold_chars: Annotated[int, msgspec.Meta(ge=40, le=2_000)] = 240
    hold_seconds: Annotated[float, msgspec.Meta(gt=0, le=10)] = 1.5

    @property
    def guard(self) -> bool:
        """Whether answers are checked sentence by sentence."""
        return bool(self.rules)


class Disclosure(Table, frozen=True, kw_only=True):
    """When the person is told that this is not a human; each showing is recorded."""

    at_start: bool = True
    every_minutes: Positive | None = None  # of talk, in one conversation
