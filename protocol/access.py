"""Who may send what: one table, kind of command by role, with what must allow it beside the role.

The server asks it at one place, before anything else looks at a command. What is not in the table is not allowed.
Where the same frame does two things that are not for the same roles, each has a row of its own (``kind_of``).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from protocol.care_frames import ConsentSet
from protocol.catalogue import AnyCommand
from protocol.conversation_frames import ConversationOpen
from protocol.frames import frame_type

AccessRole: TypeAlias = Literal[
    "device",
    "person",
    "caregiver",
    "safeguarding",
    "admin",
    "pairing",  # a device that greeted with a code and is none yet
]
Need: TypeAlias = Literal[
    "nothing",  # beside the role: what it reaches is one's own
    "grant",  # a grant for the person
    "basis",  # a grant that names the basis on which its holder decides for the person
    "notes",  # a grant, and live consent to this scope; so for those that follow
    "summaries",
    "trends",
    "transcripts",
    "watching",
]

WATCH: Final = "conversation.open (watch)"
SAY_NO: Final = "consent.set (no)"

_PERSON: tuple[AccessRole, ...] = ("person",)
_TALKS: tuple[AccessRole, ...] = ("device", "person")
_ALL: tuple[AccessRole, ...] = ("device", "person", "caregiver", "safeguarding", "admin", "pairing")


def _rows(
    names: str, roles: tuple[AccessRole, ...], need: Need = "nothing"
) -> dict[str, dict[AccessRole, Need]]:
    return {name: dict.fromkeys(roles, need) for name in names.split()}


ACCESS: Final[Mapping[str, Mapping[AccessRole, Need]]] = MappingProxyType(
    {
        **_rows("hello ping", _ALL),
        # to talk, to stop, to begin anew, to be greeted: whoever stands before a device may
        **_rows("message.send response.cancel response.regenerate response.feedback greeting.get", _TALKS),
        **_rows("conversation.create conversation.close", _TALKS),
        # one's own memory: the person alone
        **_rows("conversation.list conversation.history conversation.open conversation.rename", _PERSON),
        **_rows("conversation.archive conversation.restore conversation.delete", _PERSON),
        **_rows(
            "conversation.summarize memory.list memory.search memory.add memory.edit memory.pin", _PERSON
        ),
        **_rows("memory.forget memory.undo memory.why memory.export memory.settings", _PERSON),
        **_rows("profile.get profile.set profile.answer mood.check_in mood.trends health.share", _PERSON),
        "memory.erase": {"person": "nothing", "caregiver": "grant"},
        # consent: the person's own, and that of those who may decide for them; a no is in everybody's reach
        "consent.set": {"person": "nothing", "caregiver": "basis"},
        SAY_NO: {"device": "nothing", "person": "nothing", "caregiver": "grant"},
        "consent.list": {"person": "nothing", "caregiver": "grant"},
        # what those who care for a person bring in and see
        **_rows("care.context.get care.context.set care.notes.read", ("caregiver",), "grant"),
        **_rows("care.notes", ("caregiver",), "notes"),
        **_rows("care.emotions care.repetition care.trends", ("caregiver",), "trends"),
        **_rows("care.summaries", ("caregiver",), "summaries"),
        **_rows("care.history", ("caregiver",), "transcripts"),
        WATCH: {"caregiver": "watching"},
        # alerts: whom the policy names; what was looked after needs a caregiver's consent to trends beside
        **_rows("care.escalations care.acknowledge", ("caregiver", "safeguarding"), "grant"),
        "care.release": {"safeguarding": "grant"},
        # devices: how one is let in, whose turn it is on it, and who looks after them
        **_rows("device.claim", ("pairing",)),
        **_rows("device.unlock device.lock", _TALKS),
        # who looked: the person, and admins, who are told no word of anybody's
        **_rows("audit.query", ("person", "admin")),
        **_rows("device.list device.pair device.name device.revoke", ("admin",)),
    }
)
"""Kinds of commands, the roles that may send each, and what each role needs beside."""


RECORDED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "care.emotions": "saw_feelings",
        "care.repetition": "saw_questions",
        "care.trends": "saw_trends",
        "care.summaries": "saw_summaries",
        "care.history": "saw_words",
        "care.notes": "saw_notes",
        "care.escalations": "saw_alerts",
        "care.context.get": "saw_context",
        "consent.list": "saw_consents",
        WATCH: "watched",
        "care.context.set": "told_context",
        "care.notes.read": "read_note",
        "care.acknowledge": "acknowledged",
        "care.release": "released",
        "consent.set": "consented",
        SAY_NO: "said_no",
        "memory.erase": "erased",
    }
)
"""What is recorded when somebody else than the person sends a command: a row for each that such a role may send."""


def kind_of(command: AnyCommand) -> str:
    """The row of ``command``."""
    match command:
        case ConversationOpen(mode="watch"):
            return WATCH
        case ConsentSet(allow=False):
            return SAY_NO
        case _:
            return frame_type(type(command))


def needed(command: AnyCommand, role: AccessRole) -> Need | None:
    """What ``role`` needs for ``command`` beside the role; None: it may not send it at all."""
    return ACCESS.get(kind_of(command), {}).get(role)
