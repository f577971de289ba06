"""Small matters of wording while an answer is shown: sentences, the space between them, going on from a part."""

from msgspec.structs import replace

from companions.ports import Prompt, PromptMessage
from companions.quoting import GUIDANCE, between, quoted
from companions.texts import filled
from memory.text import sentences


def from_shown(prompt: Prompt, shown: str, going_on: str) -> Prompt:
    """The same prompt, the answer begun with what was shown.

    Many servers let a model go on from an answer that is begun. Others take it for a turn that is over, so the
    guidance says it too, in the words of ``going_on``.
    """
    if not shown.strip():
        return prompt
    *before, asked = prompt.messages
    guidance = [filled(going_on, {"shown": quoted(shown)})] if going_on else []
    told = replace(
        asked, text="\n\n".join(part for part in (between(GUIDANCE, guidance), asked.text) if part)
    )
    begun = PromptMessage(role="assistant", text=shown.rstrip())
    return replace(prompt, messages=(*before, told, begun))


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
