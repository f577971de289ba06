"""Whether an answer does what a companion for people with dementia must never do; what remains without it.

Six families are forbidden by that companion's storage design, sections 6.1 and 6.5: reminding that
something was asked or said before, quizzing, correcting, comparing, pointing out what no longer works, and
speaking of another day's conversation. A seventh is out of its role: speaking about the person, or of what it
was told to do, instead of to them (the same design's completeness check). A sentence is judged with what the
person said last: *that's the second verse again* is welcome when the person asked for it again.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from memory.answer_reader import likely, surely_innocent
from memory.answer_rules import ALL, Heard, broken
from memory.expressions import Expression
from memory.messages import Role

_QUOTES = str.maketrans("’‘ʼ`´“”\n\t", "'''''\"\"  ")
_END = Expression(r"[.!?…。！？]+[\"')\]”’]*(?=\s+[^a-zà-ÿ\s]|\s*$)|\n+")
_CLAUSE = Expression(r"\s*(?:[,;:–—]|\s-)\s+(?:and |but |so |because )?|\s+(?:and|but) (?=\w+ \w+ \w+)")
_LEADING = Expression(r"^(?:and|but|so|because|as|then|since|though|although)\s+", re.IGNORECASE)
_QUESTION = Expression(
    r"\?\W*$|^(?:\W|\b(?:oh|well|and|so|please|er+m?|um+|sorry|excuse me)\b)*"
    r"(?:where|what|who|when|why|how|which|is|are|am|was|were|do|does|did|have i|has|can|could|will|"
    r"would|shall|wo|wer|wann|wie|warum|dónde|qué|quién|cuándo|cómo)\b"
)
_TESTS_GLADLY = Expression(
    r"(?:^|[.,;:!?] |\b(?:on|please|and|then|so|(?:can|could|will|would) you|you can|you to|i want you to) )"
    r"(?:(?:test|quiz|try) me\b|ask me (?:an?|another|some|one|about|anything|questions?|something|the)\b|"
    r"(?:(?:give|set|tell|read|gie) (?:me|us)|gi(?:m|zz?)e|gie'?s|gi's) (?:an?|another|some|the(?: next)?) "
    r"(?:riddles?|puzzles?|questions?|quiz|teaser|sums?)\b|"
    r"let's (?:do|have|play|hear) (?:the|an?|another|some|our) "
    r"(?:quiz|riddles?|guessing game|trivia|crossword|spelling bee)\b)"
)
_OFFERS = Expression(
    r"\b(?:let me|lemme|i(?:'ll|'d| will| could| can| must| want to|'d like to| would like to| have to|'ve got to)|"
    r"(?:shall|can|may|could|should|did|have) i(?: ever)?) (?:tell|told|tellt) (?:you|ye|ya|yer|yous|youse|thee)\b|"
    r"\b(?:do you|would you|d'you|d'ye|you) (?:want|wanna|like|care|fancy)(?: to)? (?:hear|know|hearing|knowing)\b|"
    r"\b(?:i've|i have|i) (?:got )?(?:a|some|such a|quite a) (?:\w+ )?(?:story|tale|yarn|news|secret)\b"
)
_FEWEST_WORDS = 3
_MOST_CLAUSES = 4


class Turn(msgspec.Struct, frozen=True):
    """A message of the conversation that an answer is judged in."""

    role: Role
    text: str


class Verdict(msgspec.Struct, frozen=True):
    """``rule`` is the family that was broken, ``words`` the offending ones at ``start`` to ``end``."""

    allowed: bool
    rule: str | None = None
    start: int = 0
    end: int = 0
    words: str = ""


_ALLOWED = Verdict(allowed=True)


def judge(answer: str, window: Sequence[Turn], rules: frozenset[str] = ALL, *, shown: str = "") -> Verdict:
    """Judge ``answer``, or its next piece when ``shown`` is what the person already sees of it.

    The first broken rule is told, by place and then by the order of the table. A piece is read on from the
    sentence that ``shown`` left open; places count from the beginning of ``answer`` alone.
    """
    heard = heard_in(window)
    if _TESTS_GLADLY.search(heard.text):
        rules -= {"quiz"}  # who asks to be tested, or for a riddle, is not tested against their will
    open_part = _open_part(shown)
    text = open_part + answer
    for start, end in sentence_spans(text):
        found = _broken(text[start:end], heard, rules)
        if found is not None and start + found[2] > len(open_part):
            family, first, last = found
            first = max(start + first - len(open_part), 0)
            last = start + last - len(open_part)
            return Verdict(allowed=False, rule=family, start=first, end=last, words=answer[first:last])
    return _ALLOWED


def _broken(sentence: str, heard: Heard, rules: frozenset[str]) -> tuple[str, int, int] | None:
    """What the patterns find, unless that is surely innocent, or else what the trained reader thinks likely; where."""
    plain = plainly(sentence)
    found = broken(plain, heard, rules)
    if found is not None and not surely_innocent(plain, heard, found[0]):
        return found
    family = likely(plain, heard, rules)
    if family is None:
        return None
    for start, end, clause in list(clauses(sentence))[:_MOST_CLAUSES]:
        rest = f"{plain[:start]} {plain[end:]}"
        if likely(plainly(clause), heard, rules) is not None and likely(rest, heard, rules) is None:
            return family, start + len(clause) - len(clause.lstrip()), end
    return family, 0, len(sentence)


def repaired(answer: str, window: Sequence[Turn], rules: frozenset[str] = ALL) -> str:
    """What remains of ``answer`` without each offending clause, or its whole sentence; may be empty."""
    kept = [
        part for start, end in sentence_spans(answer) if (part := _without(answer[start:end], window, rules))
    ]
    shown = " ".join(kept)
    return shown if judge(shown, window, rules).allowed else ""


def _without(sentence: str, window: Sequence[Turn], rules: frozenset[str]) -> str:
    verdict = judge(sentence, window, rules)
    if verdict.allowed:
        return sentence.strip()
    kept = [
        clause for start, end, clause in clauses(sentence) if end <= verdict.start or start >= verdict.end
    ]
    rest = sentence_of(kept)
    stands = len(rest.split()) >= _FEWEST_WORDS and not sentence.rstrip().endswith("?")
    return rest if stands and judge(rest, window, rules).allowed else ""


def clauses(sentence: str) -> Iterator[tuple[int, int, str]]:
    """Where each clause of ``sentence`` begins and ends, and its words."""
    start = 0
    for match in _CLAUSE.finditer(sentence):
        yield start, match.start(), sentence[start : match.start()]
        start = match.end()
    yield start, len(sentence), sentence[start:]


def sentence_of(kept: Sequence[str]) -> str:
    """The clauses ``kept`` as one sentence."""
    text = _LEADING.sub("", ", ".join(clause.strip() for clause in kept if clause.strip()).strip())
    text = text.rstrip(" ,;:–—-")
    if text and text[-1] not in ".!?…":
        text += "."
    return text[:1].upper() + text[1:]


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence of ``text`` begins and ends."""
    start = 0
    for match in _END.finditer(text):
        if text[start : match.end()].strip():
            yield start, match.end()
        start = match.end()
    if text[start:].strip():
        yield start, len(text)


def _open_part(shown: str) -> str:
    """The sentence that ``shown`` breaks off in, and the space after it; empty when it is finished."""
    ends = [match.end() for match in _END.finditer(shown)]
    rest = shown[ends[-1] if ends else 0 :].lstrip()
    return f"{rest.rstrip()} " if rest else ""


def plainly(text: str) -> str:
    """``text`` in lower case with straight quotes, of the same length."""
    plain = text.translate(_QUOTES).lower()
    return plain if len(plain) == len(text) else "".join(c.lower()[:1] for c in text.translate(_QUOTES))


def heard_in(window: Sequence[Turn]) -> Heard:
    """What the person said last in ``window``."""
    said = next((turn.text for turn in reversed(window) if turn.role == "user"), "")
    plain = plainly(said).strip()
    return Heard(plain, bool(_QUESTION.search(plain)), bool(_OFFERS.search(plain)))
