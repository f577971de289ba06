"""Each dialect carries what a model gives: words, tools, counts, reasons; and asks for it in its own way."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companions.ports import ModelError, Prompt, PromptMessage, Text, Tool, ToolCall
from generation.anthropic import turns_of
from generation.choose import ModelSettings
from generation.dialect import Habits
from generation.openai import ChatReader
from loadtest.model_script import TEXT, THOUGHT, Call, Script, Thinking
from tests import clock
from tests.generation.stage import KINDS, PROMPT, calls_of, end_of, stage, text_of, usage_of

WEATHER = Tool(
    name="weather",
    description="The weather in a city.",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
CALLED = ToolCall(id="call_1", name="weather", arguments='{"city":"Lisbon"}')
ASKED = Prompt(
    system="You are kind.",
    messages=(
        PromptMessage(role="user", text="Is it warm in Lisbon?"),
        PromptMessage(role="assistant", text="", calls=(CALLED,)),
        PromptMessage(role="tool", text="21 degrees", call="call_1"),
        PromptMessage(role="user", text="And?"),
    ),
    max_tokens=150,
    temperature=0.25,
    stop=("\nUser:",),
    tools=(WEATHER,),
)
SCHEMA = {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]}


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("write_bytes", [None, 7])
async def test_the_words_come_as_they_were_said(kind: str, write_bytes: int | None) -> None:
    async with stage(kind, Script(text=TEXT + " ☕ 你好", write_bytes=write_bytes)) as scene:
        pieces = await scene.pieces()
        assert text_of(pieces) == TEXT + " ☕ 你好"
        assert end_of(pieces) == "stop"
        assert len(pieces) > 40
        assert (scene.model.kind, scene.model.name, scene.model.connected) == (kind, "test-model", True)


@pytest.mark.parametrize("kind", KINDS)
async def test_tokens_are_counted_by_the_server_or_not_at_all(kind: str) -> None:
    async with stage(kind, Script(tokens=12), Script(count=False)) as scene:
        usage = usage_of(await scene.pieces())
        assert usage is not None
        assert usage.completion_tokens == 12
        assert usage.prompt_tokens > 0
        if kind != "anthropic":
            assert usage_of(await scene.pieces()) is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reason", ["stop", "length"])
async def test_the_reason_for_the_end_is_carried(kind: str, reason: str) -> None:
    async with stage(kind, Script(finish="length" if reason == "length" else "stop")) as scene:
        assert end_of(await scene.pieces()) == reason


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
async def test_a_refusal_by_the_model_is_told(kind: str) -> None:
    async with stage(kind, Script(finish="refused")) as scene:
        assert end_of(await scene.pieces()) == "refused"


@pytest.mark.parametrize("kind", KINDS)
async def test_tool_calls_come_whole_and_before_the_end(kind: str) -> None:
    calls = (
        Call(id="a", name="weather", arguments='{"city":"Lisbon"}'),
        Call(id="b", name="weather", arguments='{"city":"Berlin"}'),
    )
    async with stage(kind, Script(text="One moment.", calls=calls)) as scene:
        pieces = await scene.pieces(ASKED)
        assert text_of(pieces) == "One moment."
        assert [(call.name, call.arguments) for call in calls_of(pieces)] == [
            ("weather", '{"city":"Lisbon"}'),
            ("weather", '{"city":"Berlin"}'),
        ]
        assert len({call.id for call in calls_of(pieces)}) == 2
        assert end_of(pieces) == "tool_calls"


THOUGHTS: list[Thinking] = ["field", "other_field", "tags", "nested", "empty_tags", "harmony"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("thinking", THOUGHTS)
async def test_reasoning_never_leaves_the_adapter(kind: str, thinking: Thinking) -> None:
    async with stage(kind, Script(thinking=thinking, write_bytes=50)) as scene:
        pieces = await scene.pieces()
        assert text_of(pieces) == TEXT
        assert end_of(pieces) == "stop"


@pytest.mark.parametrize("kind", KINDS)
async def test_reasoning_that_is_never_closed_leaves_an_empty_answer(kind: str) -> None:
    async with stage(kind, Script(thinking="unclosed")) as scene:
        pieces = await scene.pieces()
        assert text_of(pieces) == ""
        assert end_of(pieces) == "stop"


@pytest.mark.parametrize("kind", ["openai", "ollama"])
async def test_reasoning_that_the_template_opened_is_cut_where_this_is_known(kind: str) -> None:
    settings = ModelSettings(reasoning="opened")
    async with stage(
        kind, Script(thinking="no_opening"), Script(thinking="field"), settings=settings
    ) as scene:
        assert text_of(await scene.pieces()) == TEXT
        assert text_of(await scene.pieces()) == TEXT  # the server took it apart after all


@pytest.mark.parametrize("kind", ["openai", "ollama"])
async def test_reasoning_without_an_opening_is_cut_from_the_first_answer_on(kind: str) -> None:
    async with stage(kind, Script(thinking="no_opening")) as scene:
        assert text_of(await scene.pieces()) == TEXT
        assert text_of(await scene.pieces()) == TEXT


@pytest.mark.parametrize("kind", ["openai", "ollama"])
async def test_reasoning_that_does_not_sound_like_it_breaks_the_answer_and_is_known_from_then_on(
    kind: str,
) -> None:
    async with stage(kind, Script(thinking="no_opening", thought="A short warm reply.")) as scene:
        with pytest.raises(ModelError) as caught:
            await scene.pieces()
        assert caught.value.fault == "broken"
        assert THOUGHT not in str(caught.value)
        assert text_of(await scene.pieces()) == TEXT


async def test_openai_is_asked_as_its_reference_says() -> None:
    async with stage("openai", Script(), settings=ModelSettings(api_key="sk-1")) as scene:
        await scene.pieces(ASKED)
        request = scene.server.requests[0]
        assert (request.method, request.path) == ("POST", "/v1/chat/completions")
        assert request.headers["authorization"] == "Bearer sk-1"
        assert request.json() == {
            "model": "test-model",
            "messages": [
                {"role": "system", "content": "You are kind."},
                {"role": "user", "content": "Is it warm in Lisbon?"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "call_1",
                            "type": "function",
                            "function": {"name": "weather", "arguments": '{"city":"Lisbon"}'},
                        }
                    ],
                },
                {"role": "tool", "content": "21 degrees", "tool_call_id": "call_1"},
                {"role": "user", "content": "And?"},
            ],
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": 0.25,
            "max_tokens": 150,
            "stop": ["\nUser:"],
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": "weather",
                        "description": WEATHER.description,
                        "parameters": WEATHER.parameters,
                    },
                }
            ],
        }


async def test_openai_is_asked_again_without_what_it_does_not_know() -> None:
    async with stage("openai", Script(refuses=("stream_options", "max_tokens"))) as scene:
        assert text_of(await scene.pieces()) == TEXT
        assert text_of(await scene.pieces()) == TEXT
        asked = [request.json() for request in scene.server.requests]
        assert ["stream_options" in body for body in asked] == [True, False, False, False]
        assert [body.get("max_completion_tokens") for body in asked] == [None, None, 200, 200]


async def test_openai_constrains_an_answer_by_its_schema() -> None:
    async with stage("openai", Script(text='{"topic":"tea"}')) as scene:
        pieces = await scene.pieces(Prompt(system="", messages=PROMPT.messages, max_tokens=50, schema=SCHEMA))
        assert text_of(pieces) == '{"topic":"tea"}'
        assert scene.server.requests[0].json()["response_format"] == {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        }


async def test_a_model_that_reasons_is_given_room_for_it() -> None:
    async with stage("openai", Script(thinking="field"), Script(thinking="tags"), Script()) as scene:
        for _ in range(3):
            await scene.pieces()
        asked = [request.json()["max_tokens"] for request in scene.server.requests]
    assert asked == [200, 200 + 2_048, 200 + 2_048]


async def test_ollama_is_asked_as_its_document_says() -> None:
    settings = ModelSettings(context_tokens=8_192)
    async with stage("ollama", Script(), settings=settings) as scene:
        await scene.pieces(ASKED)
        request = scene.server.requests[0]
        assert (request.method, request.path) == ("POST", "/api/chat")
        body = request.json()
        assert body["options"] == {
            "temperature": 0.25,
            "num_predict": 150,
            "num_ctx": 8_192,
            "stop": ["\nUser:"],
        }
        assert body["keep_alive"] == "30m"
        assert body["tools"][0]["function"]["name"] == "weather"
        assert body["messages"] == [
            {"role": "system", "content": "You are kind."},
            {"role": "user", "content": "Is it warm in Lisbon?"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"function": {"name": "weather", "arguments": {"city": "Lisbon"}}}],
            },
            {"role": "tool", "content": "21 degrees", "tool_name": "weather"},
            {"role": "user", "content": "And?"},
        ]


async def test_ollama_is_asked_to_take_reasoning_apart_where_it_can() -> None:
    settings = ModelSettings(reasoning="opened")
    script = Script(thinking="no_opening", refuses=("think",))
    async with stage("ollama", script, settings=settings) as scene:
        assert text_of(await scene.pieces()) == TEXT
        assert [request.json().get("think") for request in scene.server.requests] == [True, None]


async def test_anthropic_is_asked_as_its_reference_says() -> None:
    async with stage("anthropic", Script(), settings=ModelSettings(api_key="sk-1")) as scene:
        await scene.pieces(ASKED)
        request = scene.server.requests[0]
        assert (request.method, request.path) == ("POST", "/v1/messages")
        assert request.headers["x-api-key"] == "sk-1"
        assert request.headers["anthropic-version"] == "2023-06-01"
        assert request.json() == {
            "model": "test-model",
            "max_tokens": 150,
            "system": "You are kind.",
            "stream": True,
            "temperature": 0.25,
            "stop_sequences": ["\nUser:"],
            "tools": [
                {"name": "weather", "description": WEATHER.description, "input_schema": WEATHER.parameters}
            ],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Is it warm in Lisbon?"}]},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Lisbon"}}
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "call_1", "content": "21 degrees"},
                        {"type": "text", "text": "And?"},
                    ],
                },
            ],
        }


ROLES = st.lists(
    st.tuples(st.sampled_from(["user", "assistant"]), st.sampled_from(["", " ", "a", "b"])), max_size=8
)


@given(ROLES)
def test_anthropics_roles_alternate_and_begin_with_the_person(
    said: list[tuple[Literal["user", "assistant"], str]],
) -> None:
    turns = turns_of(tuple(PromptMessage(role=role, text=text) for role, text in said))
    roles = [turn["role"] for turn in turns]
    assert roles == (["user", "assistant"] * len(roles))[: len(roles)]
    texts = [block["text"] for turn in turns for block in turn["content"]]
    assert [text for text in texts if text != "…"] == [text for _, text in said if text.strip()]


async def test_ollama_constrains_an_answer_by_its_schema() -> None:
    async with stage("ollama", Script(text='{"topic":"tea"}')) as scene:
        pieces = await scene.pieces(Prompt(system="", messages=PROMPT.messages, max_tokens=50, schema=SCHEMA))
        assert text_of(pieces) == '{"topic":"tea"}'
        assert scene.server.requests[0].json()["format"] == SCHEMA


async def test_anthropic_answers_by_a_schema_through_a_tool() -> None:
    answer = Call(name="answer", arguments='{"topic":"tea"}')
    async with stage("anthropic", Script(text="", calls=(answer,))) as scene:
        pieces = await scene.pieces(Prompt(system="", messages=PROMPT.messages, max_tokens=50, schema=SCHEMA))
        assert text_of(pieces) == '{"topic":"tea"}'
        assert calls_of(pieces) == []
        assert end_of(pieces) == "stop"
        assert scene.server.requests[0].json()["tool_choice"] == {"type": "tool", "name": "answer"}


async def test_calls_that_all_carry_index_nought_are_told_apart_by_their_ids() -> None:
    reader = ChatReader(Habits())
    for id_, city in (("a", "Lisbon"), ("b", "Berlin")):
        part = f'{{"index":0,"id":"{id_}","function":{{"name":"weather","arguments":"{city}"}}}}'
        reader.feed(f'data: {{"choices":[{{"delta":{{"tool_calls":[{part}]}}}}]}}\n\n'.encode())
    calls = calls_of(reader.feed(b"data: [DONE]\n\n"))
    assert [(call.id, call.arguments) for call in calls] == [("a", "Lisbon"), ("b", "Berlin")]


async def test_content_as_a_list_is_read_and_its_thinking_dropped() -> None:
    reader = ChatReader(Habits())
    parts = b'[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"Hello."}]'
    assert reader.feed(b'data: {"choices":[{"delta":{"content":%b}}]}\n\n' % parts) == [Text("Hello.")]
