"""A fact as the wire tells it: what it rests on, and when it is offered for removal."""

from msgspec import UNSET
from msgspec.structs import replace

from server.casting import companions
from server.memory_told import DAY_MS, told_fact
from server.reading_back import fact_line
from storage.facts import Fact

NOW = 1_800_000_000_000
FACT = Fact(
    id="fct_1",
    subject="user",
    attribute="residence",
    value="Lisbon",
    kind="place",
    tense="present",
    category="personal",
    language="",
    origin="extracted",
    status="active",
    confidence=0.6,
    mentions=2,
    pinned=False,
    enabled=True,
    valid_from=NOW,
    valid_to=None,
    recorded_at=NOW,
    first_at=NOW,
    last_at=NOW,
    used_at=None,
    uses=0,
    superseded_by=None,
    ended_message=None,
    ended=None,
    replaces=None,
    against=(),
    grounds="msg_1",
    stored=1,
    said=1,
    sources=("msg_1", "msg_2"),
)


def test_what_went_unused_for_ninety_days_is_stale() -> None:
    desktop = companions("")["extremis"]
    assert not told_fact(FACT, desktop, NOW + 90 * DAY_MS).stale
    assert told_fact(FACT, desktop, NOW + 90 * DAY_MS + 1).stale
    used = replace(FACT, used_at=NOW + DAY_MS)
    assert not told_fact(used, desktop, NOW + 90 * DAY_MS + 1).stale
    assert not told_fact(FACT, companions("")["serenity"], NOW + 1_000 * DAY_MS).stale


def test_a_fact_is_told_with_its_sources_and_its_time() -> None:
    told = told_fact(FACT, companions("")["extremis"], NOW)
    assert (told.text, told.sources, told.mentions) == ("Lisbon", ("msg_1", "msg_2"), 2)
    assert told.valid_to is UNSET


def test_what_was_neither_said_nor_used_for_the_policys_time_has_faded_and_without_one_nothing_has() -> None:
    assert companions("")["extremis"].policy.facts is not None
    assert not any(each.policy.facts.fade_after_days for each in companions("").values() if each.policy.facts)
    assert not fact_line(FACT).faded
    assert fact_line(FACT, NOW + 1).faded
    assert not fact_line(FACT, NOW).faded
    assert not fact_line(replace(FACT, used_at=NOW + DAY_MS), NOW + DAY_MS).faded


def test_a_fact_has_its_origin_and_its_day_in_the_prompt() -> None:
    line = fact_line(replace(FACT, origin="edited"))
    assert (line.origin, line.on[:4], line.text) == ("edited", "2027", "residence: Lisbon")
