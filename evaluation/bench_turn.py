"""How long the planning of a turn takes with full memory: reading the message, and making the prompt.

    python -m evaluation.bench_turn --turns 2000

Times are of this process's own processor time, because other work on the machine must not count; milliseconds.
Messages have up to 2,000 characters, the most that is read whole. Every turn is a new message: nothing of it was
counted or read before.
"""

import gc
import random
import time
from collections.abc import Callable
from typing import TypeVar

import cyclopts
from msgspec.structs import replace

from companions.changes import CommandId
from companions.companion import Companion
from companions.events import Minted
from companions.remembered import CheckIn, FactLine, Health, PastTalk, Profile, Remembered
from companions.state import State, Waiting, Who
from companions.talk import Talk, answered, heard
from companions.turn import PolicyRules
from memory.messages import Message
from memory.recall import stated
from server.casting import companions

SAID = """I slept badly and the sirens kept me awake.|I am allergic to peanuts and avoid dairy.|Where is my daughter?
|My knee hurts when I take the stairs.|I like to walk by the canal in the morning.|What should I eat before my run?
|Everything at work is new and I feel nervous about it.|Could you tell me a story about the garden?
|I want to run ten kilometres by June.|Thank you, that was kind.""".replace("\n", "").split("|")
IDS = Minted(conversation="cnv", message="msg", response="rsp", answer="ans", alert="alr", jobs=())
T = TypeVar("T")


def remembered() -> Remembered:
    """Everything that a person may have, as much of it as is kept."""
    kinds = ("identity", "preference", "theme", "event", "strategy", "trigger", "goal", "technical", "work")
    facts = tuple(
        FactLine(id=f"fct_{at}", category=kinds[at % 9], text=f"{SAID[at % 10]} ({at})") for at in range(100)
    )
    past = tuple(
        PastTalk(id=f"sum_{at}", on="2026-01-01", part="evening", text=" ".join(SAID)) for at in range(5)
    )
    earlier = (stated(f"old_{at}", at - 200, f"{SAID[at % 10]} Number {at}.") for at in range(200))
    return Remembered(
        profile=Profile(name="Ann", age=42, primary_goals=("sleep", "run"), coping_strategies=("a walk",)),
        check_in=CheckIn(on="2026-01-01", mood=4, sleep=5, anxiety=6, stressors=("work",)),
        facts=facts,
        summaries=past,
        key_facts=tuple(SAID[:5]),
        topics=("sleep", "running", "work"),
        stated=tuple(each for each in earlier if each is not None),
    )


def long_talk(rules: PolicyRules, dice: random.Random) -> State:
    """A conversation of a hundred exchanges."""
    who = Who(session="ses", space="ses", user="ann", companion=rules.companion.id)
    state = State(who=who, remembered=remembered(), health=Health(lines=("Sleep: 6 h", "Pulse: 64")))
    talk = Talk(conversation="cnv")
    for at in range(100):
        state = replace(state, talk=talk)
        text = message(dice, at, 200)
        position = talk.last_position + 1
        said = Message(id=f"q{at}", role="user", text=text, position=position, at=at)
        talk = heard(talk, said, rules.read(state, text))
        words = f"I hear you. {dice.choice(SAID)} Number {at}."
        answer = Message(
            id=f"a{at}", role="assistant", text=words, position=position + 1, at=at, answers=said.id
        )
        talk = answered(talk, answer, anchors=rules.anchors(words), narrative=None)
    return replace(state, talk=talk)


def message(dice: random.Random, at: int, most: int) -> str:
    """A message that was not said yet, of up to ``most`` characters."""
    text = f"Number {at}."
    length = dice.randint(20, most)
    while len(text) < length:
        text += " " + dice.choice(SAID)
    return text[:most]


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Milliseconds of processor time, and what came of it."""
    begun = time.process_time_ns()
    result = work()
    return (time.process_time_ns() - begun) / 1e6, result


def measure(companion: Companion, turns: int, most: int) -> tuple[list[float], list[float]]:
    """The times of reading and of planning, sorted."""
    rules, dice = PolicyRules(companion), random.Random(7)  # noqa: S311  # the same talk each time
    state = long_talk(rules, dice)
    assert state.talk is not None
    gc.collect()
    gc.freeze()
    reading: list[float] = []
    planning: list[float] = []
    for at in range(turns):
        text = message(dice, 1_000 + at, most)
        took, read = timed(lambda text=text: rules.read(state, text))
        said = Message(id=f"n{at}", role="user", text=text, position=state.talk.last_position + 1, at=at)
        told = replace(state, talk=heard(state.talk, said, read))
        command = CommandId(space="ses", id=str(at), digest="")
        waiting = Waiting(message=said, reading=read, ids=IDS, command=command)
        more, _ = timed(lambda told=told, waiting=waiting: rules.plan(told, waiting))
        reading.append(took)
        planning.append(more)
    return sorted(reading), sorted(planning)


def at_share(times: list[float], share: float) -> float:
    """The time that ``share`` of the turns do not exceed."""
    return times[min(len(times) - 1, int(len(times) * share))]


def main(*, turns: int = 2_000, most: int = 2_000) -> None:
    """Prints the table.

    Parameters
    ----------
    turns
        messages for each companion
    most
        characters of the longest message
    """
    print(f"{turns} turns each, messages of 20 to {most} characters; milliseconds of processor time")
    print(f"{'companion':<22}{'read p50':>10}{'p99':>8}{'plan p50':>10}{'p99':>8}")
    found = companions("")
    for name in ("clara", "coach", "extremis", "maestro/mathematics", "serenity"):
        reading, planning = measure(found[name], turns, most)
        figures = [at_share(times, share) for times in (reading, planning) for share in (0.5, 0.99)]
        print(
            f"{name:<22}"
            + "".join(f"{each:>{width}.2f}" for each, width in zip(figures, (10, 8) * 2, strict=True))
        )


if __name__ == "__main__":
    cyclopts.run(main)
