"""Regular expressions that are compiled when they are first looked for."""

import re

from memory.expressions import Expression


def test_an_expression_is_compiled_when_it_is_first_looked_for() -> None:
    broken = Expression("(")  # a compiled one would fail here
    assert broken.source == "("
    assert Expression("a+").search("baa") is not None


def test_an_expression_finds_what_a_compiled_one_finds() -> None:
    source, text = r"[a-z]{2,}", "one, Two; three."
    here, plain = Expression(source, re.IGNORECASE), re.compile(source, re.IGNORECASE)
    assert here.findall(text) == plain.findall(text)
    assert here.split(text) == plain.split(text)
    assert here.sub("_", text) == plain.sub("_", text)
    assert [each.span() for each in here.finditer(text)] == [each.span() for each in plain.finditer(text)]
    for look in ("search", "match", "fullmatch"):
        assert bool(getattr(here, look)("one")) == bool(getattr(plain, look)("one"))
