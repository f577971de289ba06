"""Who looked: nothing of a person is seen by somebody else without a row, and no row goes."""

import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

import server.orders as orders
from loadtest.client import Refusal, connected
from protocol.access import ACCESS, RECORDED, SAY_NO, WATCH, AccessRole, kind_of
from protocol.alert_frames import CareEscalations
from protocol.audit_frames import AuditQuery
from protocol.care_frames import CareEmotions, CareSummaries, ConsentSet
from protocol.catalogue import COMMANDS
from protocol.codec import decode_command
from server.audit import DEEDS, RecordedStore
from server.cli_devices import audit
from server.deeds import carry_out
from server.order_line import STORE_FILE
from storage.audit import KEPT_MS, Act, acts_about, all_acts, prune_acts, record
from storage.connection import inline, read_only, transacted
from tests.protocol.golden import golden_frames
from tests.server.caring import caring, token
from tests.server.serving import serving, settings
from tests.server.test_consents import result
from tests.server.test_entrance import at_rest, code_of

YES = ConsentSet(id="yes", scopes=("trends", "summaries", "transcripts"), allow=True)
OTHERS: tuple[AccessRole, ...] = ("caregiver", "safeguarding")


def recorded(folder: Path, person: str = "ann") -> list[str]:
    """What was recorded about a person, the earliest first."""
    with read_only(folder / STORE_FILE) as db:
        return [each.act.did for each in reversed(acts_about(db, person=person, before=None, limit=500))]


async def test_every_frame_that_reads_anothers_data_leaves_a_row_where_it_is_answered(
    tmp_path: Path,
) -> None:
    tokens = {"caregiver": token(tmp_path), "safeguarding": token(tmp_path, "Ms Okafor", role="safeguarding")}
    commands = [decode_command(golden_frames()[name].decode(), "json") for name in COMMANDS]
    commands.append(ConsentSet(id="no", scopes=("trends",), allow=False, basis="legal_representative"))
    answered: set[str] = set()
    async with serving(settings(tmp_path)) as url:
        async with connected(url) as ann:
            await ann.hello(user="ann", companion="clara")
            await ann.talk("Good morning.")
            await ann.ask(YES)
        for role in OTHERS:
            async with caring(url, tokens[role]) as other:
                for number, command in enumerate(commands):
                    kind = kind_of(command)
                    if role not in ACCESS[kind] or kind in ("hello", "ping", WATCH):
                        continue
                    before = recorded(tmp_path)
                    refusal = await code_of(other, replace(command, id=f"{role}{number}"))
                    now = recorded(tmp_path)[len(before) :]
                    if refusal is None:
                        answered.add(kind)
                        assert RECORDED[kind] in now, kind
                    elif RECORDED[kind].startswith("saw_"):
                        assert now == [], kind  # nothing was seen
    assert {"care.emotions", "care.summaries", "care.repetition", "care.trends", "consent.list"} <= answered
    assert {"care.escalations", "care.context.get", "care.context.set", SAY_NO} <= answered


