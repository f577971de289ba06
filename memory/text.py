"""Words and sentences of what people write, the same for every reader.

Text is folded once (Unicode NFKC, lower case, straight quotes, one space), and split by plain rules that hold
for the languages of the companions; Chinese, Japanese and Korean, written without spaces, become one word a
character.
"""

import re
import unicodedata

_QUOTES = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'}
)
_SPACE = re.compile(r"\s+")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+(?:'[^\W_{_CJK}]+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|(?<=[。！？])|\n+")


def folded(text: str) -> str:
    """``text`` in NFKC and lower case, with straight quotes and single spaces."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).translate(_QUOTES).lower()).strip()


def words(text: str) -> list[str]:
    """The words of ``text``, folded, in order, apostrophes kept inside (``don't``)."""
    return _WORD.findall(folded(text))


def sentences(text: str) -> list[str]:
    """The sentences of ``text`` as written, without surrounding space; empty ones left out."""
    return [part for piece in _SENTENCE_END.split(text) if (part := piece.strip())]
