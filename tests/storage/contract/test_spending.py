"""What people's answers cost is found again after a start."""

from functools import partial

from storage.connection import Store
from storage.spent import Spent, spent_between
from tests.storage.contract.landing import land
from tests.storage.making import ANNA, BERT, answered, said


async def test_what_answers_cost_is_summed_by_person_and_only_of_the_time_that_is_asked_for(
    store: Store,
) -> None:
    await land(
        store,
        said("a", 1, "Good morning."),
        answered("a", 2, prompt_tokens=100, completion_tokens=20),
        said("a", 3, "And then?"),
        answered("a", 4, prompt_tokens=200),
        said("b", 1, "Hello.", user=BERT),
        answered("b", 2, user=BERT, prompt_tokens=7, completion_tokens=1),
    )

    async def spent(after: int, until: int) -> list[Spent]:
        return sorted(await store.read(partial(spent_between, after=after, until=until)))

    assert await spent(0, 4_000) == sorted([Spent(ANNA, 2_000, 320), Spent(BERT, 2_000, 8)])
    assert await spent(2_000, 4_000) == [Spent(ANNA, 4_000, 200)]
    assert await spent(0, 3_999) == sorted([Spent(ANNA, 2_000, 120), Spent(BERT, 2_000, 8)])
    assert await spent(10_000, 20_000) == []  # a clock that jumped ahead
    assert await spent(-5_000, 0) == []  # and one that fell behind
