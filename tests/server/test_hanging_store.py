"""Beside a store that neither gives nor refuses: whoever shows a token or a PIN, or cares, is told to come again."""

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import TypeVar

import anyio
import pytest
from msgspec import UNSET

from actors.ports import CommandRefused
from companions.state import Who
from protocol.care_frames import ConsentList
from protocol.session_frames import Client, Hello
from server.audit import RecordedStore
from server.contacts import contacts_of, with_grants
from server.entrance import Entrance, NotAdmitted
from server.origins import Caller
from server.pairing import Pairing
from server.pins import Pins
from server.settings import Contacts
from storage.patience import PATIENCE_S, Patient
from storage.refusals import StoreRefused
from tests.clock import virtual_time

T = TypeVar("T")

WHO = Who(session="ses", space="ses", user="ann", companion="clara")
HERE = Caller(address="127.0.0.1", near=True, own=True)


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return virtual_time()


class Hung:
    """A store whose thread takes up what it is asked and never comes back with it."""

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        return await _never(fn)

    async def transact(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        return await _never(fn)

    async def tend(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        return await _never(fn)


async def _never(fn: Callable[[sqlite3.Connection], T]) -> T:
    with closing(sqlite3.connect(":memory:")) as db, pytest.raises(sqlite3.OperationalError):
        fn(db)
    await anyio.sleep_forever()
    raise AssertionError


def recorded() -> RecordedStore:
    store = RecordedStore(
        Patient(Hung()), person="ann", companion="clara", role="caregiver", by="grt", name="Eva"
    )
    store.on_behalf(ConsentList(id="1"), 1)
    return store


async def greeted() -> None:
    hello = Hello(id="1", client=Client(name="t", version="1"), token="shown", user=UNSET)
    await Entrance(Patient(Hung()), Pairing(), kiosk=False).admitted(hello, HERE)


ASKED: dict[str, Callable[[], Awaitable[object]]] = {
    "a token, also where anybody may come in without": greeted,
    "a PIN": lambda: Pins(Patient(Hung())).check("ann", "4711"),
    "a look that is recorded": lambda: recorded().read(lambda db: db.execute("SELECT * FROM facts")),
    "whom to tell": lambda: with_grants(Patient(Hung()), contacts_of(Contacts(), {}))(WHO),
}


@pytest.mark.parametrize("what", ASKED)
async def test_it_is_told_in_time_that_the_store_is_busy(what: str) -> None:
    began = anyio.current_time()
    with pytest.raises((CommandRefused, NotAdmitted, StoreRefused)) as told:
        await ASKED[what]()
    assert getattr(told.value, "code", None) == "storage.busy"
    assert anyio.current_time() - began == pytest.approx(PATIENCE_S)
