"""What a person decides about who may see what, over the wire."""

from pathlib import Path
from typing import Any

import pytest

from loadtest.client import Refusal, Talker, connected
from protocol.care_frames import ConsentList, ConsentSet
from protocol.frames import Command
from tests.server.serving import serving, settings

NOTHING = "Nothing from our talks is shared with anyone."


async def result(talker: Talker, command: Command) -> dict[str, Any]:  # Any: results as plain JSON
    ack = await talker.ask(command)
    assert isinstance(ack.result, dict)
    return ack.result


async def test_a_person_decides_is_told_in_plain_words_and_takes_it_back(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as ann:
        await ann.hello(user="ann", companion="clara")
        before = await result(ann, ConsentList(id=ann.new_id()))
        assert before == {"consents": [], "say": [NOTHING]}
        await ann.ask(ConsentSet(id=ann.new_id(), scopes=("summaries",), allow=True))
        now = await result(ann, ConsentList(id=ann.new_id()))
        assert [(each["scope"], each["basis"], each["live"]) for each in now["consents"]] == [
            ("summaries", "self", True)
        ]
        assert "at present nobody can see it. You allowed it, until" in now["say"][0]
        await ann.ask(ConsentSet(id=ann.new_id(), scopes=("summaries", "transcripts"), allow=False))
        after = await result(ann, ConsentList(id=ann.new_id()))
        assert [(each["scope"], each["allowed"]) for each in after["consents"]] == [("transcripts", False)]
        assert after["say"] == [
            NOTHING,
            "What we say to each other, word for word: you said no, so nobody sees this.",
        ]
    async with serving(settings(tmp_path)) as url, connected(url) as ben:
        await ben.hello(user="ben", companion="clara")
        assert (await result(ben, ConsentList(id=ben.new_id())))["consents"] == []


@pytest.mark.parametrize(
    "command",
    [
        ConsentSet(id="a", scopes=("summaries",), allow=True, basis="parent"),
        ConsentSet(id="b", scopes=("trends",), allow=False, basis="legal_representative"),
        ConsentSet(id="c", scopes=("notes",), allow=True),
        ConsentSet(id="d", scopes=("trends",), allow=True, review="2099-01-01T00:00:00.000Z"),
        ConsentSet(id="e", scopes=("trends",), allow=True, review="2001-01-01T00:00:00.000Z"),
    ],
)
async def test_nobody_consents_without_a_basis_or_for_ever(tmp_path: Path, command: ConsentSet) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as student:
        await student.hello(user="sam", companion="maestro/mathematics")
        with pytest.raises(Refusal) as refused:
            await student.ask(command)
        assert refused.value.code == "policy.refused"
        assert (await result(student, ConsentList(id="z")))["consents"] == []
