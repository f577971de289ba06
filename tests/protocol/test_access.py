"""Who may send what: the whole table, over every frame the protocol knows and every role."""

from typing import get_args

import pytest

from companions.consenting import Role, Scope
from protocol.access import ACCESS, RECORDED, SAY_NO, WATCH, AccessRole, Need, kind_of, needed
from protocol.care_frames import ConsentSet
from protocol.catalogue import COMMANDS
from protocol.conversation_frames import ConversationOpen

ROLES: tuple[AccessRole, ...] = get_args(AccessRole)
TALKS = {
    "hello",
    "ping",
    "message.send",
    "response.cancel",
    "response.regenerate",
    "response.feedback",
    "greeting.get",
    "conversation.create",
    "conversation.close",
    SAY_NO,
}
CARES = {name for name in COMMANDS if name.startswith("care.")}


def allowed(role: AccessRole) -> set[str]:
    return {kind for kind, roles in ACCESS.items() if role in roles}


def test_every_frame_has_its_row_and_every_row_its_frame() -> None:
    assert set(ACCESS) == {*COMMANDS, WATCH, SAY_NO}
    assert all(ACCESS.values())


def test_the_roles_are_those_of_the_core() -> None:
    assert {*get_args(Role), "pairing"} == set(ROLES)
    assert set(get_args(Scope)) < set(get_args(Need))


def test_a_device_talks_stops_begins_anew_is_greeted_and_says_no_and_that_is_all() -> None:
    assert allowed("device") == TALKS | {"device.unlock", "device.lock"}


def test_a_code_lets_a_device_become_one_and_nothing_else() -> None:
    assert allowed("pairing") == {"hello", "ping", "device.claim"}


def test_a_person_reaches_what_is_theirs_and_nothing_of_a_caregivers() -> None:
    assert not allowed("person") & {*CARES, WATCH}
    assert allowed("person") > TALKS


@pytest.mark.parametrize("role", ["caregiver", "safeguarding", "admin"])
def test_who_is_not_the_person_talks_for_nobody_and_reads_no_memory(role: AccessRole) -> None:
    theirs = {name for name in COMMANDS if name.split(".")[0] in ("message", "response", "profile", "memory")}
    assert not allowed(role) & (theirs - {"memory.erase"})
    assert all(need != "nothing" for kind in CARES for need in ACCESS[kind].values())


def test_no_words_reach_an_admin() -> None:
    wordless = {"hello", "ping", "audit.query"}
    assert all(kind in wordless or kind.startswith("device.") for kind in allowed("admin"))


def test_whatever_others_than_the_person_may_send_about_them_is_recorded() -> None:
    others = allowed("caregiver") | allowed("safeguarding")
    assert set(RECORDED) == others - {"hello", "ping"}


def test_what_a_caregiver_sees_of_talks_needs_the_consent_for_it() -> None:
    assert {kind: ACCESS[kind]["caregiver"] for kind in ("care.history", "care.summaries", WATCH)} == {
        "care.history": "transcripts",
        "care.summaries": "summaries",
        WATCH: "watching",
    }


def test_one_frame_of_two_meanings_has_a_row_for_each() -> None:
    watch = ConversationOpen(id="1", conversation="cnv_1", mode="watch")
    assert (kind_of(watch), needed(watch, "person"), needed(watch, "caregiver")) == (WATCH, None, "watching")
    no = ConsentSet(id="1", scopes=("trends",), allow=False)
    yes = ConsentSet(id="1", scopes=("trends",), allow=True)
    assert (needed(no, "device"), needed(yes, "device")) == ("nothing", None)
