import re

from hypothesis import given
from hypothesis import strategies as st

from memory.crisis_match import Laid, Place, spans

LETTERS = "abcd"


@st.composite
def places(draw: st.DrawFn) -> tuple[list[Place], str]:
    """A row of places, and the regular expression that says the same."""
    row: list[Place] = [Place("once", "a")]
    pattern = ["a"]
    words = st.lists(st.text(LETTERS, min_size=1, max_size=2), min_size=1, max_size=3, unique=True)
    for _ in range(draw(st.integers(0, 4))):
        chosen = sorted(draw(words), key=len, reverse=True)
        choice = "|".join(chosen)
        match draw(st.sampled_from(["once", "perhaps", "or_end", "not", "gap", "ends"])):
            case "once":
                row.append(Place("once", chosen))
                pattern.append(f"(?:{choice})")
            case "perhaps":
                row.append(Place("perhaps", chosen))
                pattern.append(f"(?:{choice})?")
            case "or_end":
                row.append(Place("or_end", chosen))
                pattern.append(rf"(?:{choice}|\Z)")
            case "not":
                row.append(Place("not", chosen))
                pattern.append(f"(?!{choice})")
            case "ends":
                row.append(Place("ends"))
                pattern.append(r"\Z")
            case _:
                row.append(Place("gap", "d", 2))
                pattern.append("[^d]{0,2}?")
    return row, "".join(pattern)


@given(places(), st.text(LETTERS, max_size=24))
def test_places_stand_where_a_regular_expression_finds_them(
    drawn: tuple[list[Place], str], letters: str
) -> None:
    row, pattern = drawn
    expected = [found.span() for found in re.finditer(pattern, letters)]
    assert list(spans(row, letters, 0, len(letters))) == expected
    assert Laid(letters, 0, len(letters)).holds(row) == bool(expected)
