"""What stands between two spaces, taken apart into the tokens that the statement reader works with."""

from typing import Final, NamedTuple

from memory.expressions import Expression
from memory.statements_reading import reading

_TOKEN = Expression(r"[^\W_]+(?:['\-.][^\W_]+)*(?:\+\+|#)?|[,;:()…–—!?.&%/]| - ")
DASH: Final = " - "


class Piece(NamedTuple):
    """Tokens in lower case with contractions written out, and those written like names, inside a sentence and at its
    beginning.
    """

    said: tuple[str, ...]
    names: tuple[str, ...]
    opening: tuple[str, ...]


def pieces(text: str) -> list[str]:
    """What stands between the spaces of a sentence, and the mark at its end and its commas apart from words; where a
    dash stands alone, its tokens, the dash among them.
    """
    if DASH in text:
        return _TOKEN.findall(text)
    found = text.replace(", ", " , ").split()
    if found and len(last := found[-1]) > 1 and last[-1] in ".?!":
        found[-1:] = last[:-1], last[-1]
    return found


def taken_apart(run: str) -> Piece:
    """A piece of a sentence, by its tokens."""
    contractions = reading().contractions
    if run.islower() and run.isalpha() and run not in contractions:
        return Piece((run,), (), ())
    said: list[str] = []
    names: list[str] = []
    opening: list[str] = []
    for at, token in enumerate([run] if run == DASH else _TOKEN.findall(run)):
        low = token.lower()
        if low != token and token[0].isupper() and not token.isupper():
            names.append(low)
            opening += [low] if at else []
        if low in contractions:
            said.extend(contractions[low].split())
        elif low.endswith("'s"):
            said += (low[:-2], "'s")
            if token[0].isupper():
                names.append(low[:-2])
                opening.append(low[:-2])
        else:
            said.append(low)
    return Piece(tuple(said), tuple(names), tuple(opening))
