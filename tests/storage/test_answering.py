"""Questions over messages that are in no store: what `fireside search` does."""

from storage.fulltext import TABLE, Query, Utterance, answered
from storage.migrating import steps

TALK = [
    Utterance(id="a", speaker="Mel", text="I ran a race for charity last Saturday!", session=1),
    Utterance(id="b", speaker="Cara", text="Wow, who won the race?", session=1),
    Utterance(id="c", speaker="Mel", text="A boy with purple shoes.", session=1),
    Utterance(id="d", speaker="Cara", text="I play the clarinet.", session=2),
]


def asked(query: str, limit: int = 10) -> list[str]:
    return answered(TALK, [Query(id="q", query=query, limit=limit)])["q"]


def test_each_query_has_its_answer_the_best_first() -> None:
    queries = [Query(id="1", query="When did Mel run a charity race?"), Query(id="2", query="zebra")]
    results = answered(TALK, queries)
    assert results["1"][0] == "a"
    assert results["2"] == []


def test_a_kind_finds_its_members() -> None:
    assert asked("Which instrument does Cara play?")[0] == "d"


def test_a_limit_is_kept() -> None:
    assert len(asked("race", limit=1)) == 1
    assert asked("race", limit=0) == []


def test_context_stays_in_its_session() -> None:
    assert "d" not in asked("purple shoes")


def test_nothing_in_nothing_out() -> None:
    assert answered([], [Query(id="q", query="anything")]) == {"q": []}
    assert answered(TALK, []) == {}


def test_a_search_outside_the_store_ranks_as_one_inside() -> None:
    assert any(TABLE.strip() in step for step in steps())
