"""Which story is told (D17), and that it is written down with what was felt."""

from companions.changes import AnswerGiven
from companions.events import Save
from companions.narratives import Narrative
from companions.stories import choose
from companions.turn import PolicyRules
from memory.vectors import packed
from tests.companions.library import shipped
from tests.companions.sitting import Sitting

STORIES = shipped("clara")[0].narratives
POOL = tuple(each for each in STORIES if each.category == "calming_story")


def told_in_turn(times: int, calmed: tuple[str, ...] = ()) -> list[str]:
    """The stories of one conversation, one after the other."""
    told: list[str] = []
    for _ in range(times):
        story = choose(STORIES, pools=("calming_story",), feeling="anxious", told=told, calmed=calmed)
        assert story is not None
        told.append(story.id)
    return told


def test_none_is_told_twice_while_one_is_left_and_then_the_oldest_comes_back() -> None:
    told = told_in_turn(len(POOL) + 3)
    assert len(set(told[: len(POOL)])) == len(POOL)
    assert told[len(POOL) :] == told[:3]


def test_one_that_calmed_comes_back_first() -> None:
    first, second, *_ = told_in_turn(4)
    assert told_in_turn(1, calmed=(first, second)) == [second]


def test_a_feeling_and_a_length_that_fit_go_before_others_and_the_freshest_before_those() -> None:
    def best(feeling: str, told_before: tuple[str, ...] = ()) -> Narrative:
        story = choose(
            STORIES, pools=("calming_story",), feeling=feeling, prefer="short", told_before=told_before
        )
        assert story is not None
        return story

    first = best("anxious")
    assert "anxious" in first.emotions
    assert first.length == "short"
    assert best("anxious", (first.id,)).id != first.id
    every = tuple(each.id for each in POOL)
    assert best("anxious", (*every, first.id)).id != first.id


def test_where_no_pool_fits_no_story_is_told() -> None:
    assert choose((), pools=("calming_story",), feeling="sad") is None


def test_a_story_is_written_down_with_the_feeling_at_that_time() -> None:
    sitting = Sitting("clara")
    sitting.exchange("I am so scared and all alone. Please tell me a story.", "Soft rain taps on the window.")
    given = [each.change for each in sitting.effects if isinstance(each, Save)]
    used = [change.narrative for change in given if isinstance(change, AnswerGiven)][-1]
    read = [change.emotion for change in given if isinstance(change, AnswerGiven)][-1]
    assert used is not None
    assert read is not None
    assert used.emotion == read.emotion
    assert (read.confidence > 0, 0 <= read.distress <= 1, read.trajectory) == (True, True, "stable")
    assert used.mode == "seed"


def test_one_that_calmed_the_person_before_goes_first_unless_it_was_told_lately() -> None:
    def first(told_before: tuple[str, ...], calmed_before: tuple[str, ...]) -> str:
        story = choose(
            POOL,
            pools=("calming_story",),
            feeling="anxious",
            told_before=told_before,
            calmed_before=calmed_before,
        )
        assert story is not None
        return story.id

    fitting = [each.id for each in POOL if "anxious" in each.emotions]
    usual = first((), ())
    other = next(each for each in fitting if each != usual)
    assert first((), (other,)) == other
    every = [each.id for each in POOL]
    rested = (other, *(each for each in every if each != other))
    assert first(rested, (other,)) == other, "it was told longest ago"
    lately = (*(each for each in every if each != other), other)
    assert first(lately, (other,)) == first(lately, ()) != other, "a story is not told every day"


def by_meaning(feeling: str, likeness: dict[str, float], told: tuple[str, ...] = ()) -> str:
    story = choose(POOL, pools=("calming_story",), feeling=feeling, told=told, likeness=likeness)
    assert story is not None
    return story.id


def test_who_misses_a_garden_hears_of_one_whatever_feeling_was_read() -> None:
    garden = next(each for each in POOL if each.id == "calm-garden-dew")
    assert "anxious" not in garden.emotions
    far = {each.id: 0.1 for each in POOL}
    assert by_meaning("anxious", {}) != garden.id
    assert by_meaning("anxious", far) == by_meaning("anxious", {}), "all alike: as without vectors"
    assert by_meaning("anxious", far | {garden.id: 0.5}) == garden.id
    assert by_meaning("anxious", far | {garden.id: 0.2}) != garden.id, (
        "half of the score is what is known of a story"
    )
    assert by_meaning("anxious", far | {garden.id: 0.5}, (garden.id,)) != garden.id, "none twice"


EAST, NORTH = (1.0, 0.0), (0.0, 1.0)
Vector = tuple[float, float]


def told_after(first: Vector, second: Vector, meant: dict[str, bytes]) -> str:
    """The story that is told for the second message of a session."""
    sitting = Sitting("clara")
    sitting.policy_rules = PolicyRules(sitting.companion, meant=meant)
    for text, vector in (("I like trees.", first), ("I am scared. Please tell me a story.", second)):
        sitting.vector = vector
        sitting.exchange(text)
    given = [each.change for each in sitting.effects if isinstance(each, Save)]
    used = [change.narrative for change in given if isinstance(change, AnswerGiven)][-1]
    assert used is not None
    return used.narrative


def test_a_story_is_chosen_by_the_vector_of_what_was_just_said_alone() -> None:
    plain = told_after(NORTH, NORTH, {})
    category = next(each.category for each in STORIES if each.id == plain)
    near = [each for each in STORIES if each.category == category and each.id != plain][-1]
    meant = {each.text: packed(EAST if each is near else NORTH) for each in STORIES}
    assert told_after(NORTH, EAST, meant) == near.id
    assert told_after(EAST, NORTH, meant) == told_after(NORTH, NORTH, meant) == plain
