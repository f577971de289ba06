"""What a model is given for a job after the talk: the companion's words for it, and the talk as lines of data.

Messages are named by short marks (``m12`` is position 12), which a model repeats more reliably than long ids and
which mean nothing outside of the batch. A talk that is too long goes in several batches.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from companions.changes import JobKind
from companions.companion import Companion
from companions.ports import Prompt, PromptMessage
from companions.quoting import NOTES, between, quoted
from companions.texts import filled
from memory.messages import Message
from memory.tokens import TURN, count, shortened

ANSWER_TOKENS = 900
MOST_BATCH_TOKENS = 8_000
LEAST_BATCH_TOKENS = 256
LEAST_LINE_TOKENS = 24
TEMPERATURE = 0.2
JsonSchema = dict[str, Any]  # a JSON Schema is open by definition


def batches(companion: Companion, messages: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    """``messages`` in parts that fit before the model, in order, none left out."""
    room = batch_tokens(companion)
    batch: list[Message] = []
    taken = 0
    for each in messages:
        cost = min(count(each.text), room // 4) + TURN
        if batch and taken + cost > room:
            yield tuple(batch)
            batch, taken = [], 0
        batch.append(each)
        taken += cost
    if batch:
        yield tuple(batch)


def batch_tokens(companion: Companion) -> int:
    """Half of the companion's context at most: the rest is for instructions, notes and the answer."""
    return max(LEAST_BATCH_TOKENS, min(MOST_BATCH_TOKENS, companion.policy.budget.context // 2))


def job_prompt(
    companion: Companion,
    kind: JobKind,
    messages: Sequence[Message],
    *,
    user: str,
    earlier: str = "",
    categories: Sequence[str] = (),
) -> Prompt:
    """The prompt of one job over one batch; ``earlier`` is the summary of what came before it."""
    summary = companion.policy.summary
    text_kind: JobKind = "summary" if kind == "partial" else kind
    words = {"words": str(summary.words if summary is not None else 100)}
    most = max(LEAST_LINE_TOKENS, batch_tokens(companion) // 4)
    lines = [line(companion, each, most) for each in messages]
    notes = [f"Summed up so far: {quoted(earlier)}"] if earlier else []
    if categories:
        notes.append(f"Categories: {', '.join(categories)}")
    return Prompt(
        system=filled(companion.texts.jobs[text_kind], words),
        messages=(PromptMessage(role="user", text=between(NOTES, [*notes, "\n".join(lines)])),),
        max_tokens=ANSWER_TOKENS,
        temperature=TEMPERATURE,
        schema=SCHEMAS.get(text_kind),
        user=user,
        background=True,
    )


def line(companion: Companion, message: Message, most: int) -> str:
    """One message as a line: its mark, who said it, and the words."""
    who = "person" if message.role == "user" else companion.name
    return f"{mark(message)} {who}: {quoted(shortened(message.text, most))}"


def mark(message: Message) -> str:
    """The name of a message in a batch."""
    return f"m{message.position}"


# ---------------------------------------------------------------- constrained decoding


def _texts() -> JsonSchema:
    return {"type": "array", "items": {"type": "string"}}


def _object(**properties: JsonSchema) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT: JsonSchema = {"type": "string"}
_SCORE: JsonSchema = {"type": "integer", "minimum": 1, "maximum": 5}
SCHEMAS: dict[JobKind, JsonSchema] = {
    "summary": _object(
        topics=_texts(), arc=_TEXT, insight=_TEXT, follow_ups=_texts(), quote=_TEXT, summary=_TEXT
    ),
    "facts": _object(
        facts={
            "type": "array",
            "items": _object(
                subject=_TEXT,
                attribute=_TEXT,
                value=_TEXT,
                category=_TEXT,
                status={"type": "string", "enum": ["holds", "ended", "denied"]},
                evidence=_texts(),
            ),
        }
    ),
    "topics": _object(topics=_texts()),
    "parent_note": _object(summary=_TEXT, highlights=_texts(), concerns=_texts(), suggestions=_texts()),
    "evaluation": _object(engagement=_SCORE, understanding=_SCORE, strengths=_texts(), next_steps=_texts()),
    "learnings": _object(
        learnings={"type": "array", "items": _object(topic=_TEXT, learned=_TEXT, evidence=_texts())}
    ),
}
"""The form of an answer, for servers that can hold a model to one."""
