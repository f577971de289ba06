"""In which language something was said, told by its little words; empty where they do not tell it."""

from collections import Counter
from functools import cache

from memory.data import table
from memory.text import words


@cache
def _common() -> dict[str, frozenset[str]]:
    found: dict[str, str] = table("languages.toml", dict[str, str])
    return {language: frozenset(common.split()) for language, common in found.items()}


def language_of(text: str) -> str:
    """The language of ``text`` as its two letters (ISO 639-1), or empty: no word of one, or as many of two."""
    said = words(text)
    hits = Counter({name: sum(word in common for word in said) for name, common in _common().items()})
    (best, most), (_, next_most), *_ = hits.most_common()
    return best if most > next_most else ""
