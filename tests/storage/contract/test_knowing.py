"""What is known of a person beside their talks is kept for the one companion that was told it."""

from functools import partial

import pytest

from companions.changes import (
    AlertRaised,
    CommandDone,
    CommandId,
    FeedbackGiven,
    Landed,
    MoodCheckedIn,
    ProfileSet,
    Refused,
    Repeated,
    SettingSet,
    UserStatusSet,
)
from storage.apply import apply_groups
from storage.commands import RESULT_LIFE_MS, prune_results, retained
from storage.connection import Store
from storage.conversations import conversation
from storage.order import WEEK_MS, date_confirmed, epoch, may_purge, store_bytes
from storage.people import Feedback, alerts, check_ins, feedback, last_check_in, profile, settings, user
from tests.storage.contract.landing import land
from tests.storage.making import ANNA, BERT, answered, raw, said


async def test_a_profile_is_replaced_whole_and_belongs_to_one_companion(store: Store) -> None:
    for content in ('{"name":"Anna"}', '{"name":"Ann","age":80}'):
        await land(store, ProfileSet(user=ANNA, companion="clara", at=1, profile=raw(content)))
    assert await store.read(partial(profile, user=ANNA, companion="clara")) == raw('{"name":"Ann","age":80}')
    assert await store.read(partial(profile, user=ANNA, companion="coach")) is None
    assert await store.read(partial(profile, user=BERT, companion="clara")) is None


async def test_check_ins_come_back_in_order_with_what_was_left_out(store: Store) -> None:
    first = MoodCheckedIn(user=ANNA, companion="clara", at=9, check_in="a", conversation=None, mood=3)
    second = MoodCheckedIn(
        user=ANNA,
        companion="clara",
        at=1,
        check_in="b",
        conversation=None,
        sleep=7,
        stressors=("work",),
        wins=("tea",),
    )
    assert await land(store, first, second, second) == [Landed()] * 3
    found = await store.read(partial(check_ins, user=ANNA, companion="clara", limit=5))
    assert [(one.mood, one.sleep, one.anxiety) for one in found] == [(3, None, None), (None, 7, None)]
    last = await store.read(partial(last_check_in, user=ANNA, companion="clara"))
    assert last is not None
    assert (last.id, last.stressors, last.wins) == ("b", ("work",), ("tea",))
    assert await store.read(partial(last_check_in, user=ANNA, companion="coach")) is None


@pytest.mark.parametrize("mood", [0, 11])
async def test_a_mood_off_the_scale_is_refused(store: Store, mood: int) -> None:
    odd = MoodCheckedIn(user=ANNA, companion="clara", at=1, check_in="a", conversation=None, mood=mood)
    assert await land(store, odd) == [Refused("state.conflict")]


async def test_settings_are_set_changed_and_removed(store: Store) -> None:
    def setting(key: str, value: str | None) -> SettingSet:
        return SettingSet(user=ANNA, companion="clara", at=1, key=key, value=value)

    await land(store, setting("pace", "slow"), setting("voice", "low"), setting("pace", "slower"))
    await land(store, setting("voice", None), setting("never", None))
    assert await store.read(partial(settings, user=ANNA, companion="clara")) == {"pace": "slower"}
    assert await store.read(partial(settings, user=BERT, companion="clara")) == {}


async def test_a_person_is_known_from_the_first_word_and_has_a_status(store: Store) -> None:
    assert await store.read(partial(user, user=ANNA, companion="clara")) is None
    await land(store, said("c", 1, at=5), said("c", 2, at=9))
    await land(store, UserStatusSet(user=ANNA, companion="clara", at=11, status="archived"))
    found = await store.read(partial(user, user=ANNA, companion="clara"))
    assert found is not None
    assert (found.status, found.created_at, found.last_active_at) == ("archived", 5, 11)


