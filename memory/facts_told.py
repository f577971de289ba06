"""A fact as one line of data: what it is about, and the person's own words for it.

The line is made of the value alone, never of the sentence it was said in: that may hold what no longer holds.
"""


def told(subject: str, attribute: str, value: str, *, note: bool) -> str:
    """``residence: Berlin``, ``Jack: allergy: peanuts``; words kept as they were said stand for themselves."""
    if note:
        return value
    about = attribute.replace("_", " ")
    line = f"{about}: {value}" if about else value
    return line if subject == "user" else f"{subject}: {line}"
