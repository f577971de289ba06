"""How long a turn takes with full memory, before the model is asked: reading the message, and planning the answer.

    python -m evaluation.bench_turn [--turns 400] [--sessions 8] [--chat 300] [--most 2000]

Every companion has several sessions in the middle of a long talk, with everything remembered that may be, and they
take turns: what was counted or read for one does not help the next. Each turn brings a message that was not said yet
(where repetition is looked for, half of them are questions that come back), the answer is planned, and the talk goes
on. Each companion is measured twice: with messages as people chat, of 20 to 300 characters (``chat``), and with all
lengths up to 2,000 as frequent as each other (``long``). Only turns for which a prompt was made count; the others,
safe answers, are planned in no time. ``first`` is the planning of the first turn after a talk was read back, which
has to count what the others have counted.

Milliseconds of this process's own processor time, because other work on the machine must not count, and by the clock.
``base`` is what encoding the prompt as JSON costs, measured in the same run: what is sent anyway. Planning is also
told as a multiple of a fixed piece of Python, so that runs on different machines can be compared.
"""

import random
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import cyclopts
import msgspec
from msgspec.structs import replace

from companions.changes import CommandId
from companions.companion import Companion
from companions.events import Minted
from companions.state import State, Waiting
from companions.talk import heard
from companions.turn import PolicyRules
from evaluation.turn_texts import Texts, full, message, texts, went_on
from memory.messages import Message
from memory.reading import warm
from server.casting import companions
from server.collector import quiet_collector

NAMES = ("clara", "coach", "extremis", "maestro/mathematics", "serenity")
IDS = Minted(conversation="cnv", message="msg", response="rsp", answer="ans", alert="alr", jobs=())
SHARES = (0.5, 0.95, 0.99, 1.0)
T = TypeVar("T")


class Span(msgspec.Struct, frozen=True):
    """Milliseconds of processor time, and by the clock."""

    cpu: float
    wall: float


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of one companion; ``chars`` of each prompt, ``safe`` are turns without one.

    ``first`` is the planning of a session's first turn after its talk was read back.
    """

    reading: list[Span] = []  # msgspec copies an empty default
    planning: list[Span] = []
    encoding: list[Span] = []
    chars: list[int] = []
    safe: list[Span] = []
    first: list[Span] = []


def timed(work: Callable[[], T]) -> tuple[Span, T]:
    """How long ``work`` took, and what came of it."""
    clock, cpu = time.perf_counter_ns(), time.process_time_ns()
    result = work()
    cpu, clock = time.process_time_ns() - cpu, time.perf_counter_ns() - clock
    return Span(cpu / 1e6, clock / 1e6), result


def measure(companion: Companion, pool: Texts, *, turns: int, sessions: int, most: int) -> Times:
    """The times of ``turns`` turns, shared by ``sessions`` sessions."""
    rules, chance = PolicyRules(companion), random.Random(7)  # noqa: S311  # the same talk each time, no secret
    states = [full(rules, chance, pool, most=most) for _ in range(sessions)]
    repeats = bool(companion.policy.repetition.strategy)
    quiet_collector()  # as in a server that runs
    first, times = Times(), Times()
    for at in range(-sessions, turns):
        asks = repeats and at // sessions % 2 == 0
        text = chance.choice(pool.questions) if asks else message(chance, pool.sentences, most=most)
        one_turn(rules, states[at % sessions], f"n{at}", text, times if at >= 0 else first)
        states[at % sessions] = went_on(rules, chance, pool, states[at % sessions], f"n{at}", text)
    return msgspec.structs.replace(times, first=first.planning)


def one_turn(rules: PolicyRules, state: State, name: str, text: str, times: Times) -> None:
    """Read and plan one message; its times are added to ``times``."""
    assert state.talk is not None
    read, reading = timed(lambda: rules.read(state, text))
    said = Message(id=name, role="user", text=text, position=state.talk.last_position + 1, at=0)
    told = replace(state, talk=heard(state.talk, said, reading))
    command = CommandId(space="ses", id=name, digest="")
    waiting = Waiting(message=said, reading=reading, ids=IDS, command=command)
    planned, plan = timed(lambda: rules.plan(told, waiting))
    if plan.prompt is None:
        times.safe.append(planned)
        return
    times.reading.append(read)
    times.planning.append(planned)
    prompt = plan.prompt
    times.encoding.append(timed(lambda: msgspec.json.encode(prompt))[0])
    times.chars.append(len(prompt.system) + sum(len(each.text) for each in prompt.messages))


def yardstick() -> float:
    """Milliseconds of processor time of a fixed piece of Python: the best of twenty."""
    return min(timed(lambda: sum(map(len, map(str, range(10_000)))))[0].cpu for _ in range(20))


def cut(spans: Sequence[float]) -> list[float]:
    """The middle, the 95th and the 99th percentile, and the most."""
    ordered = sorted(spans)
    return [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in SHARES]


def rows(companion: str, size: str, times: Times, base: float) -> list[str]:
    """The lines of the table of a companion and a size of messages."""
    name = f"{companion.partition('/')[0]} {size}"
    if not times.planning:
        return [f"{name:<20} no prompt was made in {len(times.safe)} turns"]
    found: list[str] = []
    kinds = {"read": times.reading, "plan": times.planning, "first": times.first, "base": times.encoding}
    for what, spans in kinds.items():
        cpu, wall = cut([each.cpu for each in spans]), cut([each.wall for each in spans])
        found.append(
            f"{name:<20} {what:<5}"
            + "".join(f"{each:>8.2f}" for each in (*cpu, *wall))
            + (f"{cpu[0] / base:>8.2f}{cpu[2] / base:>8.2f}" if what == "plan" else "")
        )
    chars = sorted(times.chars)
    found.append(
        f"{'':<20} {len(chars)} prompts of {chars[len(chars) // 2]:,} characters in the middle, "
        f"{chars[-1]:,} at most; {len(times.safe)} safe answers"
    )
    return found


def main(*, turns: int = 400, sessions: int = 8, chat: int = 300, most: int = 2_000, only: str = "") -> None:
    """Prints the table.

    Parameters
    ----------
    turns
        messages for each companion
    sessions
        that take turns
    chat
        characters of the longest message in a chat
    most
        characters of the longest message where all lengths are as frequent
    only
        the companion to measure alone
    """
    warm()
    found, pool, base = companions(""), texts(), yardstick()
    print(f"{turns} turns of {sessions} sessions each; a fixed piece of Python takes {base:.2f} ms")
    kinds = ("p50", "p95", "p99", "most")
    print(
        f"{'milliseconds':<26}"
        + "".join(f"{each:>8}" for each in (*kinds, *(f"w{kind}" for kind in kinds), "xp50", "xp99"))
    )
    for name in NAMES:
        for size, longest in (("chat", chat), ("long", most)) if name.startswith(only) else ():
            times = measure(found[name], pool, turns=turns, sessions=sessions, most=longest)
            print("\n".join(rows(name, size, times, base)), flush=True)


if __name__ == "__main__":
    cyclopts.run(main)
