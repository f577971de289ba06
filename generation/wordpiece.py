"""Text as the word pieces that an encoder of the BERT family reads: lower case, no accents, the longest piece first.

The vocabulary is that of bert-base-uncased (Apache-2.0), which all-MiniLM-L6-v2 was trained with; it ships compressed
and is read on first use (some 15 ms), never on import. Words such as ``[CLS]`` in what people say are like any others:
only the code puts marks. Source: Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers", 2018.
"""

import pkgutil
import unicodedata
import zlib
from collections.abc import Iterator
from functools import cache, lru_cache

UNKNOWN, BEGIN, END = 100, 101, 102
LONGEST_WORD = 100  # characters; a longer one is unknown

_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def pieces(text: str, most: int) -> list[int]:
    """The numbers of the pieces of ``text`` between the marks of its begin and end, ``most`` at most."""
    found = [BEGIN]
    for word in _words(text):
        found += _pieces(word)
        if len(found) >= most:
            break
    return [*found[: most - 1], END]


@cache
def _vocabulary() -> dict[str, int]:
    packed = pkgutil.get_data(__name__, "vocabulary.bin")
    if packed is None:
        raise FileNotFoundError("vocabulary.bin")
    return {piece: number for number, piece in enumerate(zlib.decompress(packed).decode().split("\n"))}


def _words(text: str) -> Iterator[str]:
    """Words and single marks of ``text``, in lower case without accents."""
    plain = "".join(map(_cleaned, text))
    bare = "".join(each for each in unicodedata.normalize("NFD", plain) if unicodedata.category(each) != "Mn")
    for word in bare.lower().split():
        start = 0
        for at, char in enumerate(word):
            if _is_mark(char):
                if start < at:
                    yield word[start:at]
                yield char
                start = at + 1
        if start < len(word):
            yield word[start:]


@lru_cache(maxsize=4_096)
def _cleaned(char: str) -> str:
    """What stands for one character: nothing for controls, a word of its own for Chinese, Japanese and Korean signs."""
    if char.isspace():
        return " "
    if char in "\x00\ufffd" or unicodedata.category(char) in {"Cc", "Cf", "Co"}:
        return ""
    return f" {char} " if any(first <= ord(char) <= last for first, last in _CJK) else char


@lru_cache(maxsize=4_096)
def _is_mark(char: str) -> bool:
    plain = char.isascii() and char.isprintable() and not char.isalnum() and char != " "
    return plain or unicodedata.category(char).startswith("P")


@lru_cache(maxsize=8_192)
def _pieces(word: str) -> tuple[int, ...]:
    if len(word) > LONGEST_WORD:
        return (UNKNOWN,)
    vocabulary = _vocabulary()
    found: list[int] = []
    start = 0
    while start < len(word):
        for end in range(len(word), start, -1):
            number = vocabulary.get(f"##{word[start:end]}" if start else word[:end])
            if number is not None:
                found.append(number)
                start = end
                break
        else:
            return (UNKNOWN,)
    return tuple(found)
