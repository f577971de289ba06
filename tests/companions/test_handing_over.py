"""In the middle of a talk: the older part is summed up in time, and what was said is handed over once."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from companions.changes import ConversationClosed, JobSpec, JobsQueued
from companions.events import HandOver, Save, StartTimer, StopTimer
from companions.handing_over import summed_up, to_fold
from companions.state import Debounce, Folding, Settings
from companions.talk import Talk, without
from memory.messages import Message
from tests.companions.scenes import ScriptedRules, Table

WELLNESS = Folding(over=15, keep=10, every=6)
DESKTOP = Folding(over=20, keep=10, every=10)
DEBOUNCE = Debounce(quiet=60.0, messages=3, most=300.0)


def talk_of(length: int, *, covers: int = 0, asked: int = 0) -> Talk:
    messages = tuple(
        Message(id=f"m{n}", role="user" if n % 2 else "assistant", text=str(n), position=n, at=n)
        for n in range(1, length + 1)
    )
    return Talk(
        conversation="c",
        messages=messages,
        message_count=length,
        last_position=length,
        summary="so far" if covers else None,
        summary_covers=covers,
        summary_asked=asked,
    )


def table(
    *, debounce: Debounce | None = None, folding: Folding | None = None, regenerate: bool = False
) -> Table:
    settings = Settings(
        silence=1_800.0, jobs=("facts",), debounce=debounce, folding=folding, regenerate=regenerate
    )
    return Table(ScriptedRules(settings=settings))


def queued(at: Table) -> list[JobSpec]:
    changes = [effect.change for effect in at.effects if isinstance(effect, Save)]
    return [job for change in changes if isinstance(change, JobsQueued) for job in change.jobs]


def test_the_wellness_companion_folds_the_oldest_of_sixteen_and_keeps_ten() -> None:
    assert to_fold(WELLNESS, talk_of(15)) is None
    assert to_fold(WELLNESS, talk_of(16)) == 6
    assert to_fold(WELLNESS, talk_of(16, asked=6)) is None, "asked for once"
    assert to_fold(WELLNESS, talk_of(21, covers=6)) is None
    assert to_fold(WELLNESS, talk_of(22, covers=6)) == 12


def test_the_desktop_sums_up_beyond_twenty_and_again_after_ten_new() -> None:
    assert to_fold(DESKTOP, talk_of(20)) is None
    assert to_fold(DESKTOP, talk_of(21)) == 11
    assert to_fold(DESKTOP, talk_of(30, covers=11)) is None
    assert to_fold(DESKTOP, talk_of(31, covers=11)) == 21


@given(st.sampled_from([WELLNESS, DESKTOP]), st.integers(1, 60), st.integers(0, 60))
def test_whatever_is_folded_the_last_ones_stay_and_it_goes_forward(
    folding: Folding, length: int, covers: int
) -> None:
    covers = min(covers, length)
    last = to_fold(folding, talk_of(length, covers=covers))
    if last is not None:
        assert last > covers
        assert length - last == folding.keep


def test_a_summary_is_asked_for_when_the_answer_has_landed_and_its_maker_is_told() -> None:
    at = table(folding=Folding(over=3, keep=2, every=2))
    at.talk("one")
    assert queued(at) == []
    at.talk("two")
    assert [(job.kind, job.first, job.last) for job in queued(at)] == [("partial", 1, 2)]
    assert [effect for effect in at.effects if isinstance(effect, HandOver)]
    at.talk("three")
    assert [(job.kind, job.last) for job in queued(at)] == [("partial", 2), ("partial", 4)]
    assert len({job.id for job in queued(at)}) == 2


def test_a_summary_of_words_that_were_removed_meanwhile_is_not_taken() -> None:
    talk = talk_of(16)
    taken = summed_up(talk, revision=0, text="In short.", covers=6)
    assert (taken.summary, taken.summary_covers) == ("In short.", 6)
    assert summed_up(replace(talk, revision=1), revision=0, text="In short.", covers=6).summary is None
    assert summed_up(taken, revision=0, text="Older.", covers=4).summary == "In short."
    assert summed_up(taken, revision=0, text="", covers=8).summary == "In short."


def test_a_removal_in_what_a_summary_covers_makes_it_invalid_and_it_is_made_again() -> None:
    talk = summed_up(talk_of(16), revision=0, text="In short.", covers=6)
    assert without(talk, ["m9"]).summary == "In short."
    left = without(talk, ["m5"])
    assert (left.summary, left.summary_covers, left.summary_asked) == (None, 0, 0)
    grown = replace(left, messages=(*left.messages, *talk_of(18).messages[16:]), last_position=18)
    assert to_fold(WELLNESS, grown) == 8


def test_regenerating_an_answer_that_a_summary_covers_drops_the_summary() -> None:
    at = table(folding=Folding(over=3, keep=1, every=2), regenerate=True)
    at.talk("one")
    at.talk("two")
    assert at.state.talk is not None
    at.state = replace(at.state, talk=summed_up(at.state.talk, revision=0, text="Short.", covers=3))
    first = at.state.talk.messages[0].id  # type: ignore[union-attr]  # there is a talk
    at.regenerate(first)
    at.piece("Another answer.")
    at.finish()
    at.land()
    assert at.state.talk is not None
    assert at.state.talk.summary is None
    assert at.state.talk.revision == 1


# ---------------------------------------------------------------- what was said


def test_after_a_quiet_moment_what_was_said_is_handed_over_once() -> None:
    at = table(debounce=DEBOUNCE)
    at.talk("I live in Lisbon.")
    starts = [effect for effect in at.effects if isinstance(effect, StartTimer)]
    assert [each.seconds for each in starts if each.timer == "quiet"] == [60.0]
    assert [each.seconds for each in starts if each.timer == "enough"] == [300.0]
    at.ring("quiet")
    at.land()
    at.ring("enough")
    at.land()
    assert [(job.kind, job.last, job.rest) for job in queued(at)] == [("facts", 2, True)]


def test_many_messages_are_handed_over_without_a_quiet_moment() -> None:
    at = table(debounce=DEBOUNCE)
    for number in range(7):
        at.talk(f"part {number}")
    assert [job.last for job in queued(at)] == [5, 11]
    assert at.state.unhanded == 1


def test_the_end_hands_over_the_rest_whether_or_not_the_timer_was_first() -> None:
    for ring_first in (True, False):
        at = table(debounce=DEBOUNCE)
        at.talk("one")
        if ring_first:
            at.ring("quiet")
        at.close()
        at.land()
        at.ring("quiet")
        closes = [
            effect.change
            for effect in at.effects
            if isinstance(effect, Save) and isinstance(effect.change, ConversationClosed)
        ]
        (close,) = closes
        assert [(job.kind, job.rest) for job in close.jobs] == [("facts", True)]
        assert len(queued(at)) == ring_first
        assert any(isinstance(effect, StopTimer) and effect.timer == "quiet" for effect in at.effects)
        assert at.state.unhanded == 0
