"""The tools a policy may offer to a model. Whose memory they reach is the session's business, never an argument's."""

from typing import Annotated

import msgspec

from companions.ports import Tool, ToolCall

SEARCH = Tool(
    name="search_memory",
    description=(
        "Search everything this person has said in earlier conversations with you. Use it when they refer to "
        "something that is not in front of you."
    ),
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string", "description": "A few words to look for."}},
        "required": ["query"],
        "additionalProperties": False,
    },
)
REMEMBER = Tool(
    name="remember",
    description=(
        "Keep one lasting fact that the person states in their present message, in their own words. Only what they "
        "say themselves is kept; use it when they ask for it or when it will matter in later conversations."
    ),
    parameters={
        "type": "object",
        "properties": {"text": {"type": "string", "description": "The fact, as the person said it."}},
        "required": ["text"],
        "additionalProperties": False,
    },
)
TOOLS: dict[str, Tool] = {"search_memory": SEARCH, "remember": REMEMBER}
MOST_QUERY = 200  # characters
MOST_KEPT = 500  # characters of what is to be remembered


class Sought(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model wants to search for. ``limit``, which some give unasked, only ever lessens what is found."""

    query: str
    limit: Annotated[int, msgspec.Meta(ge=1)] | None = None


def query_of(call: ToolCall) -> Sought | None:
    """What a model wants to search for; None when its arguments are not what was offered, such as a user."""
    try:
        sought = msgspec.json.decode(call.arguments, type=Sought)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    query = sought.query.strip()[:MOST_QUERY]
    return Sought(query, sought.limit) if query else None


class _Kept(msgspec.Struct, forbid_unknown_fields=True):
    text: str


def kept_of(call: ToolCall) -> str | None:
    """What a model wants to keep; None when its arguments are not what was offered."""
    try:
        text = msgspec.json.decode(call.arguments, type=_Kept).text.strip()
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return text[:MOST_KEPT] or None
