"""How many tokens a text costs, estimated so that it is not too low.

Tokenizers differ; what is planned with must hold for all of them. Words of Latin letters cost one token for
every three letters begun (English is near four to five letters a token in practice, so this is a margin of a
third), and one more for each pair of neighbours that words seldom have: names, codes and random letters fall into
more pieces than words do, capitals too. Digits and marks cost one each, and so does white space but for the one
space before a word. Whatever lies beyond ASCII costs its bytes, which no tokenizer over bytes exceeds. Where a
backend reports its own count, the count of the whole prompt is compared with this one in the metrics.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from itertools import count as count_from
from operator import add
from typing import Final, NamedTuple, TypeAlias

from memory.text import Remembered

LETTERS_A_TOKEN = 3
TURN = 8  # tokens around a turn: role, separators

# By first letter, what often follows it in English, German and Spanish (98.5, 96 and 96 of a hundred pairs in
# the texts of this project).
_OFTEN = {
    "a": "bcdfghijklmnprstuvyz", "b": "aeijlorstuy", "c": "aehiklortuy", "d": "adeilorsuy",
    "e": "abcdefghijklmnoprstuvwxy", "f": "aefiortu", "g": "aehilorstuy", "h": "aeilmnorstuw",
    "i": "abcdefghklmnoprstvxz", "j": "aeou", "k": "aeilnorstu", "l": "adefiklmopstuy", "m": "abeimoptuy",
    "n": "acdefgikmnostuvyz", "o": "abcdefghiklmnoprstuvwy", "p": "aefhiloprstu", "q": "u",
    "r": "abcdefghiklmnorstuwyz", "s": "acehiklnopstuw", "t": "acehilmorstuwyz", "u": "abcdefghilmnprst",
    "v": "aeio", "w": "aehinor", "x": "ept", "y": "aeilopst", "z": "aeiotuw",
}  # fmt: skip
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SELDOM = frozenset(
    (first, second) for first in _LETTERS for second in _LETTERS if second not in _OFTEN[first.lower()]
)
_WORD = re.compile(r"[A-Za-z]+")
_INDENTED = re.compile(r"\n (?=[A-Za-z])")
_SPACE_THAT_COSTS = re.compile(r"(?<=\s) (?=[A-Za-z])")
LONGEST_LAID_OUT = 4_096  # characters; of longer texts only what can fit is looked at
MOST_KEPT = 400_000  # bytes, about, of lines whose cost is known
BYTES_OF_AN_ENTRY = 150  # about, beside its letters
MOST_CHARS_A_TOKEN = 4  # at most: a word of three letters and the space before it cost one token
_AFTER_SPACE = 1 << 40  # marks what makes a space cost though a word follows it: white space before that


def _begins_with_letter(stretch: str) -> bool:
    return stretch[:1].isascii() and stretch[:1].isalpha()


def _cost(stretch: str) -> int:
    """What a stretch between two spaces costs with the space before it."""
    words = _WORD.findall(stretch)
    signs = len(stretch.encode("utf-8", "surrogatepass")) - sum(map(len, words))
    ends_in_space = not stretch or stretch[-1].isspace()
    before = (not _begins_with_letter(stretch)) + ends_in_space * _AFTER_SPACE
    return signs + sum(map(_word_cost, words)) + before


def _word_cost(word: str) -> int:
    """A word never costs more than its letters."""
    seldom = sum(pair in _SELDOM for pair in pairwise(word))
    return min(len(word), -(-len(word) // LETTERS_A_TOKEN) + seldom)


_costs: Final = Remembered(_cost)


def count(text: str) -> int:
    """Tokens of ``text``, not less than the tokenizers of the named models make of it."""
    if "\n" not in text:
        return _LINES[text]
    lines = text.split("\n")
    indented = len(_INDENTED.findall(text)) if "\n " in text else 0
    return sum(map(_LINES.__getitem__, lines)) + len(lines) - 1 + indented


def _counted(text: str) -> int:
    stretches = text.split(" ")
    cost = sum(map(_costs.__getitem__, stretches)) - (not _begins_with_letter(text))
    if cost < _AFTER_SPACE:
        return cost
    return cost % _AFTER_SPACE + len(_SPACE_THAT_COSTS.findall(text))


class _Lines(dict[str, int]):
    """Tokens of lines, kept for the next time: most lines of a prompt were in the one before it.

    There are two halves: when the newer holds ``MOST_KEPT`` bytes the older is given up.
    """

    def __init__(self) -> None:
        super().__init__()
        self._size = 0
        self._older: dict[str, int] = {}

    def __missing__(self, line: str) -> int:
        found = self._older.get(line)
        return self.keep(line, _counted(line) if found is None else found)

    def keep(self, line: str, cost: int) -> int:
        """Know what ``line`` costs."""
        size = len(line) + BYTES_OF_AN_ENTRY
        self._size += size
        if self._size > MOST_KEPT:
            self._older = dict(self)
            self._size = size
            self.clear()
        self[line] = cost
        return cost


_LINES: Final = _Lines()


def head(text: str, tokens: int) -> str:
    """The beginning of ``text``, cut at a word, that costs at most ``tokens``."""
    if count(text) <= tokens:
        return text
    if (laid := _laid(text)) is not None and (whole := _whole_head(laid, tokens)) is not None:
        return text[: whole[0]].rstrip()
    most = _most_of_head(text[: tokens * MOST_CHARS_A_TOKEN + 1], tokens)
    border = text.rfind(" ", 0, most + 1)
    return text[: border if border > most // 2 else most].rstrip()


def tail(text: str, tokens: int) -> str:
    """The end of ``text``, cut at a word, that costs at most ``tokens``."""
    if count(text) <= tokens:
        return text
    if (laid := _laid(text)) is not None and (whole := _whole_tail(laid, text, tokens)) is not None:
        return text[whole[0] :].lstrip()
    most = _most_of_tail(text[-tokens * MOST_CHARS_A_TOKEN - 1 :], tokens)
    start = len(text) - most
    border = text.find(" ", max(0, start - 1))
    return text[border if 0 <= border < start + most // 2 else start :].lstrip()


class _Laid(NamedTuple):
    """A text laid out: where its stretches begin, and what those before each cost; ``last`` is the first with a mark,
    else their number.
    """

    starts: "array[int]"
    costs: "array[int]"
    last: int


def _laid(text: str) -> _Laid | None:
    return _laid_out(text) if len(text) <= LONGEST_LAID_OUT else None


@lru_cache(maxsize=512)
def _laid_out(text: str) -> _Laid:
    """Old messages are cut again with every turn, to another size each time; about 6 kB each at 2,000 characters."""
    stretches = text.split(" ")
    costs = [*map(_costs.__getitem__, stretches)]
    costs[0] -= not _begins_with_letter(text)
    ends = accumulate(map(len, stretches))
    marked = (
        next(at for at, cost in enumerate(costs) if cost >= _AFTER_SPACE)
        if max(costs) >= _AFTER_SPACE
        else None
    )
    return _Laid(
        starts=array("q", chain((0,), map(add, ends, count_from(1)))),  # with the spaces between
        costs=array("q", accumulate(costs, initial=0)),
        last=len(costs) if marked is None else marked,
    )


_Cut: TypeAlias = tuple[int, int]
"""Where a text is cut between two stretches, and what those that are kept of it cost."""


def _whole_head(laid: _Laid, tokens: int) -> _Cut | None:
    """Where the last stretch ends that ``tokens`` are enough for; None where a cut inside the next one may be due."""
    starts, costs, last = laid
    whole = bisect_right(costs, tokens) - 1
    if whole >= last:
        return None
    start = starts[whole]
    return (start - 1, costs[whole]) if start + start > starts[whole + 1] + 2 else None


def _whole_tail(laid: _Laid, text: str, tokens: int) -> _Cut | None:
    """Where the first stretch begins from which on ``tokens`` are enough; None where a cut inside the one before
    may be due. The cost is that behind a space.
    """
    starts, costs, last = laid
    if last < len(costs) - 1:
        return None
    whole = costs[-1]
    first = bisect_left(costs, whole - tokens)
    if first < 1 or first >= len(costs) - 1:
        return None
    before, start = starts[first - 1], starts[first]
    if len(text) - start <= start - before + 2:
        return None
    over = whole - costs[first - 1] - tokens  # of the one before, behind a space
    if over <= 0 or (over == 1 and first > 1 and text[before] not in _LETTERS):
        first, start = first - 1, before
    return start, whole - costs[first]


def _most_of_head(text: str, tokens: int) -> int:
    """The size of the longest beginning that costs at most ``tokens``; a longer one never costs less."""
    first, *others = text.split(" ")
    costs = [_costs[first] - (not _begins_with_letter(first)), *map(_costs.__getitem__, others)]
    whole, left = _whole(costs, tokens)
    if whole < 0:
        return _longest(len(text), tokens, lambda size: _counted(text[:size]))
    rest = f" {others[whole - 1]}" if whole else first
    at = sum(map(len, others[: whole - 1])) + len(first) + whole - 1 if whole else 0
    return at + _longest(len(rest), left, lambda size: _counted(rest[:size]))


def _most_of_tail(text: str, tokens: int) -> int:
    """The size of the longest end that costs at most ``tokens``; a longer one never costs less."""
    stretches = text.split(" ")[::-1]
    whole, left = _whole([_costs[each] for each in stretches], tokens)
    if whole < 0:
        return _longest(len(text), tokens, lambda size: _counted(text[len(text) - size :]))
    rest = f" {stretches[whole]}"
    at = sum(map(len, stretches[:whole])) + whole
    return at + _longest(len(rest), left, lambda size: _counted(rest[len(rest) - size :]))


def _whole(costs: Iterable[int], tokens: int) -> tuple[int, int]:
    """How many of ``costs``, taken in turn, ``tokens`` are enough for, and what is left then.

    The number is -1 where one of those looked at has a mark.
    """
    number = 0
    for cost in costs:
        if cost >= _AFTER_SPACE:
            return -1, tokens
        if cost > tokens:
            break
        number, tokens = number + 1, tokens - cost
    return number, tokens


def _longest(most: int, tokens: int, cost: Callable[[int], int]) -> int:
    """The largest size, up to ``most``, that costs at most ``tokens``."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(middle) <= tokens else (low, middle - 1)
    return low


@lru_cache(maxsize=512)
def shortened(text: str, tokens: int) -> str:
    """Head and tail of ``text``, with a mark between, for at most ``tokens`` (two thirds of it the head)."""
    if count(text) <= tokens:
        return text
    room = max(2, tokens - _ROOM_OF_GAP)
    first = max(1, room * 2 // 3)
    return (
        _cut_between_words(text, first, room - first) or f"{head(text, first)}{GAP}{tail(text, room - first)}"
    )


def _cut_between_words(text: str, first: int, last: int) -> str:
    """Head and tail of ``text`` of so many tokens, whose cost is known then; empty where one is to be cut elsewhere."""
    if (laid := _laid(text)) is None:
        return ""
    before, after = _whole_head(laid, first), _whole_tail(laid, text, last)
    if before is None or after is None:
        return ""
    start, end = text[: before[0]], text[after[0] :]
    if start[-1:].isspace() or end[:1].isspace():
        return ""
    cut = f"{start}{GAP}{end}"
    if "\n" not in cut:
        _LINES.keep(cut, before[1] + _MARK + after[1])
    return cut


GAP = " […] "
_MARK: Final = _costs[GAP.strip()]  # behind a space
_ROOM_OF_GAP: Final = count(GAP)
