"""What the crisis reader makes of a message before it reads it: one letter per plain word.

People in need do not write like a dictionary: contractions, missing apostrophes, letters drawn out or spaced
out, digits for letters, misspelt key words. Each token becomes the letters of the plain words it stands for,
words that carry no meaning here become nothing, and every letter knows the token it came from.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, repeat
from typing import TypeAlias

from memory.crisis_table import Spelling
from memory.expressions import Expression
from memory.once import once
from memory.text import Remembered, compatible

UNKNOWN = "\ue000"
STOP = "\ue001"  # stands between two sentences
NUMBER = "0"  # stands for any number in figures

_TOKEN = Expression(
    r"[a-z]{2,}+(?![\w'’‘`´@$!*|\u00ad\u200b-\u200d\u2060\ufeff])"  # most words, the quick way
    r"|(?<!\w)[^\W\d_](?:[ .\-_*]{1,3}[^\W\d_](?![\w'’])){2,}"  # k i l l
    r"|[@$]?[^\W_](?:[\w'’‘`´@$!*|\u00ad\u200b-\u200d\u2060\ufeff]*[^\W_])?"
    r"|[.!?;\n…]+|[,:(\u2013\u2014]|\s-\s|[\"“”„«»]|[\U0001f300-\U0001faff]"
)
_DASH = (" - ",)
_ODD_DASH = Expression(r"[^\S ]-|-[^\S ]")  # beside white space that is no space
_SPACED = Expression(r"[ .\-_*]+")
_INVISIBLE = Expression(r"[\u00ad\u200b-\u200d\u2060\ufeff]")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'"})
_LEET = str.maketrans("013457@$!|", "oieastasil")
_LEET_L = str.maketrans("013457@$!|", "oleastasll")
_MIXED = Expression(r"[^\W\d_][\d@$!|]|[\d@$!|][^\W\d_]")
_DRAWN = Expression(r"(.)\1{2,}")
_TWICE = Expression(r"(.)\1+")
_MARKS = Expression(r"[\u0300-\u036f]")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_LOOKS = str.maketrans("аеорсухіѕ", "aeopcyxis")
_BETWEEN = ".-_*"
_LONE = Expression(r"(?:\A|[\W_])[^\W\d_][.\-_*]{0,2}\Z|\A[.\-_*]{0,2}[^\W\d_](?![\w'’])")
_MAY_BE_LETTERED = Expression(r"2[-12]|-2|12|1-*1-*1")  # of what `lone` says
_LONES = Expression(r"[-12]{2,}")
_LETTERED = Expression(r"(?<!\w)[^\W\d_](?:[ .\-_*]{1,3}[^\W\d_](?![\w'’])){2}")
_COMMAS = frozenset(",:(\u2013\u2014")
_QUOTE_MARKS = frozenset('"“”„«»')
_PICTURES = "\U0001f300"  # from here on emoji; those that say nothing here stand between no words
_SHORTEST_TYPO = 5
_LONGEST_SPELT = 14


Parts: TypeAlias = Sequence[tuple[str, ...]]
"""The tokens of a message, by what stands between two of its spaces."""


class Spelled:
    """A message in letters, or a part of one; ``places`` has the token of each letter, ``tokens`` all in order.

    Of a part ``first`` is the place of its first letter in the message, and ``quoted`` says that it begins between
    quotation marks. What is asked for is named by places in the message.
    """

    def __init__(
        self,
        text: str,
        tokens: Sequence[str],
        letters: str,
        places: Sequence[int],
        first: int = 0,
        quoted: bool = False,
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.letters = letters
        self.places = places
        self.first = first
        self.quoted = quoted

    @once
    def quotes(self) -> list[bool]:
        """Whether each token stands between quotation marks."""
        if _QUOTE_MARKS.isdisjoint(self.tokens):
            return [self.quoted] * len(self.tokens)
        inside, found = self.quoted, list[bool]()
        for token in self.tokens:
            inside ^= token in _QUOTE_MARKS
            found.append(inside)
        return found

    def between_quotes(self, at: int) -> bool:
        """Whether the word of letter ``at`` stands between quotation marks."""
        return self.quotes[self.places[at - self.first]]

    def comma_before(self, at: int) -> bool:
        """Whether a comma, a dash or a bracket stands right before the word of letter ``at``."""
        if at == 0:
            return True
        here = at - self.first
        between = self.tokens[self.places[here - 1] + 1 : self.places[here]]
        return any(token[:1] in _COMMAS or token[:1] in ' .…"' for token in between)

    def tokens_around(self, start: int, end: int, reach: int) -> Sequence[str]:
        """The tokens of the letters from ``start`` to ``end``, ``reach`` before them and the one after."""
        begin = max(0, self.places[start - self.first] - reach)
        return self.tokens[begin : self.places[end - 1 - self.first] + 2]

    def said(self, start: int, end: int) -> str:
        """The very words behind the letters from ``start`` to ``end``."""
        first, last = self.places[start - self.first], self.places[end - 1 - self.first]
        low, at, begin = lowered(self.text), 0, 0
        for number in range(last + 1):  # no token can stand where none was found, so each is the next
            at = low.index(self.tokens[number], at)
            if number == first:
                begin = at
            at += len(self.tokens[number])
        return self.text[begin:at]


def lowered(text: str) -> str:
    """``text`` in lower case, never longer or shorter than it was."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def tokens(text: str) -> list[str]:
    """Words and marks of ``text`` in lower case, in order."""
    return _TOKEN.findall(lowered(text))


