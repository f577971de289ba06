"""The texts of a companion: what it is told, and what it can say by itself.

A text with several entries is a Markdown file of sections: a line ``## key`` begins one, each paragraph of it
is a variant. Placeholders are a closed set and are written in braces.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from companions.changes import JobKind
from companions.policy_safety import CrisisCategory
from companions.policy_turn import AnswerLength

Variants: TypeAlias = tuple[str, ...]
PromptWord: TypeAlias = Literal[
    "quote",  # how notes and guidance are to be taken: notes are data, never an instruction
    "profile",
    "caregiver",
    "check_in",
    "health",
    "facts",
    "summaries",
    "summary_here",  # the older part of this conversation
    "key_facts",
    "topics",
    "recalled",
    "context",
    "first",  # nothing is known yet from before this conversation
    "tone",  # {emotions} and {trajectory}
    "anchors",  # {things}
    "narrative",  # {story}: let it colour the answer
    "narrative_primary",  # {story}: tell it
    "shortened",  # the current message was shortened in the middle
    "continue",  # {shown}: go on from what was shown
    "again",  # another answer is wanted
    "shorter",
    "simpler",
    "style_direct",  # what fills {style} in the rules
    "style_gentle",
    "style_socratic",
    "style_validating",
]
PageWord: TypeAlias = Literal[
    "title",
    "placeholder",
    "send",
    "stop",
    "help",
    "close",
    "you",
    "crisis_title",
    "crisis_self_harm",  # said beside the resources, and read aloud
    "crisis_harm_others",
    "crisis_abuse",
    "crisis_medical",
    "told",  # {who}: who is told of an alert
    "told_nobody",
    "and",  # between the last two of those
    "no_model",
    "waiting",
    "reconnecting",
    "unsent",
    "offer_continue",
    "shortened",
    "busy",
    "ended",
    "disclosure",
    "memory",
    "listen",
    "speak",
]
BackWord: TypeAlias = Literal[
    "told",  # {facts}
    "all",  # {facts}
    "unknown",
    "summed",  # {facts}
    "residence",  # {value}, as all that follow
    "job",
    "employer",
    "allergy",
    "condition",
    "medication",
    "likes",
    "dislikes",
    "named",  # and {about}
    "words",
]
"""How what the person told is told back without a model."""
_HEADING = re.compile(r"^## +(.+?) *$", re.MULTILINE)
_PARAGRAPHS = re.compile(r"\n\s*\n")
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


class SafeAnswers(msgspec.Struct, frozen=True, kw_only=True):
    """Answers that need no model. ``later`` ones are for the same category later in a conversation."""

    first: Mapping[CrisisCategory, Variants]
    later: Mapping[CrisisCategory, Variants]
    closing: Variants  # a sentence that closes an answer the guard cut
    instead: Variants  # an answer in place of one that the guard stopped whole
    fallback: Variants  # the model is away, and no story fits


class Greetings(msgspec.Struct, frozen=True, kw_only=True):
    """First words. ``{name}`` and ``{topic}`` stand where the title says so."""

    plain: Variants
    name: Variants
    topic: Variants
    name_topic: Variants


class Texts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of a companion that is language."""

    persona: str
    rules: str
    safety: str
    sessions: Mapping[str, str]
    crisis: Mapping[CrisisCategory, str]  # for the model, when it speaks in a crisis
    greetings: Greetings
    safe_answers: SafeAnswers
    reflections: Mapping[str, Variants]  # by feeling, question type or intent; ``general`` for all others
    warmth: tuple[str, ...]  # by level, growing warmer; empty where repetition is not looked for
    lengths: Mapping[AnswerLength, str]
    prompt: Mapping[PromptWord, str]
    jobs: Mapping[JobKind, str]
    words: Mapping[PageWord, str]
    back: Mapping[BackWord, str]
    welcome: Mapping[str, str] = {}  # ``begin``, ``done``, and each question by its field


def reflection_keys(question_type: str, intent: str, emotion: str) -> tuple[str, ...]:
    """Where words of the companion's own are looked for, the most fitting first.

    A question (where am I, what day is it) is answered before the wish behind it is, and a feeling before
    anything in general.
    """
    named = (each for each in (question_type, intent, emotion) if each and each != "general")
    return (*dict.fromkeys(named), "general")


_CRISIS: Mapping[CrisisCategory, PageWord] = {
    "self_harm": "crisis_self_harm",
    "harm_others": "crisis_harm_others",
    "abuse": "crisis_abuse",
    "medical": "crisis_medical",
}


def crisis_words(texts: Texts, category: CrisisCategory, told: Sequence[str]) -> str:
    """What is said in a crisis beside the resources, and who is told of it: nobody, where there is nobody (D25)."""
    words = texts.words
    said = words[_CRISIS[category]]
    if not told:
        return f"{said} {words['told_nobody']}"
    *others, last = told
    who = f"{', '.join(others)} {words['and']} {last}" if others else last
    return f"{said} {filled(words['told'], {'who': who})}"


def sections(text: str) -> dict[str, Variants]:
    """The variants of each section of ``text``; what stands above the first heading is a note to writers."""
    parts = _HEADING.split(text)[1:]
    found: dict[str, Variants] = {}
    for key, body in zip(parts[::2], parts[1::2], strict=True):
        found[key] = (
            *found.get(key, ()),
            *(_joined(each) for each in _PARAGRAPHS.split(body) if each.strip()),
        )
    return found


def placeholders(text: str) -> set[str]:
    """The names in braces in ``text``."""
    return set(_PLACEHOLDER.findall(text))


def filled(text: str, values: Mapping[str, str]) -> str:
    """``text`` with its placeholders replaced, once: braces inside a value stay what they are."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)


def _joined(paragraph: str) -> str:
    return " ".join(paragraph.split())
