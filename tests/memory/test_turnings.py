"""What ends somebody's work, and what stands beside it (guarantee 3)."""

import pytest

from memory.facts import facts_from


def work(*said: str) -> dict[str, str]:
    found = facts_from([(f"m{at}", "user", text) for at, text in enumerate(said)])
    return {fact.value: fact.status for fact in found if fact.kind == "work"}


@pytest.mark.parametrize(
    ("later", "new"),
    [
        ("I started a new job as a gardener.", "gardener"),
        ("I work as a gardener now.", "gardener"),
        ("I changed jobs, I'm a gardener now.", "gardener"),
        ("I quit my job as a nurse. I'm a gardener now.", "gardener"),
        ("Ich arbeite jetzt als Gärtner.", "Gärtner"),
        ("I got a new job at Google.", "Google"),
    ],
)
def test_a_change_of_work_ends_what_there_was(later: str, new: str) -> None:
    assert work("I work as a nurse.", later) == {"nurse": "superseded", new: "active"}


@pytest.mark.parametrize("later", ["I quit my job as a nurse.", "I retired.", "I was laid off."])
def test_work_that_is_over_is_over(later: str) -> None:
    assert work("I work as a nurse.", later) == {"nurse": "superseded"}


@pytest.mark.parametrize(
    "later",
    [
        "I got a second job as a waiter.",
        "I also work as a waiter on weekends.",
        "Should I quit my job?",
        "If I quit my job I could paint.",
        "I want to quit my job.",
        "My brother quit his job.",
    ],
)
def test_what_stands_beside_it_or_is_no_more_than_a_thought_ends_nothing(later: str) -> None:
    assert work("I work as a nurse.", later)["nurse"] == "active"


def test_another_employer_leaves_what_one_works_as() -> None:
    found = work("I work at Anthem Labs as a data engineer.", "I left Anthem Labs, I'm at Quill now.")
    assert (found["data engineer"], found["Quill"]) == ("active", "active")
