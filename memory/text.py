"""Words and sentences of what people write, the same for every reader.

Text is folded once (Unicode NFKC, lower case, straight quotes, one space), and split by plain rules that hold
for the languages of the companions; Chinese, Japanese and Korean, written without spaces, become one word a
character.
"""

import re
import unicodedata

_QUOTES = (('"', "“”„«»"), ("'", "’‘ʼ`´"))
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+(?:'[^\W_{_CJK}]+)*")
_SENTENCE_END = re.compile(r"[.!?…。！？\n](?:(?<=[。！？\n])|(?<![。！？\n])[\"')\]]*\s+)")
"""A mark that ends a sentence and what follows it; it begins with a letter class, which is found fast."""


def folded(text: str) -> str:
    """``text`` in NFKC and lower case, with straight quotes and single spaces."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    for plain, written in _QUOTES:
        for quote in written:
            if quote in text:
                text = text.replace(quote, plain)
    return " ".join(text.lower().split())


def words(text: str) -> list[str]:
    """The words of ``text``, folded, in order, apostrophes kept inside (``don't``)."""
    return _WORD.findall(folded(text))


def sentences(text: str) -> list[str]:
    """The sentences of ``text`` as written, without surrounding space; empty ones left out."""
    found: list[str] = []
    start = 0
    for mark in _SENTENCE_END.finditer(text):
        found.append(text[start : mark.start() + 1].strip())
        start = mark.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]
