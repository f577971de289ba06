"""Small matters of wording while an answer is shown: sentences, the space between them, going on from a part."""

from msgspec.structs import replace

from companions.ports import Prompt, PromptMessage
from memory.text import sentences


def from_shown(prompt: Prompt, shown: str) -> Prompt:
    """The same prompt, the answer begun with what was shown."""
    if not shown.strip():
        return prompt
    return replace(prompt, messages=(*prompt.messages, PromptMessage(role="assistant", text=shown.rstrip())))


def gap(shown: str) -> str:
    """The space that sets further words off from what was shown."""
    return "" if not shown or shown[-1].isspace() else " "


def as_parts(text: str) -> tuple[str, ...]:
    """Sentences with the space that follows them, so that joined they are the text again."""
    parts = sentences(text)
    return tuple(part if at == len(parts) - 1 else f"{part} " for at, part in enumerate(parts))


def ends_sentence(text: str) -> bool:
    """Whether a sentence is over with ``text``."""
    return text.rstrip().endswith((".", "!", "?", "…", "。", "！", "？", '."', '!"', '?"'))
