"""Facts hold what the person said, of whom they said it, and until when."""

from hypothesis import given
from hypothesis import strategies as st

from memory.facts import Add, HeldFact, Ignore, Mention, Retract, Wait, category, facts_from, supersede
from memory.statements import Statement


def told(*said: str) -> list[tuple[str, str, str]]:
    """Messages from lines; those that begin with a dash are the companion's."""
    return [
        (f"m{number}", "assistant" if text.startswith("-") else "user", text.removeprefix("- "))
        for number, text in enumerate(said, 1)
    ]


def kept(*said: str) -> list[tuple[str, str, str, str]]:
    return [(one.subject, one.attribute, one.value, one.status) for one in facts_from(told(*said))]


def test_moving_ends_living_elsewhere() -> None:
    assert kept("I live in Lisbon.", "I moved to Berlin.") == [
        ("user", "residence", "Lisbon", "superseded"),
        ("user", "residence", "Berlin", "active"),
    ]


def test_what_was_never_said_is_retracted() -> None:
    assert kept("I'm vegan.", "I never said I was vegan.") == [("user", "diet", "vegan", "retracted")]


def test_denying_the_companions_claim_retracts_what_it_claimed() -> None:
    said = ("I live in Lisbon.", "I love jazz.", "- As you said, you live in Lisbon.", "I never said that.")
    assert kept(*said) == [("user", "residence", "Lisbon", "retracted"), ("user", "likes", "jazz", "active")]


def test_a_second_hobby_does_not_end_the_first() -> None:
    assert [fact[3] for fact in kept("I love jazz.", "I love hiking.")] == ["active", "active"]


def test_a_friends_fact_is_the_friends() -> None:
    assert kept("My friend Jack is allergic to peanuts.") == [("Jack", "allergy", "peanuts", "active")]


def test_the_companions_claim_makes_no_fact() -> None:
    assert kept("Hello.", "- You love jazz and you live in Rome.", "Nice weather.") == []


def test_a_repeated_fact_gains_evidence() -> None:
    (fact,) = facts_from(told("I'm allergic to eggs.", "Remember, I'm allergic to eggs!"))
    assert fact.evidence == ("m1", "m2")


def test_german_stays_german() -> None:
    assert kept("Ich esse kein Fleisch.") == [("user", "avoids", "Fleisch", "active")]


def test_a_policy_that_keeps_no_facts_gets_none() -> None:
    assert facts_from(told("I'm allergic to eggs."), None) == ()


def test_each_scheme_files_in_its_own_categories() -> None:
    assert category("work", "desktop") == "work"
    assert category("life_event", "wellness") == "event"
    assert category("allergy", "plain") == "allergy"


LISBON = Statement("place", "Lisbon", attribute="residence")
BERLIN = Statement("place", "Berlin", attribute="residence")


def test_what_the_person_edited_is_not_overwritten_by_what_was_read() -> None:  # D19
    held = [HeldFact("f1", LISBON, edited=True)]
    assert supersede(held, BERLIN) == Wait(("f1",))
    assert supersede(held, BERLIN, by_person=True) == Add(("f1",))


def test_the_decision_names_what_it_does() -> None:
    held = [HeldFact("f1", LISBON)]
    assert supersede(held, BERLIN) == Add(("f1",))
    assert supersede(held, LISBON) == Mention("f1")
    assert supersede(held, Statement("place", "Lisbon", negated=True, attribute="residence")) == Retract(
        ("f1",), False
    )
    assert supersede([], Statement("diet", "vegan", negated=True)) == Ignore()


@given(st.lists(st.sampled_from(["Lisbon", "Berlin", "Rome", "Cork"]), max_size=8))
def test_one_residence_at_most_is_active_in_any_order(cities: list[str]) -> None:
    facts = facts_from(told(*(f"I live in {city}." for city in cities)))
    active = [fact.value for fact in facts if fact.status == "active"]
    assert active == cities[-1:]
