"""What is needed and holds of the person still comes first, and an order takes nothing critical away."""

from hypothesis import given
from hypothesis import strategies as st

from memory.recall import Reach, Remembered, stated_by
from memory.recall_heard import OTHERS
from memory.recall_order import signs, value
from memory.recall_told import NEVER, Told, surely
from memory.recall_topics import default_reader
from tests.memory.test_recall import dialogue

chances = st.floats(0.0, 1.0)
worths = st.floats(0.0, 1.5)


def worth(
    other: float = 0.0,
    *,
    overtaken: float = 0.0,
    needed: float = 0.9,
    critical: bool = False,
    asked_about: bool = False,
) -> float:
    told = Told({OTHERS: other}, "")
    return value(signs(told, surely(overtaken), needed, float(critical), asked_about))


@given(needed=worths, overtaken=chances)
def test_what_is_somebody_elses_comes_after_what_is_the_persons_own_unless_they_are_asked_about(
    needed: float, overtaken: float
) -> None:
    own = worth(needed=needed, overtaken=overtaken)
    assert worth(0.9, needed=needed, overtaken=overtaken) < own
    assert worth(0.9, needed=needed, overtaken=overtaken, asked_about=True) == own


@given(other=chances, needed=worths)
def test_what_is_likely_outdated_comes_after_what_is_not(other: float, needed: float) -> None:
    assert worth(other, needed=needed, overtaken=0.8) < worth(other, needed=needed, overtaken=0.2)


@given(other=chances, overtaken=chances)
def test_of_equals_what_is_critical_comes_first_and_what_is_needed_more(
    other: float, overtaken: float
) -> None:
    plain = worth(other, overtaken=overtaken)
    assert worth(other, overtaken=overtaken, critical=True) > plain
    assert worth(other, overtaken=overtaken, needed=1.0) > plain


def test_another_persons_allergy_comes_after_an_own_diet() -> None:
    assert worth(0.9, needed=1.0, critical=True) < worth(needed=0.8)


def test_nothing_is_surer_than_never() -> None:
    assert surely(0.0) == NEVER


SAID = (
    "I'm allergic to walnuts.",
    "My flatmate is allergic to milk, the poor thing.",
    "They tested me again and I can eat walnuts now.",
    "I take warfarin.",
    "I eat no meat.",
    "I eat fish and meat again since May.",
    "I have coeliac disease.",
    "Eggs bring me out in hives, an allergy.",
)


@given(st.permutations(SAID), st.integers(1, 6))
def test_everything_critical_comes_whatever_comes_before_it(said: list[str], most: int) -> None:
    index = Remembered(stated_by(dialogue(*said)))
    needed, reach = default_reader().asked("what could I have for dinner tonight?"), Reach(99, frozenset())
    every = [one.message_id for one, _ in index.bring_back(needed, most=most, reach=reach)]
    own = {f"m{at}" for at, text in enumerate(said, 1) if text in {SAID[3], SAID[6], SAID[7]}}
    assert own <= {*every}
    assert len(every) == len({*every})
