"""Cuts a model's reasoning out of what it says, wherever the pieces of its stream are cut.

Servers that know a model's format send its reasoning in a field of its own, which the dialects drop. Others
send it in the text, between markers that differ by family; this is for them. Text that could be the
beginning of a marker is held back until it is clear what it is. When in doubt it is reasoning: an answer
that stays away can be replaced, a thought that was shown can not be taken back.
"""

import re
from typing import Final, Literal, TypeAlias

from generation.thinking_aloud import thinks_aloud

Mark: TypeAlias = Literal["open", "close", "header", "message", "end"]

TAGS = ("think", "thinking", "thought", "reasoning", "seed:think")  # DeepSeek, Qwen, GLM; others; Seed
PAIRS = (
    *((f"<{tag}>", f"</{tag}>") for tag in TAGS),
    ("[think]", "[/think]"),  # Magistral
    ("◁think▷", "◁/think▷"),  # Kimi
    ("<|begin_of_thought|>", "<|end_of_thought|>"),  # OpenThinker
    ("<|start_thinking|>", "<|end_thinking|>"),  # Command
)
MARKS: Final[dict[str, Mark]] = {
    **{opening: "open" for opening, _ in PAIRS},
    **{closing: "close" for _, closing in PAIRS},
    "<|start|>": "header",  # gpt-oss ("harmony"): header, <|message|>, text, <|end|>
    "<|channel|>": "header",
    "<|message|>": "message",
    "<|end|>": "end",
    "<|return|>": "end",
    "<|call|>": "end",
}
FIRST_CHARACTERS = frozenset(mark[0] for mark in MARKS)
LONGEST = max(map(len, MARKS))
MARK = re.compile("|".join(map(re.escape, sorted(MARKS, key=len, reverse=True))), re.IGNORECASE)
SHOWN_CHANNEL = re.compile(r"\s*final\b", re.IGNORECASE)
MOST_LEAD = 100  # characters
MOST_HEADER = 200  # characters; a longer one is no header

OPENED_BY_TEMPLATE = re.compile(
    r"deepseek-?r1|r1-distill|r1-1776|\bqwq\b|qwen3.*thinking|glm-?z1|thinking-2507", re.IGNORECASE
)


def opened_by_template(model: str) -> bool:
    """Whether models of this name begin inside their reasoning, so that only its closing mark is in the text.

    Their chat templates end with the opening mark (DeepSeek-R1 and its distillates since early 2025, QwQ, the
    thinking variants of Qwen 3). A setting overrides this guess by name.
    """
    return OPENED_BY_TEMPLATE.search(model) is not None


class MissingOpeningError(Exception):
    """Reasoning was closed that had not been opened: what was let through before was reasoning."""


class Cutter:
    """Feed it text, get what may be shown. With ``opened`` everything up to the first closing mark is
    reasoning.

    With ``wary`` an answer that begins like thinking aloud is held back until a closing mark shows that it was, or
    its end that it was not.
    """

    def __init__(self, *, opened: bool = False, wary: bool = False) -> None:
        self._depth = int(opened)
        self._untouched = opened  # opened by the template, and the model has written nothing yet
        self._channel: Literal["none", "header", "shown", "hidden"] = "none"
        self._header = ""
        self._held = ""
        self._wary = wary and not opened
        self._doubted = ""  # may be reasoning that the template opened
        self._lead: str = ""  # white space that may stand before reasoning
        self.cut = False  # a mark was seen
        self.opened = opened  # what was read began inside reasoning
        self.shown = False  # something that is not white space

    def separated(self) -> None:
        """The server sends reasoning apart, so the text begins with the answer."""
        self._wary = False
        if self._untouched:
            self._depth, self._untouched = 0, False

    def feed(self, text: str) -> str:
        """What of the text so far may be shown and was not yet. Raises ``MissingOpeningError``."""
        if self._wary:
            self._doubted, text = "", self._doubted + text
            if self._is_doubtful(text):
                return ""
        if not self._held and not self._hidden and FIRST_CHARACTERS.isdisjoint(text):
            return self._show(text)
        text = self._held + text
        held = _maybe_mark(text)
        text, self._held = text[: len(text) - held], text[len(text) - held :]
        return self._walk(text)

    def _is_doubtful(self, text: str) -> bool:
        """Whether to wait before anything of ``text``, the beginning, is shown; it is held then."""
        marks = [(mark.end(), MARKS[mark[0].lower()]) for mark in MARK.finditer(text)]
        if not marks and (thinks_aloud(text) != "no"):
            self._doubted = text
            return True
        self._wary = False
        if marks and marks[0][1] == "close" and thinks_aloud(text) == "yes":
            self._depth, self.opened = 1, True
        return False

    def end(self, *, whole: bool = True) -> str:
        """What was held back and turned out to be no mark, nor, where the answer is ``whole``, thinking."""
        held, self._held, self._doubted = self._doubted + self._held, "", ""
        if not self._wary:
            return "" if self._hidden else self._show(held)
        self._wary = False
        return self._show(held) if whole or thinks_aloud(held) != "yes" else ""

    @property
    def _hidden(self) -> bool:
        return self._depth > 0 or self._channel in ("header", "hidden")

    def _walk(self, text: str) -> str:
        shown: list[str] = []
        begin = 0
        for mark in MARK.finditer(text):
            shown.append(self._pass(text[begin : mark.start()]))
            self._turn(MARKS[mark[0].lower()])
            begin = mark.end()
        shown.append(self._pass(text[begin:]))
        return "".join(shown)

    def _pass(self, text: str) -> str:
        if self._channel == "header":
            self._header = (self._header + text)[:MOST_HEADER]
        if self._hidden:
            self._untouched = self._untouched and not text.strip()
            return ""
        return self._show(text)

    def _show(self, text: str) -> str:
        if self.shown:
            return text
        text = self._lead + text
        self._lead = ""
        if not text.strip():
            self._lead = text[:MOST_LEAD]
            return ""
        self.shown = True
        return text.lstrip() if self.cut else text

    def _turn(self, mark: Mark) -> None:
        match mark:
            case "open":
                self._depth += 0 if self._untouched else 1
                self._untouched = False
            case "close" if self._depth:
                self._depth -= 1
                self._untouched = False
            case "close" if self.shown:
                raise MissingOpeningError
            case "header":
                self._channel, self._header = "header", ""
            case "message":
                self._channel = "shown" if SHOWN_CHANNEL.match(self._header) else "hidden"
            case "end" if self._channel != "none":
                self._channel = "hidden"
            case _:
                pass  # an empty block that the template opened, or an end where nothing has begun
        self.cut = True


def _maybe_mark(text: str) -> int:
    """How many characters at the end of the text may be the beginning of a mark."""
    tail = text[-(LONGEST - 1) :].lower()
    for begin, character in enumerate(tail):
        rest = tail[begin:]
        if character in FIRST_CHARACTERS and any(mark.startswith(rest) and mark != rest for mark in MARKS):
            return len(rest)
    return 0
