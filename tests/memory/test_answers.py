import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.answer_reader import FILE, FOREMOST, chances, likely, weights
from memory.answer_rules import ALL, Heard
from memory.answers import Turn, judge, repaired
from memory.data import raw


def after(said: str) -> list[Turn]:
    return [Turn("user", said)]


@pytest.mark.parametrize(
    ("said", "answer", "rule"),
    [
        ("Where am I?", "As I said, you are at Rosewood House.", "reminder"),
        ("What time is lunch?", "You asked me that before.", "reminder"),
        ("What day is it?", "That's the third time you've asked.", "reminder"),
        ("Did I ask you that already?", "You did, but that is fine.", "reminder"),
        ("I love my garden", "Do you remember what you planted?", "quiz"),
        ("My daughter came", "What's your daughter's name again?", "quiz"),
        ("Hello", "Let's see if you still know what year it is.", "quiz"),
        ("They always ask me things", "Who painted that, do you remember?", "quiz"),
        ("I want my shoes", "You just heard me say they're by the bed.", "reminder"),
        ("My husband is coming", "Actually, your husband died five years ago.", "correction"),
        ("It's 1965", "No, that's not right.", "correction"),
        ("I feel low", "You were calmer yesterday.", "comparison"),
        ("I walked", "That's better than last time.", "comparison"),
        ("Where am I?", "You're confused, dear.", "deficit"),
        ("I forgot", "Don't worry about forgetting.", "deficit"),
        ("Hello", "Last week you told me about your brother.", "session"),
        ("Wo bin ich?", "Wie ich schon gesagt habe, sind Sie zu Hause.", "reminder"),
        ("Hola", "¿Se acuerda de qué día es hoy?", "quiz"),
        ("Where am I?", "The person's emotions are very simple.", "role"),
        ("I like roses", "As an AI language model, I do not smell roses.", "role"),
        ("Hello", "I am instructed to be gentle with you.", "role"),
    ],
)
def test_each_family_is_stopped_and_named(said: str, answer: str, rule: str) -> None:
    verdict = judge(answer, after(said))
    assert (verdict.allowed, verdict.rule) == (False, rule)
    assert answer[verdict.start : verdict.end] == verdict.words != ""


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("I love my garden", "Would you like to tell me about your garden again some time?"),
        ("I can't do this fast", "Take your time, there is no hurry."),
        ("Is it morning?", "The sun comes up again over the hills."),
        ("I bake bread", "I remember the smell of bread from an old kitchen."),
        ("I love flowers", "Tell me about your garden."),
        ("Sing it again", "Of course, here it is again: daisy, daisy."),
        ("I'm thirsty", "Please remember to drink some water."),
        ("It's wet", "Yesterday's rain made the garden so green."),
        ("Where am I?", "You are at Rosewood House, and you are safe."),
        ("My husband died", "I'm so sorry that your husband died."),
        ("Are you a real person?", "I am an AI companion, and I am glad to sit with you."),
        ("I wrote to the bank", "A kind person there will read it."),
        ("Go on, test me on my tables", "Here goes: what is seven times eight?"),
        ("What time's dinner, love?", "Six o'clock, and it's shepherd's pie."),
        ("Me gusta el mar", "El mar es precioso. ¿Le gustaría hablar del mar?"),
        ("I sew", "This chair was designed to hold you softly."),
        (
            "Trout, mostly.",
            "You mentioned the brook, and I can see it so clearly.",
        ),  # a pattern fits by chance
    ],
)
def test_innocent_look_alikes_pass_unchanged(said: str, answer: str) -> None:
    assert judge(answer, after(said)).allowed
    assert repaired(answer, after(said)) == answer


def test_a_quiz_in_the_midst_of_a_warm_answer_is_found_and_dropped() -> None:
    answer = "What a fine garden. And the roses - what colour were they, can you think of it? The bees are humming."
    assert judge(answer, after("I love my garden")).rule == "quiz"
    assert repaired(answer, after("I love my garden")) == "What a fine garden. The bees are humming."


def test_only_the_offending_clause_is_dropped_where_the_rest_stands() -> None:
    assert (
        repaired("As I said, lunch is at noon today.", after("When is lunch?")) == "Lunch is at noon today."
    )


