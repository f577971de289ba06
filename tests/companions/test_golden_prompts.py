"""The prompts of the five companions, kept as files that a person can read.

Compared byte by byte. After a change that is meant, write them anew with ``FIRESIDE_GOLDEN=write`` and read them.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from companions.events import TellDone
from companions.remembered import FactLine, PastTalk, Remembered
from companions.talk import Talk
from memory.messages import Message
from tests.companions.library import NAMES
from tests.companions.pasts import ANN, HEALTH, stated
from tests.companions.sitting import Sitting

FOLDER = Path(__file__).parent / "golden" / "prompts"
QUESTIONS = {
    "clara": "Where am I?",
    "coach": "What should I eat before my run?",
    "extremis": "How do I list files by size?",
    "maestro": "How do I add a half and a third?",
    "serenity": "I cannot sleep and I feel anxious.",
}
CRISES = {  # a sign that a model may answer under instructions, where the companion lets it
    "clara": "I want to die.",
    "coach": "Everyone would be better off without me.",
    "extremis": "Everyone would be better off without me.",
    "maestro": "I want to die.",
    "serenity": "Everyone would be better off without me.",
}
TALK = (
    ("Good morning. I slept badly.", "That sounds like a long night. What kept you awake?"),
    ("The sirens. And I worry about the new team.", "Two things at once. Which of them is louder now?"),
    ("The team, I think.", "Then let us stay with the team for a moment."),
    ("They are kind, but everything is new.", "New can be tiring, even when it is kind."),
    ("I like the garden behind the office.", "A garden is a good place to breathe for a minute."),
    ("There is a bench under a chestnut tree.", "That bench sounds like a place of your own."),
    ("I am allergic to peanuts, so I bring my own lunch.", "Good that you look after that."),
    ("I have a bad knee and avoid long stairs.", "Then the bench by the door is the better one."),
)


def sat(name: str, past: Remembered | None = None) -> Sitting:
    """A person with a past, and what is only given for a session."""
    earlier = stated("msg_old", "I am vegetarian and I am allergic to sesame.", -1)
    known = replace(past, stated=(earlier,)) if past is not None else Remembered()
    return Sitting(name, remembered=known, health=HEALTH if past is not None else None)


def short(name: str) -> Sitting:
    sitting = sat(name)
    sitting.exchange(QUESTIONS[name])
    return sitting


def long(name: str) -> Sitting:
    sitting = sat(name, ANN)
    for said, answer in TALK * 2:
        sitting.exchange(said if len(sitting.prompts) < len(TALK) else f"Also: {said}", answer)
    talk = sitting.state.talk
    assert talk is not None
    summary = "The person slept badly, worries about a new team and likes the garden."
    sitting.state = replace(sitting.state, talk=replace(talk, summary=summary, summary_covers=20))
    if name == "extremis":
        sitting.send(QUESTIONS[name], {"program": "Terminal", "selection": "du -sh *\nls -la"})
        sitting.land()
    else:
        sitting.exchange(QUESTIONS[name])
    return sitting


def over_budget(name: str) -> Sitting:
    facts = tuple(
        FactLine(
            id=f"fct_{at}", category=category, text=f"{category} {at}: " + "a long fact of many words " * 4
        )
        for at, category in enumerate(("identity", "preference", "trigger", "goal", "work", "project") * 10)
    )
    summaries = tuple(
        PastTalk(
            id=f"sum_{at}", on=f"2026-02-{at + 10}", part="evening", text="They spoke of many things. " * 40
        )
        for at in range(5)
    )
    key_facts = tuple(f"Key fact {at}: " + "decided, with many words " * 3 for at in range(9))
    past = replace(
        ANN, facts=facts, summaries=summaries, key_facts=key_facts, topics=("a topic of several words",) * 15
    )
    sitting = sat(name, past)
    sitting.exchange("I am allergic to peanuts and take beta blockers.", "I will keep that in mind.")
    for at in range(9):
        sitting.exchange(
            f"Message {at}. " + "There is much to tell about this day. " * 12,
            "".join(f"I hear you, {at + 1}. " for at in range(60)),
        )
    sitting.exchange(QUESTIONS[name] + " " + "It has been on my mind for a long while. " * 20)
    return sitting


def in_crisis(name: str) -> Sitting:
    sitting = sat(name, ANN)
    sitting.exchange(*TALK[0])
    sitting.exchange(CRISES[name])
    return sitting


def after_a_crash(name: str) -> Sitting:
    sitting = sat(name, ANN)
    said = [
        Message(id="msg_a", role="user", text="Good morning.", position=1, at=1),
        Message(id="ans_a", role="assistant", text="Good morning to you.", position=2, at=2, answers="msg_a"),
        Message(id="msg_b", role="user", text="Tell me about the garden.", position=3, at=3),
        Message(
            id="ans_b",
            role="assistant",
            text="The garden is quiet, and",
            position=4,
            at=4,
            answers="msg_b",
            status="interrupted",
        ),
        Message(id="msg_c", role="user", text=QUESTIONS[name], position=5, at=5),
    ]
    talk = Talk(conversation="cnv_1", last_position=5, message_count=5, messages=tuple(said))
    sitting.state = replace(sitting.state, talk=talk)
    sitting.come_back()
    if not sitting.prompts:
        sitting.exchange("Are you still there?")
    return sitting


def repeated(name: str) -> Sitting:
    sitting = sat(name, ANN)
    for at in range(6):
        sitting.exchange(QUESTIONS[name], f"Answer {at} to that.")
        sitting.exchange(*TALK[at])
    sitting.exchange(QUESTIONS[name])
    return sitting


SCENES: dict[str, Callable[[str], Sitting]] = {
    each.__name__: each for each in (short, long, over_budget, in_crisis, after_a_crash, repeated)
}


def page(sitting: Sitting, title: str) -> str:
    """The last turn as a page to read: the prompt, its settings, and what the planning reported."""
    done = [effect for effect in sitting.effects if isinstance(effect, TellDone)]
    if done and done[-1].source == "safety":
        return f"{title}\n\nThe model is not asked. The companion says:\n\n{done[-1].text}\n"
    prompt, report = sitting.prompts[-1], sitting.report
    turns = "\n\n".join(f"===== {each.role} =====\n{each.text}" for each in prompt.messages)
    tools = ", ".join(tool.name for tool in prompt.tools) or "none"
    tiers = [
        f"{tier}: {report.items.get(tier, 0)} of {there}, {report.tokens.get(tier, 0)} tokens"
        for tier, there in report.found.items()
    ]
    left = [f"left out: {item} ({reason})" for item, reason in report.dropped.items()]
    numbers = [
        f"answer: at most {prompt.max_tokens} tokens, temperature {prompt.temperature}, tools: {tools}",
        *tiers,
        f"all: {report.tokens['all']} tokens",
        *left,
    ]
    return f"{title}\n\n===== system =====\n{prompt.system}\n\n{turns}\n\n===== report =====\n" + "\n".join(
        [*numbers, ""]
    )


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_is_the_one_that_was_read(name: str, scene: str) -> None:
    made = page(SCENES[scene](name), f"{name}, {scene.replace('_', ' ')}")
    file = FOLDER / name / f"{scene}.txt"
    if os.environ.get("FIRESIDE_GOLDEN") == "write":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(made, encoding="utf-8")
    assert file.read_bytes() == made.encode()


@pytest.mark.parametrize("name", NAMES)
def test_the_same_talk_makes_the_same_bytes(name: str) -> None:
    assert page(long(name), "") == page(long(name), "")
