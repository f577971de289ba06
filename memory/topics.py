"""What a message is about: words of a table, for summaries and for telling conversations apart."""

from collections import Counter

from memory.noticing import Noticed, noticed

MOST = 5


def read_topics(text: str | list[str] | Noticed) -> tuple[str, ...]:
    """The topics of ``text``, at most five, the most mentioned first, then in order of appearance."""
    counts = Counter(noticed(text).found["topics"])
    return tuple(topic for topic, _ in counts.most_common()[:MOST])
