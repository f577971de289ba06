"""The names of things on the wire.

The server makes its ids as a prefix and a UUIDv7 (``msg_0190…``); a client makes the ids of its commands as
it likes. A client need not understand an id: it keeps it and gives it back. An id that nobody gave out is
an unknown one, not a wrong frame, so only its length and its characters are checked here.
"""

from typing import Annotated, TypeAlias

from msgspec import Meta

NO_NUL = "^[^\\u0000]*$"  # holds in Python's and in ECMA's regular expressions alike

Id: TypeAlias = Annotated[str, Meta(min_length=1, max_length=128, pattern=NO_NUL)]

CommandId: TypeAlias = Annotated[
    Id, Meta(description="Chosen by the client; unique within a session and the sessions it continues.")
]
SessionId: TypeAlias = Annotated[Id, Meta(description="A session: `ses_` and a UUIDv7.")]
ConversationId: TypeAlias = Annotated[Id, Meta(description="A conversation: `cnv_` and a UUIDv7.")]
MessageId: TypeAlias = Annotated[Id, Meta(description="A message: `msg_` and a UUIDv7.")]
ResponseId: TypeAlias = Annotated[Id, Meta(description="A response: `rsp_` and a UUIDv7.")]
FactId: TypeAlias = Annotated[Id, Meta(description="A remembered fact: `fct_` and a UUIDv7.")]
SummaryId: TypeAlias = Annotated[Id, Meta(description="A summary: `sum_` and a UUIDv7.")]
MemoryItemId: TypeAlias = Annotated[
    Id, Meta(description="A fact or a summary; the prefix of the id says which.")
]
AlertId: TypeAlias = Annotated[Id, Meta(description="An alert: `alr_` and a UUIDv7.")]
NoteId: TypeAlias = Annotated[Id, Meta(description="A note to the parents: `nte_` and a UUIDv7.")]
UserId: TypeAlias = Annotated[Id, Meta(description="A person, by the name the installation gave.")]
Epoch: TypeAlias = Annotated[
    Id, Meta(description="A random id of the store, changed by every restore of a backup.")
]
Position: TypeAlias = Annotated[
    int,
    Meta(
        ge=0,
        le=2**53 - 1,
        description="A message's place in its conversation: decides order, has no gaps, is never reused.",
    ),
]
Seq: TypeAlias = Annotated[
    int, Meta(ge=0, le=2**53 - 1, description="The number of a session's event, from 1, without gaps.")
]