def test_nothing_remains_of_an_answer_that_is_nothing_else() -> None:
    assert repaired("You asked me that before.", after("When is lunch?")) == ""


def test_only_the_rules_of_the_policy_are_judged() -> None:
    assert judge("You're confused.", after("Where am I?"), frozenset({"quiz"})).allowed


def test_a_piece_is_judged_with_the_open_sentence_that_is_already_shown() -> None:
    assert judge("said you love the sea.", after("Hello")).allowed
    verdict = judge("said you love the sea.", after("Hello"), shown="Good morning. Last week you ")
    assert (verdict.allowed, verdict.rule, verdict.start) == (False, "session", 0)


def test_what_is_already_shown_is_not_judged_anew() -> None:
    assert judge("The sun is out.", after("Hello"), shown="You're confused. ").allowed


def test_a_hint_in_words_that_no_pattern_has_is_stopped_where_it_stands() -> None:
    answer = "The roof shines. That wish has visited you several times today. Tea is ready."
    assert judge(answer, after("I want to go home")).rule == "reminder"
    assert repaired(answer, after("I want to go home")) == "The roof shines. Tea is ready."


def test_what_the_person_said_decides_what_a_sentence_means() -> None:
    said = "The mill has long been flats, so nobody is waiting."
    assert judge(said, after("I must get to the mill")).rule == "correction"


def test_a_language_the_trained_reader_does_not_know_is_left_to_the_patterns() -> None:
    assert likely("hai già chiesto questa cosa molte volte", Heard("dove sono?", asked=True), ALL) is None


def test_a_likely_reminder_or_quiz_is_stopped_sooner_than_the_rest() -> None:
    heard = Heard("is my sister coming?", asked=True)
    sentences = (
        "we talked about your sister at lunch.",
        "we have been over the plan for today.",
        "which song was it you both danced to?",
        "who is that in the picture beside you?",
    )
    sure = [
        sentence
        for sentence in sentences
        if weights().foremost < sum(chances(sentence, heard)[name] for name in FOREMOST)
        and 1 - chances(sentence, heard)["innocent"] <= weights().threshold
    ]
    assert sure
    assert all(likely(sentence, heard, ALL) in FOREMOST for sentence in sure)


def test_what_is_neither_is_stopped_sooner_than_what_may_be_anything() -> None:
    heard = Heard("i can't do this button up.", asked=False)
    sentences = (
        "in the spring those fingers flew through a whole row of buttons.",
        "the gentleman in the blue chair fastens his without a fuss.",
        "small buttons are past your fingers these days.",
        "there was a day when you sewed them on by the dozen.",
    )
    found = [chances(sentence, heard) for sentence in sentences]
    others = [1 - each["innocent"] - sum(each[name] for name in FOREMOST) for each in found]
    sure = [
        sentence
        for sentence, each, rest in zip(sentences, found, others, strict=True)
        if rest > weights().others and 1 - each["innocent"] <= weights().threshold
    ]
    assert sure
    assert all(likely(sentence, heard, ALL) not in (None, *FOREMOST) for sentence in sure)


def test_who_offers_to_tell_is_asked_for_it_and_not_for_what_they_remember() -> None:
    offered = after("Let me tell you about the flood of the mill.")
    assert judge("Oh, please do. What happened?", offered).allowed
    assert judge("Do you remember what year it was?", offered).rule == "quiz"
    assert judge("What happened?", after("There was a flood at the mill.")).rule == "quiz"


def test_the_trained_reader_is_small() -> None:
    assert len(raw(FILE)) < 300_000


answers = st.lists(
    st.sampled_from(
        ["As I said, ", "the sun is out. ", "You asked me that before. ", "Do you remember? ", "Tea? "]
    )
)


@given(answers.map("".join))
def test_what_remains_after_repair_is_allowed(answer: str) -> None:
    assert judge(repaired(answer, []), []).allowed


@given(st.text(max_size=300))
def test_any_text_is_judged_within_its_bounds(text: str) -> None:
    verdict = judge(text, [])
    assert 0 <= verdict.start <= verdict.end <= len(text)
