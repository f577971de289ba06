import gc

from memory.reading import Before, read


def test_he_is_whom_the_person_mentioned_last() -> None:
    first = read("My brother moved in with us.", Before())
    then = read("He is allergic to nuts.", Before(other=first.other))
    assert [(one.subject, one.value) for one in then.statements] == [("brother", "nuts")]
    assert then.other == "brother"


def test_what_the_words_only_suggest_is_kept_apart_from_what_is_stated() -> None:
    reading = read("Milk and I have had a few problems over the years.", Before(), keeps="all")
    assert not {one.kind for one in reading.suggested} & {one.kind for one in reading.statements}
    assert "allergy" in {one.kind for one in (*reading.statements, *reading.suggested)}


def test_of_what_a_message_states_only_that_is_read_of_which_something_is_kept() -> None:
    text = "My brother lives in Cork. Milk and I have had a few problems over the years."
    said = {
        keeps: [bool(part) for part in (reading.statements, reading.suggested, reading.other)]
        for keeps in ("nothing", "stated", "all")
        if (reading := read(text, Before(), keeps=keeps))
    }
    assert said == {
        "nothing": [False, False, False],
        "stated": [True, False, True],
        "all": [True, True, True],
    }


def test_what_a_message_needs_of_earlier_ones_is_read_only_where_they_may_come_back() -> None:
    text = "What could I cook for dinner?"
    assert read(text, Before()).needed is None
    needed = read(text, Before(), recalls=True).needed
    assert needed is not None
    assert needed.topics


def test_reading_leaves_nothing_behind_that_only_a_collector_finds() -> None:
    text = "My sister, who is 40, is allergic to nuts, and I live in Cork. Where is she? I feel a bit lost."
    assert read(text, Before()).statements
    gc.collect()
    read(text, Before())
    assert gc.collect() == 0
