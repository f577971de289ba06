"""Who comes back is welcomed once the store knows whose ids the new session goes on with."""

import gc

import anyio
import pytest

from actors.mail import Mail, Replaced
from actors.ports import Cast
from actors.runtime import Address, Inbox
from actors.sessions import Left, Principal, Sessions, Wanted
from companions.changes import Deferred, Landed, SessionContinued
from memory.recall import Remembered
from tests import clock
from tests.actors.stage import Stage
from tests.companions.library import shipped
from tests.companions.scenes import WHO

BACK = Wanted(companion="serenity", resume_session="ses_before", resume_seq=3, resume_epoch="epo_1")


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


class Before:
    """A store that knows one session of before."""

    async def session_left(self, user: str, companion: str, session: str) -> Left | None:
        return Left(space="ses_first", conversation=None)

    def epoch(self) -> str:
        return "epo_1"


class House:
    def __init__(self, tasks: anyio.abc.TaskGroup) -> None:
        self.stage = Stage()
        cast = Cast(companion=shipped("serenity")[0], rules=self.stage.rules)
        self.sessions = Sessions(tasks, {"serenity": cast}, Before())
        self.writes = Inbox(self.stage.writer)
        self.joined: list[Address[Mail]] = []

    async def greet(self) -> None:
        who = Principal(user=WHO.user, role="person")
        address, _, _ = await self.sessions.join(self.stage.services(), who, BACK, "ses_new")
        self.joined.append(address)


async def test_a_session_that_goes_on_with_the_ids_of_another_is_known_to_the_store_before_its_welcome() -> (
    None
):
    """Were it not, a crash would make it unknown: what its client resends would be taken for new, and said twice."""
    async with anyio.create_task_group() as tasks:
        house = House(tasks)
        async with anyio.create_task_group() as greeting:
            greeting.start_soon(house.greet)
            write = await anext(house.writes)
            (change,) = write.changes
            assert isinstance(change, SessionContinued)
            assert (change.session, change.space) == ("ses_new", "ses_first")
            await anyio.wait_all_tasks_blocked()
            assert house.joined == []
            write.reply(Landed())
        assert len(house.joined) == 1
        tasks.cancel_scope.cancel()


async def test_where_the_store_takes_nothing_the_welcome_does_not_wait_for_it_to_take_again() -> None:
    async with anyio.create_task_group() as tasks:
        house = House(tasks)
        async with anyio.create_task_group() as greeting:
            greeting.start_soon(house.greet)
            (await anext(house.writes)).reply(Deferred("storage.full"))
        assert len(house.joined) == 1
        tasks.cancel_scope.cancel()


async def test_a_session_whose_client_went_while_it_was_greeted_ends() -> None:
    async with anyio.create_task_group() as tasks:
        house = House(tasks)
        async with anyio.create_task_group() as greeting:
            greeting.start_soon(house.greet)
            await anext(house.writes)
            assert len(house.sessions) == 1
            greeting.cancel_scope.cancel()
        await anyio.wait_all_tasks_blocked()
        assert len(house.sessions) == 0


async def test_what_a_session_remembered_is_free_as_soon_as_it_is_over() -> None:
    """It and its parts hold each other: that would lie there until Python looks at everything."""
    gc.collect()
    gc.disable()
    try:
        async with anyio.create_task_group() as tasks:
            house = House(tasks)
            before = held()
            async with anyio.create_task_group() as greeting:
                greeting.start_soon(house.greet)
                (await anext(house.writes)).reply(Landed())
            assert len(held()) > len(before)
            house.joined.pop().post(Replaced())
            await anyio.wait_all_tasks_blocked()
            assert len(house.sessions) == 0
            assert [each for each in held() if each not in before] == []
            tasks.cancel_scope.cancel()
    finally:
        gc.enable()


def held() -> list[object]:
    """All that people stated, ready to be recalled: every session has its own."""
    return [each for each in gc.get_objects() if isinstance(each, Remembered)]
