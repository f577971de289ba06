"""Asked for what the person told, a companion without a language model tells it back in plain words."""

from companions.remembered import FactLine, Remembered
from memory.statements_kinds import Statement
from tests.companions.sitting import Sitting


def line(name: str, statement: Statement | None, text: str = "") -> FactLine:
    return FactLine(id=name, category="identity", text=text, statement=statement)


LISBON = line("f1", Statement(kind="place", value="Lisbon", attribute="residence"))
PEANUTS = line("f2", Statement(kind="allergy", value="peanuts", attribute="allergy"))
MARIA = line("f3", Statement(kind="allergy", value="walnuts", attribute="allergy", subject="Maria"))
NOTE = line("f4", None, "My key is under the mat")
KNOWN = Remembered(facts=(LISBON, PEANUTS, MARIA, NOTE))


def own(sitting: Sitting, text: str) -> str:
    prompt = sitting.exchange(text, "Yes.")
    assert prompt is not None
    return prompt.own_words


def test_a_fact_is_told_in_plain_words_and_that_of_another_is_not_taken_for_ones_own() -> None:
    assert (
        own(Sitting("serenity", remembered=KNOWN), "Where do I live?")
        == "You told me that you live in Lisbon."
    )
    assert own(Sitting("serenity", remembered=KNOWN), "What am I allergic to?") == (
        "You told me that you are allergic to peanuts."
    )


def test_everything_is_told_when_it_is_asked_for() -> None:
    told = own(Sitting("serenity", remembered=KNOWN), "What do you know about me?")
    assert told.startswith("This is what I remember of you: you live in Lisbon, you are allergic to peanuts")
    assert "Maria: allergy walnuts" in told
    assert 'you said "My key is under the mat"' in told


def test_what_was_said_a_moment_ago_holds_and_what_it_ended_does_not() -> None:
    sitting = Sitting("serenity", remembered=KNOWN)
    sitting.exchange("I moved to Berlin last week.", "Good.")
    assert own(sitting, "Where do I live?") == "You told me that you live in Berlin."


def test_who_quits_has_the_old_work_no_longer() -> None:
    nurse = line("f5", Statement(kind="work", value="nurse at the hospital", attribute="job"))
    sitting = Sitting("serenity", remembered=Remembered(facts=(nurse, LISBON)))
    sitting.exchange("I quit my job as a nurse. I work as a gardener now.", "Good.")
    assert own(sitting, "What is my work?") == "You told me that your work is gardener."
    assert "nurse" not in own(sitting, "What do you know about me?")


def test_what_was_never_told_is_said_to_be_unknown() -> None:
    assert "not told me" in own(Sitting("serenity", remembered=KNOWN), "What is my dog's name?")
    assert "not told me" in own(Sitting("serenity"), "What do you know about me?")


def test_a_talk_is_summed_up_by_its_own_words_without_what_no_summary_may_hold() -> None:
    sitting = Sitting("serenity")
    sitting.exchange("I argued with my manager about the night shifts.", "I see.")
    sitting.exchange("My husband hits me when he drinks.", "I hear you.")
    told = own(sitting, "Can you sum up our talk?")
    assert "night shifts" in told
    assert "sum up" not in own(sitting, "Can you sum up our talk?")
    assert "husband" not in told


def test_a_companion_that_may_know_nothing_tells_nothing_back() -> None:
    for text in ("Where do I live?", "What do you know about me?", "Can you sum up our talk?"):
        told = own(Sitting("clara", remembered=KNOWN), text)
        assert told == own(Sitting("clara"), text)
        for word in ("Lisbon", "peanuts", "told me", "remember"):
            assert word not in told


def test_a_tutor_tells_its_key_facts() -> None:
    known = Remembered(key_facts=("decision: practise scales every morning",))
    told = own(Sitting("maestro", remembered=known), "What do you know about me?")
    assert "practise scales every morning" in told


def test_nothing_of_the_student_is_told_to_the_parents() -> None:
    known = Remembered(facts=KNOWN.facts, key_facts=("decision: practise scales every morning",))
    told = own(Sitting("maestro", remembered=known, session_type="parent"), "What do you know about me?")
    assert "Lisbon" not in told
    assert "scales" not in told