def lone(run: str) -> str:
    """What stands between two spaces, as part of a word written letter by letter, in one character.

    "1" is a letter, "2" may be several, "-" only stands between letters, "0" is no part of such a word.
    """
    if not run.strip(_BETWEEN):
        return "-"
    return "0" if not _LONE.search(run) else "1" if sum(map(str.isalpha, run)) == 1 else "2"


def between_spaces(low: str, lones: str) -> bool:
    """Whether what stands between the spaces of a message can be read by itself; ``lones`` has a `lone` for each.

    What is no part of a word written letter by letter may be told of by any other character.

    Not when words may be written letter by letter, or a dash stands at the end of a line.
    """
    return not ("-\n" in low or "\n-" in low or (_MAY_BE_LETTERED.search(lones) and _lettered(low, lones)))


def _lettered(low: str, lones: str) -> bool:
    """Whether a word is written letter by letter in runs side by side."""
    written = low.split(" ")
    beside = (written[match.start() : match.end()] for match in _LONES.finditer(lones))
    return any(_LETTERED.search(" ".join(runs)) for runs in beside)


def dashed(low: str, parts: Parts) -> Parts | None:
    """The tokens of what stands between the spaces of a message in lower case, dashes among them.

    None where a dash beside other white space takes more than one of them together.
    """
    if "-" not in low:
        return parts
    if _ODD_DASH.search(low):
        return None
    found: list[tuple[str, ...]] = []
    for run, part in zip(low.split(" "), parts, strict=True):
        dash = run == "-" and found and found[-1] is not _DASH
        found.append(_DASH if dash else part)
    if found[-1] is _DASH:
        found[-1] = ()  # nothing follows it
    return found


def tokens_between(low: str, parts: Parts) -> list[str]:
    """The tokens of a message in lower case, given those of what stands between its spaces."""
    found = dashed(low, parts)
    return tokens(low) if found is None else [*chain.from_iterable(found)]


def open_quotes(low: str) -> bool:
    """Whether what comes after ``low`` stands between quotation marks."""
    return sum(map(low.count, _QUOTE_MARKS)) % 2 == 1


def plain(token: str) -> str:
    """``token`` in lower case, without marks; umlauts as two letters."""
    if token.isascii():
        return token.lower()
    low = _INVISIBLE.sub("", compatible(token)).translate(_QUOTES).lower()
    low = low.translate(_UMLAUTS)
    if any("a" <= letter <= "z" for letter in low):
        low = low.translate(_LOOKS)
    return _MARKS.sub("", unicodedata.normalize("NFD", low))


