"""What a message is about: words of a table, for summaries and for telling conversations apart."""

from functools import cache

from memory.data import table
from memory.phrases import Index, find, index, split

MOST = 5


@cache
def _phrases() -> Index[str]:
    topics = table("topics.toml", dict[str, tuple[str, ...]])
    return index((phrase, topic) for topic, phrases in topics.items() for phrase in phrases)


def read_topics(text: str | list[str]) -> tuple[str, ...]:
    """The topics of ``text``, at most five, the most mentioned first, then in order of appearance."""
    counts: dict[str, int] = {}
    for found in find(split(text), _phrases()):
        counts[found.name] = counts.get(found.name, 0) + 1
    return tuple(sorted(counts, key=lambda topic: -counts[topic])[:MOST])
