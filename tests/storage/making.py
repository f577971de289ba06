"""Changes as a session would make them, with only what a test is about spelled out."""

from typing import Any

import msgspec

from companions.changes import (
    AnswerCheckpointed,
    AnswerGiven,
    CommandId,
    ConversationClosed,
    EmotionRow,
    JobSpec,
    MessageSaid,
    NarrativeUse,
    NewConversation,
    RepetitionRow,
)

ANNA = "usr_anna"
BERT = "usr_bert"


def begins(title: str = "A title", **more: Any) -> NewConversation:  # Any: keywords of a struct
    return NewConversation(title=title, preview=f"{title} and more", **more)


def said(
    conversation: str,
    position: int,
    text: str = "hello",
    *,
    user: str = ANNA,
    companion: str = "clara",
    at: int | None = None,
    new: NewConversation | None = None,
    **more: Any,  # Any: keywords of a struct
) -> MessageSaid:
    message = f"msg_{conversation}_{position}"
    first = begins() if position == 1 else None
    fields: dict[str, Any] = {  # Any: as above
        "user": user,
        "companion": companion,
        "at": 1_000 * position if at is None else at,
        "session": f"ses_{user}",
        "command": CommandId(space=f"ses_{user}", id=f"cmd_{message}", digest=f"digest of {text}"),
        "conversation": conversation,
        "message": message,
        "position": position,
        "text": text,
        "begins": new or first,
    }
    return MessageSaid(**(fields | more))


def answered(
    conversation: str,
    position: int,
    text: str = "an answer",
    *,
    to: int | None = None,
    user: str = ANNA,
    companion: str = "clara",
    **more: Any,  # Any: keywords of a struct
) -> AnswerGiven:
    fields: dict[str, Any] = {  # Any: as above
        "user": user,
        "companion": companion,
        "at": 1_000 * position,
        "conversation": conversation,
        "message": f"msg_{conversation}_{position - 1 if to is None else to}",
        "response": f"rsp_{conversation}_{position}",
        "answer": f"msg_{conversation}_{position}",
        "position": position,
        "text": text,
        "status": "completed",
        "source": "model",
    }
    return AnswerGiven(**(fields | more))


def checkpointed(
    conversation: str, position: int, text: str, *, to: int | None = None, user: str = ANNA
) -> AnswerCheckpointed:
    return AnswerCheckpointed(
        user=user,
        companion="clara",
        at=1_000 * position,
        conversation=conversation,
        message=f"msg_{conversation}_{position - 1 if to is None else to}",
        response=f"rsp_{conversation}_{position}",
        answer=f"msg_{conversation}_{position}",
        text=text,
    )


def closed(
    conversation: str, *jobs: JobSpec, user: str = ANNA, companion: str = "clara"
) -> ConversationClosed:
    return ConversationClosed(
        user=user, companion=companion, at=90_000, conversation=conversation, reason="asked", jobs=jobs
    )


def job(
    name: str = "job_1", kind: Any = "summary", first: int = 1, last: int = 2
) -> JobSpec:  # Any: a literal
    return JobSpec(id=name, kind=kind, first=first, last=last)


def emotion(message: str, name: str = "calm", **more: Any) -> EmotionRow:  # Any: keywords of a struct
    fields: dict[str, Any] = {  # Any: as above
        "message": message,
        "emotion": name,
        "intensity": 5,
        "confidence": 0.5,
        "distress": 0.25,
        "trajectory": "stable",
    }
    return EmotionRow(**(fields | more))


def repetition(message: str, question_type: str = "location", count: int = 0) -> RepetitionRow:
    return RepetitionRow(
        message=message,
        fingerprint="place",
        question_type=question_type,
        repeat_count=count,
        response_given="r1",
    )


def narrative(name: str = "garden") -> NarrativeUse:
    return NarrativeUse(narrative=name, mode="seed", category="calming_story", emotion="anxious")


def raw(text: str) -> msgspec.Raw:
    return msgspec.Raw(text.encode())
