"""Which memories a prompt holds and which were left out, each with the reason: the answer to "why do you say that"."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from companions.fact_changes import MemoryUse, UseKind
from companions.remembered import FactLine, PastTalk, Permitted
from companions.standing import MOST_KEPT
from memory.recall import Recalled

SEARCHED: Final = "search_memory"
"""The reason of a message that the model's own search brought."""


def memories_of(
    permitted: Permitted,
    recalled: Sequence[tuple[Recalled, str]],
    used: Sequence[str],
    dropped: Mapping[str, str],
) -> tuple[MemoryUse, ...]:
    """The facts, summaries and recalled messages among what a prompt took (``used``) and left out (``dropped``)."""
    known = _known(permitted, recalled)
    taken = [MemoryUse(*known[item], used=True) for item in used if item in known]
    left = [
        MemoryUse(known[item][0], item, reason, used=False)
        for item, reason in dropped.items()
        if item in known
    ]
    return (*taken, *left)


def with_found(memories: Sequence[MemoryUse], messages: Sequence[str]) -> tuple[MemoryUse, ...]:
    """``memories`` with the messages that a tool of the model found; none of those was left out in the end."""
    there = {each.item for each in memories if each.used}
    found = [MemoryUse("message", message, SEARCHED) for message in dict.fromkeys(messages)]
    fresh = [each for each in found if each.item not in there]
    items = {each.item for each in fresh}
    return (*(each for each in memories if each.item not in items), *fresh)


def _known(
    permitted: Permitted, recalled: Sequence[tuple[Recalled, str]]
) -> dict[str, tuple[UseKind, str, str]]:
    """What each memory is, and why it would be told."""
    brought: dict[str, tuple[UseKind, str, str]] = {
        found.message_id: ("message", found.message_id, found.why) for found, _ in recalled
    }
    return {**_lasting(permitted.facts, permitted.summaries), **brought}


@lru_cache(maxsize=MOST_KEPT)
def _lasting(
    facts: tuple[FactLine, ...], summaries: tuple[PastTalk, ...]
) -> Mapping[str, tuple[UseKind, str, str]]:
    """The same of what stays from turn to turn."""
    known: dict[str, tuple[UseKind, str, str]] = {}
    for fact in facts:
        known[fact.id] = ("fact", fact.id, "pinned" if fact.pinned else f"known:{fact.category}")
    for talk in summaries:
        known[talk.id] = ("summary", talk.id, "recent_conversation")
    return known
