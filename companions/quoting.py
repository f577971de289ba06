"""Text from people and models stays data: how it is quoted in a prompt, and what it cannot forge.

A prompt has two kinds of marks of its own: notes (data) and guidance (how to answer). Text that is quoted loses
the power to open or close them, and the control words by which model families tell roles apart: many servers read
those out of the text itself. Nothing else of a text is changed.
"""

import re

NOTES = ("<notes>", "</notes>")
GUIDANCE = ("<guidance>", "</guidance>")
_FORGED = re.compile(
    r"<(?=\s*/?\s*(?:notes|guidance)\b)"  # our own marks
    r"|<(?=[|｜][^<>|｜\n]{1,40}[|｜]>)"  # ChatML, Llama 3, DeepSeek
    r"|<(?=/?(?:s|bos|eos|start_of_turn|end_of_turn)>)"  # Llama 2, Mistral, Gemma
    r"|<(?=<\s*/?SYS\s*>>)"  # Llama 2
    r"|\[(?=/?INST\])",  # Llama 2, Mistral
    re.IGNORECASE,
)
_INSTEAD = {"<": "‹", "[": "("}


def unforged(text: str) -> str:
    """``text`` without the power to open or close a mark or a turn; whatever else it holds stays as it is."""
    if "<" not in text and "[" not in text:
        return text
    return _FORGED.sub(lambda found: _INSTEAD[found[0]], text)


def quoted(text: str) -> str:
    """``text`` as data in one line."""
    return unforged(" ".join(text.split()))


def between(marks: tuple[str, str], parts: list[str]) -> str:
    """``parts`` as one block between ``marks``; nothing when there are none."""
    return f"{marks[0]}\n" + "\n\n".join(parts) + f"\n{marks[1]}" if parts else ""
