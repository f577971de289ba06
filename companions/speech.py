"""From what a model says to what a person is shown.

A model's words come in pieces of any size. ``Speech`` is what is known of them so far: what was shown, which is
never taken back, and what is held. Two things may hold words back: the cleaner, which cuts what is no answer (a
role marker, the prompt given back, JSON where speech was asked for), and for a companion with rules for its
answers the guard (D18), which checks each sentence together with what was shown before it lets it go.
"""

import re
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from companions.circling import circle_at

Judge: TypeAlias = Callable[[str, str], str | None]
"""Judges what was shown and the next part: None when it is allowed, else what remains of the part."""

Verdict: TypeAlias = Literal["open", "over", "violation", "not_speech"]

MOST_HELD = 240  # characters held at most before a cut at a clause (D18)
ECHO = 60  # characters in common with the prompt that make an echo
ROUNDS = 4  # the same sentence so often running: the model goes round in circles
ROUNDS_GUARDED = 2  # and where each sentence is checked before it is shown
ECHO_OF_SAID = 40  # shorter words of the person may well be given back: a greeting, for one

_ROLES = ("user", "human", "person", "assistant", "system", "ai", "bot")
_MARKER = re.compile(
    rf"(?:^|\n)[ \t]{{0,3}}(?:#{{1,3}} *)?\**(?:{'|'.join(_ROLES)})\** ?:"
    r"|<[|｜][^<>|｜\n]{1,40}[|｜]>|</s>|</?(?:start_of_turn|end_of_turn|notes|guidance)>|\[/?INST\]",
    re.IGNORECASE,
)
_LINE_START = re.compile(
    r"(?:^|\n)[ \t]{0,3}(?:#{1,3} *)?\**(?P<word>[a-z]*)(?P<rest>\** ?)\Z", re.IGNORECASE
)
_BRACKET_START = re.compile(
    r"(?:<(?:[|｜][^<>|｜\n]{0,40}[|｜]?|/?[a-z_]{0,14})|\[/?I?N?S?T?)\Z", re.IGNORECASE
)
_SENTENCE = re.compile(r"[.!?…。！？]+[\"'”’)\]]*(?=\s|(?<=[。！？]))|\n+(?=\S)")
_LAST_SENTENCE = re.compile(r"[.!?…。！？]+[\"'”’)\]]*(?=\s|$|(?<=[。！？]))|\n+")
_CLAUSE = re.compile(r"[,;:–—](?=\s)|\s(?=(?:and|but|or|so|because|und|aber|y|pero)\s)")
_NOT_END = re.compile(r"(?:\b(?:dr|mr|mrs|ms|st|e\.g|i\.e|etc|no|vs)|\b[a-z]|\d)\.$", re.IGNORECASE)


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """How a companion may speak. ``own_names`` are markers to strip when an answer begins with them."""

    guarded: bool = False
    plain_speech: bool = True  # JSON and code fences are no answer for this companion
    own_names: tuple[str, ...] = ()
    opening_of_prompt: str = ""  # an answer that begins like it is an echo
    said: tuple[str, ...] = ()  # and one that begins like these, where they are long enough
    most_held: int = MOST_HELD


