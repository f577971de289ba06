import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.phrasing import beginning, normalised
from memory.questions import read_question
from memory.repetition import Repeat, asked, find_repeat


def repeat(text: str, *earlier: str, similarities: list[float | None] | None = None) -> Repeat:
    before = [asked(str(number), said) for number, said in enumerate(earlier)]
    return find_repeat(read_question(text), text, before, similarities)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Where am I?", "What is this place?"),
        ("Where am I?", "where am i"),
        ("What day is it?", "Which day of the week are we on?"),
        ("Is Tom coming today?", "When will Tom be here?"),
        ("I want to go home", "Take me home please"),
        ("Where are my glasses?", "Has anyone seen my spectacles?"),
        ("Did I take my tablets?", "Have I had my medicine?"),
        ("Where's my mother?", "I miss my mum"),
        ("Wo bin ich?", "Was ist das hier für ein Haus?"),
        ("¿Dónde estoy?", "¿Qué sitio es este?"),
    ],
)
def test_the_same_question_in_other_words_repeats(one: str, other: str) -> None:
    assert repeat(other, one) == Repeat(("0",))
    assert repeat(one, other) == Repeat(("0",))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("When is lunch?", "When is my daughter coming?"),
        ("Where's my wife?", "Where's my purse?"),
        ("What time is it?", "What year is it?"),
        ("When is my son coming?", "When is my daughter coming?"),
        ("What's for dinner?", "What did we have for dinner?"),
        ("Where do I live?", "Where did I live when I was a girl?"),
        ("Can you turn the television off?", "Can you turn the television on?"),
        ("The soup was salty.", "The garden was lovely."),
        ("What day is it?", "Which day does the hairdresser come?"),
        ("Where is my sister?", "Where is your sister?"),
    ],
)
def test_a_different_object_or_tense_does_not_repeat(one: str, other: str) -> None:
    assert repeat(other, one) == Repeat()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Where am I?", "Here is which place?"),
        ("Where am I?", "Which place they bring me?"),
        ("Where is my brother?", "My brother, where he stay?"),
        ("Where is Milena?", "Milena, where is she?"),
        ("When is my husband coming?", "My husband he is coming when?"),
        ("Where are my gloves?", "My gloves, where they are?"),
        ("What time is it?", "Tell me the hour"),
        ("What year is it?", "The year, what is it?"),
        ("What should I do now?", "Now I must do what?"),
        ("Who are you?", "You are who?"),
        ("Why am I here?", "For what I am here?"),
        ("I want a cup of tea", "Bring me one tea please"),
        ("Where is my husband?", "Mine husband, where is?"),
        ("I need the toilet", "Toilet please, quick"),
        ("Give us a smoke", "Can you spare me a cigarette?"),
    ],
)
def test_a_question_in_a_learners_words_repeats(one: str, other: str) -> None:
    assert repeat(other, one).count == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Where is my son?", "Whaur's ma son?"),
        ("Where is my son?", "Weh mi son deh?"),
        ("I can't find my purse", "Ah cannae find ma purse"),
        ("I can't find my purse", "Mi nuh si mi purse"),
        ("Who are you?", "A who yuh?"),
        ("Who am I?", "Wha am I?"),
        ("I want to go home", "Ah want tae go hame"),
        ("What should I do?", "Wetin I go do now?"),
    ],
)
def test_a_question_spelt_as_it_is_spoken_repeats(one: str, other: str) -> None:
    assert repeat(other, one).count == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Where is my son?", "Where is my daughter?"),
        ("My mother call or not?", "My father call or not?"),
        ("When is lunch?", "When is breakfast?"),
        ("What's for dinner?", "What's for breakfast?"),
        ("Is the gate shut?", "Is the window shut?"),
        ("Is my left foot cold?", "Is my hand cold?"),
        ("Who is that man?", "Who is that woman?"),
    ],
)
def test_another_thing_person_or_meal_does_not_repeat(one: str, other: str) -> None:
    assert repeat(other, one) == Repeat()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I want tea", "Do you want tea?"),
        ("I'm cold", "Are you cold, love?"),
        ("I want to go home", "You are going home now?"),
        ("I want to go home", "She wants to go home"),
        ("I am hungry", "The dog is hungry"),
        ("Did I take my tablets?", "Did you take your tablets?"),
        ("Who are you?", "And me, who am I?"),
        ("Who are you?", "Who are they?"),
        ("Where is my wife?", "Where is his wife?"),
    ],
)
def test_what_is_of_somebody_else_does_not_repeat_ones_own(one: str, other: str) -> None:
    assert repeat(other, one) == Repeat()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Where is my purse?", "That is a pretty purse you have"),
        ("Where is my purse?", "Where did you buy your purse?"),
        ("I can't find my purse", "My husband gave me this purse"),
        ("I can't find my teeth", "My teeth hurt"),
        ("I want a cup of tea", "I don't want tea"),
        ("I want my lunch", "I've had my lunch"),
        ("I'm cold", "The soup is cold"),
        ("Did my son call?", "What is my son called?"),
        ("Is the door locked?", "At home we never locked the door"),
        ("Where am I?", "Where was I born?"),
    ],
)
def test_a_remark_on_a_thing_or_a_tale_of_long_ago_does_not_repeat(one: str, other: str) -> None:
    assert repeat(other, one) == Repeat()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I want to go home", "They'll put me in a home"),
        ("Has the cat been fed?", "Did the cat go out?"),
        ("I can't find my watch", "My watch needs a new strap"),
        ("What time is it?", "What time did we marry?"),
    ],
)
def test_the_words_of_a_matter_in_another_one_do_not_repeat(one: str, other: str) -> None:
    assert repeat(other, one) == Repeat()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Are you the doctor?", "You a doctor?"),
        ("What day is it?", "Which day are we on?"),
        ("When is Alan coming?", "How long till Alan gets here?"),
    ],
)
def test_a_question_in_few_words_or_another_order_repeats(one: str, other: str) -> None:
    assert repeat(other, one).count == 1


