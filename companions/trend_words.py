"""Trends in plain sentences, for those who care for a person. What is not sure is not said."""

from collections.abc import Iterator, Mapping

from memory.long_trends import Baseline, DayParts, Effect, LongTrends
from memory.slopes import Direction

_GOES: dict[Direction, str] = {
    "rising": "Distress has been rising",
    "falling": "Distress has been going down",
    "steady": "Distress has stayed about the same",
}
_ASKED: dict[Direction, str] = {
    "rising": "more and more often",
    "falling": "less often than before",
    "steady": "",
}
KINDS: dict[str, str] = {
    "location": "where they are",
    "identity": "who they or others are",
    "time": "the time or the day",
    "activity": "what there is to do",
    "person": "somebody they miss",
}


def told(trends: LongTrends, titles: Mapping[str, str]) -> tuple[str, ...]:
    """What ``trends`` show, a sentence each; ``titles`` are those of the stories and their kinds."""
    return tuple(_lines(trends, titles)) or ("There is not enough to say yet.",)


def _lines(trends: LongTrends, titles: Mapping[str, str]) -> Iterator[str]:
    if trends.baseline is not None:
        yield from _usual(trends.baseline)
    if trends.parts is not None:
        yield _parts(trends.parts)
    if (way := trends.direction) is not None:
        yield f"{_GOES[way.direction]} over {way.span} days ({way.days} days with a talk)."
    for often in trends.questions[:3]:
        change = often.direction.direction if often.direction is not None else "steady"
        after = f", {_ASKED[change]}" if _ASKED[change] else ""
        yield f"Asked about {KINDS.get(often.kind, often.kind)} {_times(often.count)}{after}."
    for each in (*trends.categories, *trends.stories):
        if each.verdict != "no_clear_change":
            yield _effect(each, titles)


def _usual(baseline: Baseline) -> Iterator[str]:
    yield f"Usual distress is {_percent(baseline.usual.middle)} of 100 ({baseline.sessions} talks)."
    if baseline.unusual:
        yield f"In the last talk it was much higher: {_percent(baseline.latest)}."


def _parts(parts: DayParts) -> str:
    rests = f"({parts.morning_days} mornings, {parts.evening_days} evenings)"
    if parts.later.low > 0:
        return f"Mornings are calmer than evenings {rests}."
    if parts.later.high < 0:
        return f"Evenings are calmer than mornings {rests}."
    return f"Mornings and evenings do not clearly differ {rests}."


def _effect(effect: Effect, titles: Mapping[str, str]) -> str:
    what = titles.get(effect.name, effect.name.replace("_", " "))
    way = "less" if effect.verdict == "calms" else "more"
    return f"After “{what}” there was mostly {way} distress ({_times(effect.uses)})."


def _percent(value: float) -> int:
    return round(100 * value)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
