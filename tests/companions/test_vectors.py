"""Vectors of messages join the reading where there are any, and change nothing where there are none."""

from collections.abc import Sequence

from msgspec.structs import replace

from companions.changes import CommandId
from companions.events import RegenerateAsked
from companions.state import Settings, State
from companions.talk import MOST_VECTORS, Talk, similarities, vector_of, without
from memory.messages import Message
from memory.reading import Before, Reading, read
from tests.companions.scenes import ScriptedRules, Table
from tests.companions.sitting import Sitting

ONE = "Everything is confusing and frightening"
OTHER = "My thoughts are all over the shop"
EAST, NORTH = (1.0, 0.0), (0.0, 1.0)


def tell(sitting: Sitting, text: str, vector: tuple[float, ...] | None) -> str:
    """The person says ``text``, which is answered; the message's id."""
    sitting.vector = vector
    sitting.exchange(text)
    return talk_of(sitting).asked[-1].id


def talk_of(sitting: Sitting) -> Talk:
    assert sitting.state.talk is not None
    return sitting.state.talk


def test_what_means_the_same_in_other_words_is_a_repeat_by_its_vector() -> None:
    sitting = Sitting("clara")
    first = tell(sitting, ONE, EAST)
    again = tell(sitting, OTHER, EAST)
    assert talk_of(sitting).repeats == ((again, first, 1),)


def test_unlike_vectors_and_missing_ones_make_no_repeat() -> None:
    for vector in (NORTH, None, (1.0, 0.0, 0.0)):
        sitting = Sitting("clara")
        tell(sitting, ONE, EAST)
        tell(sitting, OTHER, vector)
        assert talk_of(sitting).repeats == ()


def test_without_vectors_the_prompts_are_those_of_no_embedder() -> None:
    plain, other = Sitting("clara"), Sitting("clara")
    for text in (ONE, "Where is my daughter?", "Where is my daughter?"):
        plain.exchange(text)
        other.exchange(text)
    assert talk_of(plain).vectors == ()
    assert plain.prompts == other.prompts
    assert similarities(talk_of(plain), EAST) is None
    assert read(OTHER, Before(asked=talk_of(plain).asked)) == read(
        OTHER, Before(asked=talk_of(plain).asked, similarities=similarities(talk_of(plain), EAST))
    )


def test_an_unlike_vector_leaves_reading_and_prompt_as_they_are() -> None:
    plain, with_vectors = Sitting("clara"), Sitting("clara")
    for at, text in enumerate((ONE, "Where is my daughter?", "My soup was good.", "Where is my daughter?")):
        tell(plain, text, None)
        tell(with_vectors, text, tuple(float(place == at) for place in range(4)))
    assert plain.prompts == with_vectors.prompts


class Noting(ScriptedRules):
    """Rules that keep the vectors they are given to read with."""

    def __init__(self) -> None:
        super().__init__(settings=Settings(silence=1_800.0, regenerate=True))
        self.vectors: list[Sequence[float] | None] = []

    def read(self, state: State, text: str, vector: Sequence[float] | None = None) -> Reading:
        self.vectors.append(vector)
        return super().read(state, text)


def test_another_answer_reads_the_message_by_its_vector_again() -> None:
    rules = Noting()
    table = Table(rules)
    table.vector = EAST
    table.say(ONE)
    table.land()
    table.piece("I see.")
    table.finish()
    table.land()
    assert table.state.talk is not None
    asked = RegenerateAsked(
        command=CommandId(space="ses_1", id="r1", digest="r1"),
        message=table.state.talk.asked[0].id,
        style="again",
        ids=table.mint(),
        at=table.now,
    )
    table.play(asked)
    assert [list(vector or ()) for vector in rules.vectors] == [[1.0, 0.0], [1.0, 0.0]]


def test_only_the_last_vectors_are_held_and_none_of_what_was_removed() -> None:
    sitting = Sitting("clara")
    ids = [tell(sitting, f"Word number {n}", EAST) for n in range(MOST_VECTORS + 2)]
    assert [held for held, _ in talk_of(sitting).vectors] == ids[2:]
    left = without(talk_of(sitting), [ids[-1]])
    assert [held for held, _ in left.vectors] == ids[2:-1]
    assert vector_of(left, ids[-1]) is None


def test_what_is_stored_of_a_message_has_no_vector() -> None:
    sitting = Sitting("clara")
    tell(sitting, ONE, EAST)
    fields = Message.__struct_fields__
    assert "vector" not in fields
    assert replace(talk_of(sitting), vectors=()) == replace(talk_without_vectors(), vectors=())


def talk_without_vectors() -> Talk:
    """The talk after the same message without a vector."""
    sitting = Sitting("clara")
    tell(sitting, ONE, None)
    return talk_of(sitting)