class Speech(msgspec.Struct, frozen=True, kw_only=True):
    """One answer as it comes: ``shown`` is with the person, ``held`` is not yet."""

    shown: str = ""
    held: str = ""
    begun: bool = False  # the opening was looked at: no marker, echo or JSON there
    set_off: bool = False  # the next words go on behind a mended sentence: one space stands between


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What came of new words: what may be shown now, and whether the model may go on.

    ``over`` means that everything after is not the answer any more; ``violation`` that a rule was broken (what
    could be kept of the sentence is released); ``not_speech`` that the whole is no answer.
    """

    speech: Speech
    released: tuple[str, ...] = ()
    verdict: Verdict = "open"


def hear(speech: Speech, text: str, manner: Manner, judge: Judge) -> Heard:
    """Take in more words of the model."""
    if speech.set_off and text:
        text = f" {text.lstrip(' ')}"
        speech = msgspec.structs.replace(speech, set_off=False)
    speech = msgspec.structs.replace(speech, held=speech.held + text)
    if not speech.begun:
        opened = _open(speech, manner, final=False)
        if opened.verdict != "open" or not opened.speech.begun:
            return opened
        speech = opened.speech
    return _release(speech, manner, judge, final=False)


def hold_over(speech: Speech, manner: Manner, judge: Judge) -> Heard:
    """What was held has waited long enough: cut it at a clause, check, and let it go."""
    if not speech.begun:
        opened = _open(speech, manner, final=True)
        if opened.verdict != "open":
            return opened
        speech = opened.speech
    sure = speech.held[: _surely_said(speech.held, at_start=not speech.shown)]
    cut = _clause_cut(sure, len(sure)) or _word_cut(sure)
    return _let_go(speech, [speech.held[:cut]] if cut else [], manner, judge)


def end(speech: Speech, manner: Manner, judge: Judge, *, complete: bool) -> Heard:
    """The model is done. With ``complete`` False it was broken off: a guarded half sentence is dropped."""
    opened = Heard(speech=speech) if speech.begun else _open(speech, manner, final=True)
    if opened.verdict != "open":
        return opened
    heard = _release(opened.speech, manner, judge, final=True)
    if heard.verdict != "open":
        return heard
    rest = heard.speech.held.rstrip()
    if not rest or (manner.guarded and not complete and (heard.speech.shown or heard.released)):
        return Heard(speech=_emptied(heard.speech), released=heard.released, verdict="over")
    last = _let_go(heard.speech, [rest], manner, judge)
    verdict: Verdict = "over" if last.verdict == "open" else last.verdict
    return Heard(speech=_emptied(last.speech), released=heard.released + last.released, verdict=verdict)


def _emptied(speech: Speech) -> Speech:
    return msgspec.structs.replace(speech, held="")


def _open(speech: Speech, manner: Manner, *, final: bool) -> Heard:
    """Look at the beginning of an answer: strip the companion's own name, refuse what is no speech."""
    held = speech.held.lstrip()
    waiting = Heard(speech=msgspec.structs.replace(speech, held=held))
    if not held:
        return waiting
    for name in manner.own_names:
        marker = f"{name}:"
        if held.lower().startswith(marker.lower()):
            return _open(msgspec.structs.replace(speech, held=held[len(marker) :]), manner, final=final)
        if not final and marker.lower().startswith(held.lower()):
            return waiting
    if manner.plain_speech and held[0] in "{[`":
        return Heard(speech=_emptied(speech), verdict="not_speech")
    openings = _openings(manner)
    if any(held.startswith(opening) for opening in openings):
        return Heard(speech=_emptied(speech), verdict="not_speech")
    if not final and any(opening.startswith(held) for opening in openings):
        return waiting
    return Heard(speech=msgspec.structs.replace(speech, held=held, begun=True))


def _openings(manner: Manner) -> list[str]:
    """How an answer begins that gives back what the model was given."""
    said = [each.lstrip()[:ECHO] for each in manner.said]
    openings = [
        manner.opening_of_prompt.lstrip()[:ECHO],
        *(each for each in said if len(each) >= ECHO_OF_SAID),
    ]
    return [each for each in openings if each]


def _release(speech: Speech, manner: Manner, judge: Judge, *, final: bool) -> Heard:
    held, over = _before_marker(speech.held, speech.shown)
    speech = msgspec.structs.replace(speech, held=held)
    sure = len(held) if final or over else _surely_said(held, at_start=not speech.shown)
    if manner.guarded:
        parts = _sentences(held, sure, manner.most_held, _LAST_SENTENCE if final or over else _SENTENCE)
    else:
        parts = [held[:sure]]
    heard = _let_go(speech, parts, manner, judge)
    if over and heard.verdict == "open":
        rest = heard.speech.held.rstrip()
        last = _let_go(heard.speech, [rest], manner, judge)
        verdict: Verdict = "over" if last.verdict == "open" else last.verdict
        return Heard(speech=_emptied(last.speech), released=heard.released + last.released, verdict=verdict)
    return heard