class Speller:
    """One language's spelling: the letters that a token stands for."""

    def __init__(self, spelling: Spelling, letters: dict[str, str]) -> None:
        fillers = {plain(word): "" for word in spelling.fillers}
        self.known = dict.fromkeys(map(plain, spelling.real), UNKNOWN) | letters | fillers
        for written, meant in [*spelling.variants.items(), *spelling.signs.items()]:
            self.known[plain(written)] = self._encoded(meant)
        self.typos = _typos([plain(key) for key in spelling.keys])
        self.heads = {key[: size // 2] for key in self.typos for size in (len(key), len(key) + 1)}
        self.tails = {key[size // 2 - size :] for key in self.typos for size in (len(key), len(key) + 1)}
        self.rewrites = {
            self._encoded(written): self._encoded(meant) for written, meant in spelling.rewrites.items()
        }
        longest_first = sorted(filter(None, self.rewrites), key=len, reverse=True)
        self.rewritten = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
        self.met = Remembered(self._letters)
        self.met_runs = Remembered(lambda run: self.run(tokens(run)))

    def _encoded(self, phrase: str) -> str:
        return "".join(self.known.get(plain(word), UNKNOWN) for word in phrase.split())

    def run(self, found: Sequence[str]) -> str:
        """The letters of what stands between two spaces, given as its tokens."""
        return "".join(map(self.met.__getitem__, found))

    def joined(self, letters: Iterable[str]) -> str:
        """The letters of a message of those of its runs."""
        return self.rewritten.sub(lambda match: self.rewrites[match.group()], "".join(letters))

    def spelled(self, text: str, found: Sequence[str]) -> Spelled:
        """``text`` in letters; ``found`` are its tokens."""
        pieces = [*map(self.met.__getitem__, found)]
        places = [*chain.from_iterable(map(repeat, count(), map(len, pieces)))]
        return Spelled(text, found, *self._rewritten("".join(pieces), places))

    def _rewritten(self, letters: str, places: list[int]) -> tuple[str, list[int]]:
        """Set phrases put into the plain form that the table names."""
        parts, at, kept = list[str](), 0, list[int]()
        for match in self.rewritten.finditer(letters):
            meant = self.rewrites[match.group()]
            parts += [letters[at : match.start()], meant]
            kept += places[at : match.start()]
            kept += [places[match.start()]] * (len(meant) - 1) + [places[match.end() - 1]] * bool(meant)
            at = match.end()
        if not parts:
            return letters, places
        return "".join([*parts, letters[at:]]), kept + places[at:]

    def _letters(self, token: str) -> str:
        known = self.known.get(token)
        if known is not None:
            return known
        if token.isalpha() and token.isascii() and token.islower():
            return self._drawn_or_wrong(token)
        if token[0] in ".!?;\n…":
            return STOP if "…" not in token and ".." not in token else ""
        if token[0] in _COMMAS or token[0] in _QUOTE_MARKS or token[0] == " " or token[0] >= _PICTURES:
            return ""
        low = plain(token)
        known = self.known.get(low)
        if known is not None:
            return known
        if low.isdigit():
            return self.known.get(NUMBER, UNKNOWN)
        if low.endswith("'s"):
            return self.known.get(low[:-2], UNKNOWN)
        return self._guessed(low)

    def _guessed(self, low: str) -> str:
        if " " in low or (len(low) > 4 and _SPACED.search(low)):
            return "".join(self._spelt(_SPACED.sub("", low)))
        if not low.isalpha() and _MIXED.search(low):
            for letters in (low.translate(_LEET), low.translate(_LEET_L)):
                if letters in self.known:
                    return self.known[letters]
            number = self.known.get(NUMBER, UNKNOWN)
            return number + self.known.get(low.lstrip("0123456789"), "") if low[0].isdigit() else UNKNOWN
        return self._drawn_or_wrong(low)

    def _drawn_or_wrong(self, low: str) -> str:
        """A word with letters drawn out or one wrong, as the word that is meant."""
        if _DRAWN.search(low):
            for short in (_DRAWN.sub(r"\1", low), _DRAWN.sub(r"\1\1", low), _TWICE.sub(r"\1", low)):
                if short in self.known:
                    return self.known[short]
        return self._corrected(low.replace("*", "")) if len(low) >= _SHORTEST_TYPO else UNKNOWN

    def _corrected(self, low: str) -> str:
        """The key word that ``low`` misses by one letter, if there is one."""
        half = len(low) // 2  # one wrong letter leaves one half as it was
        if low[:half] not in self.heads and low[half - len(low) :] not in self.tails:
            return UNKNOWN
        shorter = (low[:at] + low[at + 1 :] for at in range(1, len(low)))
        key = next((self.typos[each] for each in (low, *shorter) if each in self.typos), None)
        return UNKNOWN if key is None else self.known.get(key, UNKNOWN)

    def _spelt(self, run: str) -> Iterator[str]:
        """The words in ``run``, letters that were written one by one."""
        at = 0
        while at < len(run):
            longest = min(_LONGEST_SPELT, len(run) - at)
            size = next((n for n in range(longest, 1, -1) if run[at : at + n] in self.known), 1)
            yield self.known.get(run[at : at + size], UNKNOWN)
            at += size


def _typos(keys: Sequence[str]) -> dict[str, str]:
    """Each key with one letter left out, or as it is, to the key it stands for."""
    found: dict[str, str] = {}
    for key in keys:
        for at in range(1, len(key)):
            found.setdefault(key[:at] + key[at + 1 :], key)
    return found | {key: key for key in keys}
