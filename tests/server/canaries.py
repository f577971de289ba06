"""Canaries: words that stand in one place of one person's memory each, and where each may turn up again.

What may be in a prompt is written down here from the companions' designs, not read from their policies, so that a
policy that lets more through is found out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from string import ascii_lowercase
from typing import Literal, TypeAlias

from loadtest.model_script import THOUGHT
from loadtest.model_server import Request

Place: TypeAlias = Literal[
    "said",
    "answer",
    "context",
    "profile",
    "check_in",
    "health",
    "summary",
    "key_fact",
    "topic",
    "fact",
    "caregiver",  # what those who care for a person told
]
HERE: frozenset[Place] = frozenset({"said", "answer"})  # of the open talk: every companion
CONTEXT = frozenset({"extremis"})  # what another program sent along, in its own talk
HEALTH = frozenset({"serenity"})  # in the session in which it was shared
ACROSS: dict[str, frozenset[Place]] = {  # from other talks of the same person with the same companion
    "clara": frozenset({"caregiver"}),
    "coach": frozenset({"said", "answer"}),  # recalled for the message, or found by the model's search
    "extremis": frozenset({"said", "fact"}),  # what the person said, as facts
    "maestro": frozenset({"said", "answer", "summary", "key_fact", "topic"}),
    "serenity": frozenset({"said", "answer", "summary", "fact", "profile", "check_in"}),
}
WORD = re.compile(r"quok[a-z]{8}|\b1\d{5}\b")


@dataclass(eq=False)
class Planted:
    """One canary, and whose memory it stands in."""

    word: str
    place: Place
    user: str
    companion: str
    session: str = ""
    conversation: str | None = None  # known when the message is acknowledged
    of: "Planted | None" = None  # what an answer answers
    parent: bool = False  # said in a talk with parents
    gone_from: int | None = None  # the request from which on nothing may hold it

    @property
    def talk(self) -> str | None:
        """The conversation it stands in."""
        return self.of.talk if self.of is not None else self.conversation

    def __str__(self) -> str:
        return f"{self.place} of {self.user} with {self.companion} in {self.talk}"


@dataclass
class Ledger:
    """Every canary there is."""

    random: Random
    planted: dict[str, Planted] = field(default_factory=dict[str, Planted])

    def plant(self, place: Place, user: str, companion: str, *, session: str = "") -> Planted:
        """A fresh word for that place."""
        word = "quok" + "".join(self.random.choices(ascii_lowercase, k=8))
        if place == "health":
            word = str(100_000 + len(self.planted))  # health data are numbers
        self.planted[word] = Planted(word, place, user, companion, session)
        return self.planted[word]

    def found(self, text: str) -> Iterator[Planted]:
        """The canaries in ``text``, in their order."""
        return (self.planted[word] for word in WORD.findall(text) if word in self.planted)

    def asked(self, request: Request) -> Planted | None:
        """The message that a request is about: the last that the person said; None where it is about none."""
        turns = [each for each in request.json().get("messages", []) if each["role"] == "user"]
        last = turns[-1]["content"] if turns else ""
        said = [each for each in self.found(last) if each.place == "said"]
        return said[-1] if said else None

    def leaks(self, request: Request, number: int) -> list[str]:
        """What stands in the bytes of a request, the ``number``-th, and may not."""
        body = request.body.decode()
        asked = self.asked(request)
        held = list(self.found(body))
        if asked is None:
            owners = {(each.user, each.companion, each.parent) for each in held}
            return [f"of several people: {owners}"] if len(owners) > 1 else []
        wrong = [each for each in held if not may(asked, each, number)]
        thoughts = ["reasoning of the model"] if THOUGHT in body else []
        return [*sorted({f"{each} in a prompt for {asked}" for each in wrong}), *thoughts]


def may(asked: Planted, found: Planted, number: int) -> bool:
    """Whether ``found`` may be in the prompt of request ``number``, which is about ``asked``."""
    family = asked.companion.partition("/")[0]
    if (found.user, found.companion, found.parent) != (asked.user, asked.companion, asked.parent):
        return False
    if found.gone_from is not None and number >= found.gone_from:
        return False
    if found.place == "health":
        return family in HEALTH and found.session == asked.session
    if found.place == "context":
        return family in CONTEXT and found.talk == asked.talk
    if found.place in HERE and found.talk == asked.talk:
        return True
    return found.place in ACROSS[family]
