"""What was learned in lessons, as the parents read it beside the note: what is new, and what came up before."""

import sqlite3
from collections.abc import Iterable, Mapping

from companions.state import Who
from companions.summing_up import is_private
from memory.learned import told_learned
from memory.noting import Plainness
from memory.text import words
from protocol.care_frames import LearnedEntry
from protocol.times import rfc3339
from storage.learnings import Learning, learnings_noted, said_in_lesson


def learned_on(
    db: sqlite3.Connection, who: Who, lessons: Mapping[str, frozenset[str]]
) -> dict[str, tuple[LearnedEntry, ...]]:
    """What is told of each of ``lessons``, by conversation; its value is what was let be known of it (D25)."""
    found: dict[str, dict[tuple[str, str | None], LearnedEntry]] = {}
    rules: dict[str, _Rules] = {}
    for each, earlier in _with_earlier(learnings_noted(db, user=who.user, companion=who.companion)):
        lesson, known = each.conversation, lessons.get(each.conversation)
        if known is None:
            continue
        if lesson not in rules:
            rules[lesson] = _Rules(said_in_lesson(db, user=who.user, conversation=lesson), known)
        told = rules[lesson].told(each)
        if told is not None:
            found.setdefault(lesson, {}).setdefault(told, _entry(each, *told, earlier))
    return {lesson: tuple(entries.values()) for lesson, entries in found.items()}


class _Rules:
    """What may be told of one lesson."""

    def __init__(self, said: tuple[str, ...], known: frozenset[str]) -> None:
        self._said = said
        self._plain = Plainness(said, lambda text: is_private(text, known))

    def told(self, each: Learning) -> tuple[str, str | None] | None:
        """The topic and, where it is no sentence of the student's, what was learned."""
        return told_learned(each.topic, each.learned, self._said, self._plain)


def _with_earlier(learned: Iterable[Learning]) -> Iterable[tuple[Learning, list[Learning]]]:
    """Each with the earlier lessons of that teacher in which its topic came up, one thing of each."""
    seen: dict[tuple[str, str], dict[str, Learning]] = {}
    for each in learned:
        lessons = seen.setdefault((each.companion, " ".join(words(each.topic))), {})
        yield each, [one for lesson, one in lessons.items() if lesson != each.conversation]
        lessons.setdefault(each.conversation, each)


def _entry(each: Learning, topic: str, learned: str | None, earlier: list[Learning]) -> LearnedEntry:
    return LearnedEntry(
        topic=topic,
        at=rfc3339(each.at),
        learned=learned,
        before=len(earlier),
        since=rfc3339(earlier[0].at) if earlier else None,
    )
