import json
from typing import Any, cast

import jsonschema
import pytest

from protocol.asyncapi import asyncapi
from protocol.catalogue import COMMANDS, EVENTS
from protocol.errors import ERRORS
from protocol.frames import frame_type
from protocol.results import RESULTS
from protocol.schema import all_frames, components, json_schema, message_of, name_of
from tests.protocol.golden import golden_frames

FRAMES = golden_frames()
SCHEMA = json_schema()


def validator(half: str) -> Any:  # jsonschema's validators have no useful type
    document = {key: value for key, value in SCHEMA.items() if key != "anyOf"}
    return jsonschema.Draft202012Validator({**document, "$ref": f"#/$defs/{half}"})


def keys_in(value: object) -> set[str]:
    if isinstance(value, dict):
        mapping = cast("dict[str, object]", value)
        return set(mapping).union(*(keys_in(inner) for inner in mapping.values()))
    return (
        set[str]().union(*(keys_in(inner) for inner in cast("list[object]", value)))
        if isinstance(value, list)
        else set()
    )


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", FRAMES)
def test_every_golden_frame_is_valid_for_its_side(name: str) -> None:
    frame = json.loads(FRAMES[name])
    half = "FromClient" if frame["type"] in COMMANDS else "FromServer"
    assert list(validator(half).iter_errors(frame)) == []


def test_every_ack_is_valid_for_the_result_of_its_command() -> None:
    for command, result in RESULTS.items():
        frame = json.loads(FRAMES[f"ack.{frame_type(command)}"])
        assert list(validator(f"Ack{result.__name__}").iter_errors(frame)) == []


def test_the_schema_refuses_what_the_server_refuses() -> None:
    commands = validator("FromClient")
    for wrong in (
        {"type": "message.send", "id": "c1"},
        {"type": "message.send", "id": "c1", "text": "a", "more": 1},
        {"type": "message.send", "id": "", "text": "a"},
        {"type": "message.send", "id": "c1", "text": "a\0"},
        {"type": "mood.check_in", "id": "c1", "mood": 11},
    ):
        assert list(commands.iter_errors(wrong))


def test_the_schema_lets_the_server_gain_fields() -> None:
    pong = {"type": "pong", "re": "c1", "now": "2026-01-02T03:04:05.678Z", "later": 1}
    assert list(validator("Pong").iter_errors(pong)) == []


def test_names_are_unlike_one_another() -> None:
    frames = all_frames()
    assert (
        len({name_of(frame) for frame in frames})
        == len({message_of(frame) for frame in frames})
        == len(frames)
    )


def test_every_frame_is_described_without_the_marks_of_docstrings() -> None:
    for name, schema in components("#/{name}").items():
        assert schema["description"], name
        assert "``" not in schema["description"]


def test_the_asyncapi_document_names_every_frame_error_and_answer() -> None:
    document = asyncapi()
    messages = document["components"]["messages"]
    assert {message["name"] for message in messages.values()} == {*COMMANDS, *EVENTS}
    assert set(document["operations"]) == {*COMMANDS, "events"}
    assert set(document["x-error-codes"]) == set(ERRORS)
    replies = document["operations"]["conversation.list"]["reply"]["messages"]
    assert replies[0] == {"$ref": "#/channels/session/messages/ack.ConversationPage"}


def test_every_reference_in_the_documents_leads_somewhere() -> None:
    for document in (asyncapi(), SCHEMA):
        for reference in references(document):
            found: Any = document
            for part in reference.removeprefix("#/").split("/"):
                found = found[part]
            assert found


def references(value: object) -> list[str]:
    if isinstance(value, dict):
        mapping = cast("dict[str, object]", value)
        own = mapping.get("$ref")
        return (
            [own]
            if isinstance(own, str)
            else [each for inner in mapping.values() for each in references(inner)]
        )
    return (
        [each for inner in cast("list[object]", value) for each in references(inner)]
        if isinstance(value, list)
        else []
    )


def test_the_discriminator_that_asyncapis_parser_refuses_is_nowhere() -> None:
    assert "discriminator" not in keys_in(asyncapi()) | keys_in(SCHEMA)
