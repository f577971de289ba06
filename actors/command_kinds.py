"""Kinds of commands: what reads, what the person changes in what is remembered, and what tells two apart."""

import hashlib
from typing import Final

import msgspec

from protocol.audit_frames import AuditQuery
from protocol.care_frames import ConsentList
from protocol.catalogue import AnyCommand
from protocol.conversation_frames import ConversationHistory, ConversationList
from protocol.memory_frames import (
    MemoryAdd,
    MemoryEdit,
    MemoryForget,
    MemoryList,
    MemoryPin,
    MemorySearch,
    MemorySettings,
    MemoryUndo,
    MemoryWhy,
)
from protocol.person_frames import ProfileGet
from protocol.session_frames import Ping
from protocol.talk_frames import GreetingGet
from protocol.trend_frames import MoodTrends

READS: Final = (
    Ping,
    ConversationList,
    ConversationHistory,
    MemoryList,
    MemorySearch,
    MemoryWhy,
    ProfileGet,
    MoodTrends,
    GreetingGet,
    ConsentList,
    AuditQuery,
)
"""Commands that change nothing that is kept: they run again when they are sent again."""

MEMORY: Final = (MemoryAdd, MemoryEdit, MemoryPin, MemoryForget, MemoryUndo, MemorySettings)
"""Commands by which the person changes what is remembered of them."""


def digest_of(command: AnyCommand) -> str:
    """What tells a repeated command from another one under the same id."""
    return hashlib.sha256(msgspec.json.encode(command)).hexdigest()[:32]
