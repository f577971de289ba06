"""The texts of a companion from its files: which are required, and what may stand in braces."""

from collections.abc import Iterable, Mapping
from typing import TypeVar, get_args

from companions.changes import JobKind
from companions.errors import PolicyError
from companions.folder import Folder
from companions.policy import Persona, Policy
from companions.policy_safety import CATEGORIES
from companions.policy_turn import ANSWER_LENGTHS, NARRATIVE_CATEGORIES, WARMTH_LEVELS, AnswerLength, emotions
from companions.texts import BackWord, Greetings, PageWord, PromptWord, SafeAnswers, Texts, Variants
from memory.intent import Intent
from memory.matters import QuestionType

REFLECTION_KEYS = frozenset({*get_args(QuestionType), *get_args(Intent), *NARRATIVE_CATEGORIES})
PROMPT_PLACEHOLDERS: dict[PromptWord, tuple[str, ...]] = {
    "tone": ("emotions", "trajectory"),
    "anchors": ("things",),
    "narrative": ("story",),
    "narrative_primary": ("story",),
    "continue": ("shown",),
}
PAGE_PLACEHOLDERS: dict[PageWord, tuple[str, ...]] = {"told": ("who",)}
BACK_PLACEHOLDERS: dict[BackWord, tuple[str, ...]] = {
    **dict.fromkeys(get_args(BackWord), ("value",)),
    **dict.fromkeys(("told", "all", "summed"), ("facts",)),
    "unknown": (),
    "named": ("about", "value"),
}
GREETING_PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "plain": (),
    "name": ("name",),
    "topic": ("topic",),
    "name_topic": ("name", "topic"),
}
_WARMTH = tuple(f"warmth {level}" for level in range(WARMTH_LEVELS))
_LENGTHS: dict[str, AnswerLength] = {f"length {length}": length for length in ANSWER_LENGTHS}
K = TypeVar("K", bound=str)


def texts_of(folder: Folder, policy: Policy, persona: Persona | None = None) -> Texts:
    """All texts of a companion; a persona's own text follows the one that all personas share."""
    own = "" if persona is None else f"\n\n{folder.text(f'personas/{persona.id}.md')}"
    repeats = bool(policy.repetition.strategy)
    return Texts(
        persona=folder.text("persona.md") + own,
        rules=folder.text("rules.md", ("style",)),
        safety=folder.text("safety.md"),
        sessions={key: folder.text(f"sessions/{key}.md", ("session",)) for key in policy.session.types},
        crisis=_single(folder, "crisis.md", CATEGORIES),
        greetings=_greetings(folder),
        safe_answers=_safe_answers(folder),
        reflections=_reflections(folder, policy),
        warmth=_warmth(folder) if repeats else (),
        lengths=_lengths(folder) if repeats else {},
        prompt=_words(folder, "prompt.md", get_args(PromptWord), PROMPT_PLACEHOLDERS),
        jobs={kind: folder.text(f"jobs/{kind}.md", ("words",)) for kind in asked_of_a_model(policy)},
        words=_words(folder, "words.md", get_args(PageWord), PAGE_PLACEHOLDERS),
        welcome=_welcome(folder, policy),
        back=_words(folder, "remembered.md", get_args(BackWord), BACK_PLACEHOLDERS),
    )


def asked_of_a_model(policy: Policy) -> tuple[JobKind, ...]:
    """The jobs that a model is asked to do; a talk in figures (form ``dementia``) is summed up by code."""
    kinds: dict[JobKind, None] = dict.fromkeys(policy.session.jobs)
    if policy.summary is not None:
        kinds["summary"] = None
        if policy.summary.form == "dementia":
            del kinds["summary"]
    return tuple(kinds)


def _welcome(folder: Folder, policy: Policy) -> dict[str, str]:
    """The questions of the beginning, of a companion that asks any."""
    asks = policy.welcome.asks
    return _words(folder, "welcome.md", ("begin", "done", *asks), {}) if asks else {}


def _greetings(folder: Folder) -> Greetings:
    found = folder.sections("greetings.md", ("name", "topic"))
    _exactly(folder, "greetings.md", found, GREETING_PLACEHOLDERS)
    for key, needed in GREETING_PLACEHOLDERS.items():
        for text in found[key]:
            _stands(folder, "greetings.md", key, text, needed, {"name", "topic"})
    return Greetings(
        plain=found["plain"], name=found["name"], topic=found["topic"], name_topic=found["name_topic"]
    )


def _safe_answers(folder: Folder) -> SafeAnswers:
    by_category = {key: folder.sections(f"safe_answers/{key}.md") for key in CATEGORIES}
    for key, found in by_category.items():
        _exactly(folder, f"safe_answers/{key}.md", found, ("first", "later"))
    general = folder.sections("safe_answers/general.md")
    _exactly(folder, "safe_answers/general.md", general, ("closing", "instead", "fallback"))
    return SafeAnswers(
        first={key: by_category[key]["first"] for key in CATEGORIES},
        later={key: by_category[key]["later"] for key in CATEGORIES},
        closing=general["closing"],
        instead=general["instead"],
        fallback=general["fallback"],
    )


def _reflections(folder: Folder, policy: Policy) -> dict[str, Variants]:
    found = folder.sections("reflections.md")
    known = REFLECTION_KEYS.union(emotions(policy.emotion.set))
    if unknown := sorted(set(found) - known):
        raise PolicyError(folder.named("reflections.md"), unknown[0], "is no feeling, question or intent")
    if "general" not in found:
        raise PolicyError(folder.named("reflections.md"), "general", "this section is required")
    return found


def _warmth(folder: Folder) -> tuple[str, ...]:
    found = _single(folder, "repetition.md", (*_WARMTH, *_LENGTHS))
    return tuple(found[key] for key in _WARMTH)


def _lengths(folder: Folder) -> dict[AnswerLength, str]:
    found = _single(folder, "repetition.md", (*_WARMTH, *_LENGTHS))
    return {length: found[key] for key, length in _LENGTHS.items()}


def _single(folder: Folder, path: str, keys: Iterable[K]) -> dict[K, str]:
    """One text for each of ``keys``, its paragraphs kept apart."""
    found = folder.sections(path)
    wanted = tuple(keys)
    _exactly(folder, path, found, wanted)
    return {key: "\n".join(found[key]) for key in wanted}


def _words(folder: Folder, path: str, keys: Iterable[K], needed: Mapping[K, tuple[str, ...]]) -> dict[K, str]:
    every = {name for names in needed.values() for name in names}
    found = folder.sections(path, every)
    wanted = tuple(keys)
    _exactly(folder, path, found, wanted)
    for key in wanted:
        _stands(folder, path, key, " ".join(found[key]), needed.get(key, ()), every)
    return {key: "\n".join(found[key]) for key in wanted}


def _stands(
    folder: Folder, path: str, key: str, text: str, needed: Iterable[str], closed: Iterable[str]
) -> None:
    for name in closed:
        there, wanted = f"{{{name}}}" in text, name in set(needed)
        if there and not wanted:
            raise PolicyError(folder.named(path), key, f"{{{name}}} is no placeholder here")
        if wanted and not there:
            raise PolicyError(folder.named(path), key, f"{{{name}}} is missing")


def _exactly(folder: Folder, path: str, found: Mapping[str, object], keys: Iterable[str]) -> None:
    wanted = list(keys)
    for key in wanted:
        if key not in found:
            raise PolicyError(folder.named(path), key, "this section is required")
    if unknown := sorted(set(found) - set(wanted)):
        raise PolicyError(folder.named(path), unknown[0], "this section is not known")