def _before_marker(held: str, shown: str) -> tuple[str, bool]:
    """``held`` up to the first mark of a role or of the prompt, and whether there was one.

    A closing ``</s>`` whose opening was written is HTML.
    """
    for found in _MARKER.finditer(held):
        begins_line = found[0][0] in "\n<[" or not shown or shown.endswith("\n")
        html = found[0].lower() == "</s>" and "<s>" in (shown + held[: found.start()]).lower()
        if begins_line and not html:
            return held[: found.start()], True
    return held, False


def _surely_said(held: str, *, at_start: bool) -> int:
    """Up to where ``held`` cannot be the beginning of a mark."""
    bracket = _BRACKET_START.search(held)
    line = _LINE_START.search(held)
    ends = [bracket.start()] if bracket else []
    if line is not None and (at_start or line.start() > 0 or held.startswith("\n")):
        word = line["word"].lower()
        may = word in _ROLES if line["rest"] and word else any(role.startswith(word) for role in _ROLES)
        ends.extend([line.start()] if may else [])
    return min(ends, default=len(held))


def _sentences(held: str, sure: int, most: int, ends: re.Pattern[str]) -> list[str]:
    """The whole sentences of ``held``, and of one too long to be held what stands before a clause border.

    Nothing beyond ``sure`` is taken. Where a sentence ends does not depend on how its letters came.
    """
    parts: list[str] = []
    at = 0
    while at < sure:
        cut = _sentence_cut(held, at, min(sure, at + most), ends)
        if not cut and sure - at > most:
            piece = held[at : at + most]
            cut = at + (_clause_cut(piece, most) or _word_cut(piece) or most)
        if not cut:
            break
        parts.append(held[at:cut])
        at = cut
    return parts


def _sentence_cut(held: str, at: int, most: int, ends: re.Pattern[str]) -> int:
    for found in ends.finditer(held, at):
        if found.end() > most:
            return 0
        if not _NOT_END.search(held[at : found.end()]):
            return found.end()
    return 0


def _clause_cut(text: str, most: int) -> int:
    ends = [found.end() for found in _CLAUSE.finditer(text[:most])]
    return ends[-1] if ends else 0


def _word_cut(text: str) -> int:
    return text.rfind(" ") + 1


def _let_go(speech: Speech, parts: list[str], manner: Manner, judge: Judge) -> Heard:
    """Release ``parts``, which stand at the beginning of what is held, as far as the guard lets them."""
    released: list[str] = []
    for part in parts:
        if not part:
            continue
        circle = circle_at(speech.shown, part, ROUNDS_GUARDED if manner.guarded else ROUNDS)
        if circle is not None:
            return _stop_circling(speech, part, 0 if manner.guarded else circle, released)
        remains = judge(speech.shown, part) if manner.guarded else None
        if remains is not None:
            kept = _joined(speech.shown, remains)
            shown = speech.shown + kept
            heard = msgspec.structs.replace(speech, shown=shown, held="")
            return Heard(speech=heard, released=(*released, *([kept] if kept else [])), verdict="violation")
        speech = msgspec.structs.replace(speech, shown=speech.shown + part, held=speech.held[len(part) :])
        released.append(part)
    return Heard(speech=speech, released=tuple(released))


def _stop_circling(speech: Speech, part: str, cut: int, released: list[str]) -> Heard:
    """Of a part that only says again what was just said, the beginning up to ``cut`` is let go, and no more."""
    kept = [part[:cut]] if cut else []
    stopped = msgspec.structs.replace(speech, shown=speech.shown + part[:cut], held="")
    return Heard(speech=stopped, released=(*released, *kept), verdict="over")


def _joined(shown: str, remains: str) -> str:
    """What remains of a part, set off from what was shown."""
    kept = remains.strip()
    return f" {kept}" if kept and shown and not shown[-1].isspace() else kept