@pytest.mark.parametrize("text", ["Yes.", "Thank you", "Good morning!", "Oh dear", ""])
def test_manners_never_repeat(text: str) -> None:
    assert repeat(text, text) == Repeat()


def test_the_first_of_several_is_named_and_all_are_counted() -> None:
    said = ["Where am I?", "I like this song.", "What is this place?", "I'm lost, I think."]
    found = repeat("Where are we?", *said)
    assert (found.of, found.count, found.all) == ("0", 3, ("0", "2", "3"))


def test_a_relation_and_a_name_said_together_mean_the_same_person() -> None:
    assert repeat("Is Ruth here yet?", "I'm waiting for my sister Ruth.").count == 1
    assert repeat("When is my sister coming?", "I'm waiting for my sister Ruth.", "Is Ruth here?").count == 2


def test_a_name_that_was_met_before_is_known_where_it_begins_a_sentence() -> None:
    assert repeat("Zbyszek comes today?", "Where is Zbyszek?").count == 1
    assert repeat("Zbyszek comes today?", "Where is Halina?") == Repeat()


def test_vectors_find_what_words_do_not_but_never_across_objects() -> None:
    one, other = "Everything is confusing and frightening", "My thoughts are all over the shop"
    assert repeat(one, other).of is None
    assert repeat(one, other, similarities=[0.9]).of == "0"
    assert repeat(one, other, similarities=[None]).of is None
    assert repeat("The cat is on my bed", "The dog is on my chair", similarities=[0.95]).of is None


SAID = ("um", "where", "where's", "where's,", "-", "is", "é", "my", "mother's", "'s", "a", "b", "a-b's", "’s")


@given(st.lists(st.sampled_from(SAID), max_size=90).map(" ".join), st.text(max_size=9))
def test_what_follows_changes_no_beginning(text: str, after: str) -> None:
    begun = beginning(text)
    assert normalised(text).startswith(begun)
    assert normalised(f"{text} {after}").startswith(begun)


@pytest.mark.parametrize("asked", ["What do you think?", "You know?", "Isn't that nice?"])
def test_two_long_tales_that_end_in_the_same_words_are_two(asked: str) -> None:
    market = "I went to the market with Rosa and we bought three kilos of plums because Peter is coming on Sunday. "
    lake = "My father had a small boat and every morning before sunrise he went out on the lake to fish for perch. "
    assert repeat(market * 3 + asked, lake * 3 + asked) == Repeat()


def test_a_question_asked_again_in_another_long_tale_repeats() -> None:
    market = "I went to the market with Rosa and we bought three kilos of plums because Peter is coming on Sunday. "
    lake = "My father had a small boat and every morning before sunrise he went out on the lake to fish for perch. "
    asked = "Where is my daughter?"
    assert repeat(market * 3 + asked, lake * 3 + asked).count == 1


def test_a_long_text_said_again_repeats() -> None:
    long = " ".join(f"The boat {number} lies in the harbour of Porto." for number in range(20))
    assert repeat(long, long).count == 1
    assert repeat(f"Um, {long}", long).count == 1