async def test_an_alert_names_its_recipients_and_marks_its_conversation(store: Store) -> None:
    raised = AlertRaised(
        user=ANNA,
        companion="clara",
        at=3,
        alert="alr",
        conversation="c",
        message="msg_c_1",
        category="abuse",
        level=3,
        recipients=("safeguarding",),
    )
    await land(store, said("c", 1), raised, raised)
    (found,) = await store.read(partial(alerts, user=ANNA, companion="clara", limit=10))
    assert (found.category, found.level, found.recipients) == ("abuse", 3, ("safeguarding",))
    marked = await store.read(partial(conversation, user=ANNA, id="c"))
    assert marked is not None
    assert marked.escalated


async def test_feedback_adds_up_and_belongs_to_an_answer_of_the_same_person(store: Store) -> None:
    await land(store, said("c", 1), answered("c", 2))
    liked = FeedbackGiven(user=ANNA, companion="clara", at=1, response="rsp_c_2", value=1)
    copied = FeedbackGiven(user=ANNA, companion="clara", at=2, response="rsp_c_2", action="copied")
    foreign = FeedbackGiven(user=BERT, companion="clara", at=3, response="rsp_c_2", value=-1)
    assert await land(store, liked, copied, foreign) == [Landed(), Landed(), Refused("conversation.unknown")]
    found = await store.read(partial(feedback, user=ANNA, response="rsp_c_2"))
    assert found == Feedback(value=1, action="copied")


async def test_results_are_forgotten_after_a_day_and_messages_never(store: Store) -> None:
    key = CommandId(space="s", id="k", digest="d")
    first = said("c", 1, at=0)
    done = CommandDone(user=ANNA, companion="clara", at=0, command=key, result=raw("{}"))
    await land(store, first, done)
    assert await store.transact(lambda db: prune_results(db, RESULT_LIFE_MS)) == 0
    assert await store.read(lambda db: retained(db, key)) == Repeated(result=raw("{}"))
    assert await store.transact(lambda db: prune_results(db, RESULT_LIFE_MS + 1)) == 1
    assert await store.read(lambda db: retained(db, key)) is None
    assert await store.read(lambda db: retained(db, first.command)) == Repeated("msg_c_1", "c")


async def test_a_command_that_has_landed_changes_nothing_when_it_lands_again(store: Store) -> None:
    key = CommandId(space="s", id="k", digest="d")

    def checked(check_in: str) -> tuple[MoodCheckedIn, CommandDone]:
        said = MoodCheckedIn(user=ANNA, companion="clara", at=9, check_in=check_in, conversation=None, mood=3)
        done = CommandDone(
            user=ANNA, companion="clara", at=9, command=key, result=raw(f'{{"is":"{check_in}"}}')
        )
        return said, done

    outcomes = await store.transact(lambda db: apply_groups(db, [checked("first"), checked("second")]))
    assert outcomes == [Landed(), Repeated(result=raw('{"is":"first"}'))]
    kept = await store.read(partial(check_ins, user=ANNA, companion="clara", limit=10))
    assert [each.id for each in kept] == ["first"]


async def test_a_clock_that_cannot_be_trusted_removes_nothing(store: Store) -> None:
    key = CommandId(space="s", id="k", digest="d")
    now = 100 * WEEK_MS
    await land(store, CommandDone(user=ANNA, companion="clara", at=now, command=key, result=raw("{}")))
    ten_years = 520 * WEEK_MS
    for wrong in (0, now - 1, now + ten_years):
        assert await store.transact(lambda db, wrong=wrong: prune_results(db, wrong)) == 0  # type: ignore[misc] # bound here
        assert not await store.read(lambda db, wrong=wrong: may_purge(db, wrong))  # type: ignore[misc] # as above
    assert await store.transact(lambda db: prune_results(db, now + WEEK_MS)) == 1
    await store.transact(lambda db: date_confirmed(db, now + ten_years))
    assert await store.read(lambda db: may_purge(db, now + ten_years))


async def test_a_store_has_an_epoch_and_a_size(store: Store) -> None:
    assert len(await store.read(epoch)) == 16
    assert await store.read(store_bytes) > 0