async def test_a_store_that_stands_in_for_somebody_else_records_or_shows_nothing(tmp_path: Path) -> None:
    with inline(tmp_path / STORE_FILE) as store:
        seen = RecordedStore(
            store, person="ann", companion="clara", role="caregiver", by="grt_1", name="Maria"
        )
        seen.on_behalf(CareEmotions(id="1"), 5)
        assert await seen.read(lambda _db: "shown") == "shown"
        assert [each.act.did for each in all_acts(store.db, before=None, limit=9)] == ["saw_feelings"]
        store.db.execute(
            "CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
        seen.on_behalf(CareSummaries(id="2"), 6)
        with pytest.raises(sqlite3.IntegrityError):
            await seen.read(lambda _db: "shown")


async def test_the_person_sees_who_looked_in_plain_words_and_nobody_else_does(tmp_path: Path) -> None:
    maria = token(tmp_path)
    async with serving(settings(tmp_path)) as url, connected(url) as ann, connected(url) as ben:
        await ann.hello(user="ann", companion="clara")
        await ben.hello(user="ben", companion="clara")
        await ann.ask(YES)
        async with caring(url, maria) as carer:
            await carer.ask(CareEmotions(id="1"))
            await carer.ask(CareEmotions(id="2"))
            with pytest.raises(Refusal) as refused:
                await carer.ask(AuditQuery(id="3"))
            assert refused.value.code == "auth.forbidden"
        page = await result(ann, AuditQuery(id="a", limit=2))
        assert [each["did"] for each in page["entries"]] == ["saw_feelings", "saw_feelings"]
        assert page["entries"][0]["say"] == "Maria, who cares for you, looked at how you have been feeling."
        older = await result(ann, AuditQuery(id="b", limit=2, cursor=page["next"]))
        assert [each["did"] for each in older["entries"]] == ["consented"]
        assert (await result(ben, AuditQuery(id="c")))["entries"] == []


@pytest.mark.parametrize("cursor", ["9" * 19, "9" * 500, "-1", "1_0", " 5", "٣", "made up"])
async def test_a_cursor_that_was_not_given_is_refused_and_ends_nothing(tmp_path: Path, cursor: str) -> None:
    shown = token(tmp_path)
    async with serving(settings(tmp_path)) as url:
        async with connected(url) as ann:
            await ann.hello(user="ann", companion="clara")
            assert await code_of(ann, AuditQuery(id="1", cursor=cursor)) == "frame.invalid"
            assert await code_of(ann, AuditQuery(id="2")) is None
        async with caring(url, shown) as eva:
            assert await code_of(eva, CareEscalations(id="1", open=True, cursor=cursor)) == "frame.invalid"
            assert await code_of(eva, CareEscalations(id="2", open=True)) is None


async def test_an_admin_is_told_of_devices_and_looks_without_a_word_of_anybodys(tmp_path: Path) -> None:
    _, admin = at_rest(tmp_path, orders.GiveToken(name="Ms Berg", role="admin"))
    async with serving(settings(tmp_path)) as url, connected(url) as berg, connected(url) as ann:
        await ann.hello(user="ann", companion="clara")
        await ann.talk("My heron stands by the pond.")
        await ann.ask(YES)
        await berg.hello(token=admin)
        page = await result(berg, AuditQuery(id="1"))
        assert [(each["did"], each.get("user")) for each in page["entries"]] == [
            ("consented", "ann"),
            ("device", None),
        ]
        assert "heron" not in str(page)


def test_what_staff_do_is_recorded_with_it(tmp_path: Path) -> None:
    with inline(tmp_path / STORE_FILE) as store:

        def done(order: orders.AnyOrder) -> tuple[str, ...]:
            return transacted(store.db, lambda db: carry_out(db, order, 5)).lines

        grant, _ = done(orders.GiveGrant(name="Maria", role="caregiver", user="ann"))
        done(orders.EndGrant(grant=grant))
        with pytest.raises(orders.NotDone):
            done(orders.EndGrant(grant=grant))
        found = [each.act.did for each in acts_about(store.db, person="ann", before=None, limit=9)]
        assert found == ["grant_ended", "granted"]


def test_a_row_is_never_changed_and_goes_by_its_age_alone(tmp_path: Path) -> None:
    with inline(tmp_path / STORE_FILE) as store:
        db = store.db
        db.execute("UPDATE store SET newest_at = ?", (KEPT_MS + 100,))
        for at in (50, 5_000):
            record(db, Act(person="ann", role="caregiver", did="saw_words"), at)
        with pytest.raises(sqlite3.IntegrityError, match="not changed"):
            db.execute("UPDATE audit SET did = 'nothing'")
        with pytest.raises(sqlite3.IntegrityError, match="stays"):
            db.execute("DELETE FROM audit")
        assert prune_acts(db) == 1
        assert [each.at for each in all_acts(db, before=None, limit=9)] == [5_000]


def test_everything_that_is_recorded_has_words_for_the_person() -> None:
    assert set(RECORDED.values()) <= set(DEEDS)


async def test_staff_see_when_people_were_told_that_they_talk_with_a_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann", companion="coach")
        await talker.talk("Good morning.")
        point = talker.resume_point()
        async with connected(url) as again:
            await again.hello(user="ann", companion="coach", resume=point)
    capsys.readouterr()
    audit(disclosures=True, user="ann", data=tmp_path)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.split()[2:] == ["start", "ann", "coach"]
    audit(disclosures=True, user="ben", data=tmp_path)
    assert capsys.readouterr().out == ""
