"""What a month must end with: trends as they were made, everything kept that is kept, and no view without consent."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

from memory.check_ins import MEASURES
from memory.long_trends import LongTrends
from memory.slopes import Direction
from server.app import STORE_FILE
from server.care_trends import trends_of
from server.lately import checked, lately
from tests.month.calendar import moment
from tests.month.people import CHANGE, QUESTIONS, SLOPES, Person
from tests.month.playing import HEART, MORE_THAN_KEPT, Month
from tests.server.test_forgetting import in_files

WAYS: dict[Direction, int] = {"rising": 1, "steady": 0, "falling": -1}
NEAR = 0.5  # of 10 a week, between the slope that was made and the one that is told
STEADY_CALLED = 0.25  # of what is steady may be called a direction: the rule risks 0.1, and there are few
PARTS_BETWEEN = 0.2  # by so much evenings lie higher, at least, where they were made uneasier


@dataclass
class Found:
    """The figures of a month, and what is not as it should be."""

    figures: dict[str, object] = field(default_factory=dict[str, object])
    wrong: list[str] = field(default_factory=list[str])


def check(month: Month) -> Found:
    """Look at the store of a month that is over."""
    found = Found()
    with closing(sqlite3.connect(f"file:{month.folder / STORE_FILE}?mode=ro", uri=True)) as db:
        found.wrong += _kept(month, db)
        _check_in_trends(month, db, found)
        _long_trends(month, db, found)
        found.wrong += _retention(month, db, found)
    if names := in_files(month.folder, str(HEART)):
        found.wrong.append(f"a value of health is in {names}")
    seen = month.seen
    found.wrong += [*seen.leaks, *seen.withheld]
    found.figures |= {
        "views given": seen.given,
        "views refused": seen.refused,
        "views without consent": len(seen.leaks),
        "views withheld": len(seen.withheld),
    }
    return found


def _kept(month: Month, db: sqlite3.Connection) -> Iterator[str]:
    """Every word that was acknowledged is there once, in an order without gaps."""
    for person in month.people:
        rows = db.execute("SELECT text FROM messages WHERE user_id = ? AND role = 'user'", (person.name,))
        if Counter(text for (text,) in rows) != Counter(person.said):
            yield f"{person.name}: what was said is not what is kept"
    gaps = db.execute(
        """
        SELECT conversation FROM messages GROUP BY conversation HAVING MAX(position) <> COUNT(*)
        """
    ).fetchall()
    if gaps:
        yield f"{len(gaps)} conversations with a gap"


def _check_in_trends(month: Month, db: sqlite3.Connection, found: Found) -> None:
    """Where things go is what the generator made of them, within ``NEAR``."""
    far, steady, called, told = 0.0, 0, 0, 0
    for person in month.people:
        if person.companion != "serenity":
            continue
        now = checked(db, user=person.name, companion="serenity")
        known = lately(db, now, user=person.name, companion="serenity", now=moment(month.days, 8))
        trends = dict(known.trends) if known is not None else {}
        for measure in MEASURES:
            made = SLOPES[person.kind][measure]
            trend = trends.get(measure)
            if trend is None:
                if month.days >= 20:
                    found.wrong.append(f"{person.name}: nothing is said of {measure}")
                continue
            told += 1
            far = max(far, abs(trend.per_week - WAYS[made] * CHANGE * 7 / (month.days - 1)))
            if made == "steady":
                steady += 1
                called += trend.direction != "steady"
            elif month.days >= 20 and trend.direction != made:
                found.wrong.append(f"{person.name}: {measure} is called {trend.direction}, not {made}")
        if known is not None and known.habits.talks != person.talks:
            found.wrong.append(f"{person.name}: {known.habits.talks} talks, not {person.talks}")
        if known is not None and known.habits.parts not in ((), (person.part,)):
            found.wrong.append(f"{person.name}: talks in the {known.habits.parts}, not {person.part}")
    if month.days >= 20 and far > NEAR:
        found.wrong.append(f"a slope is {far:.2f} a week from the one that was made")
    if steady and called / steady > STEADY_CALLED:
        found.wrong.append(f"{called} of {steady} that are steady are called a direction")
    found.figures |= {
        "trends of check-ins told": told,
        "farthest slope, of 10 a week": round(far, 2),
        "steady ones called a direction": f"{called} of {steady}",
    }


def _long_trends(month: Month, db: sqlite3.Connection, found: Found) -> None:
    for person in month.people:
        if person.companion == "clara":
            trends = trends_of(db, person.name, "clara", 366)
            found.wrong += [f"{person.name}: {each}" for each in _against(month, person, trends)]
            found.figures[f"distress of {person.name} (kind {person.kind})"] = _told(trends)


def _against(month: Month, person: Person, trends: LongTrends) -> Iterator[str]:
    texts = {text: kind for kind, text in QUESTIONS.items()}
    asked = Counter(texts[line] for line in person.said if line in texts)
    if {each.kind: each.count for each in trends.questions if each.kind in QUESTIONS} != dict(asked):
        yield f"questions {[(each.kind, each.count) for each in trends.questions]}, not {dict(asked)}"
    private = sum(person.secret in line for line in person.said)
    if trends.messages != len(person.said) - private:
        yield f"{trends.messages} messages, not {len(person.said) - private}"
    if any(each.uses < 6 for each in (*trends.stories, *trends.categories)):
        yield "a story is judged by fewer than six uses"
    if month.days < 20:
        return
    if trends.parts is None or trends.baseline is None or trends.direction is None:
        yield "nothing is said of parts of the day, of what is usual, or of where it goes"
    elif person.kind == 0 and trends.parts.later.low < PARTS_BETWEEN:
        yield f"evenings are not told to be worse: {trends.parts.later}"
    elif person.kind == 2 and trends.direction.direction != "falling":
        yield f"distress is called {trends.direction.direction}, not falling"
    elif person.kind in (1, 3) and abs(trends.parts.later.middle) >= PARTS_BETWEEN:
        yield f"mornings and evenings are told to differ: {trends.parts.later}"


def _told(trends: LongTrends) -> str:
    usual = "-" if trends.baseline is None else f"{trends.baseline.usual.middle:.2f}"
    later = "-" if trends.parts is None else f"{trends.parts.later.low:.2f} to {trends.parts.later.high:.2f}"
    way = "-" if trends.direction is None else trends.direction.direction
    return (
        f"usual {usual}, evenings by {later}, {way}; {trends.messages} messages, {trends.set_aside} set aside, "
        f"{len(trends.stories)} stories judged, {trends.too_few} told too seldom"
    )


def _retention(month: Month, db: sqlite3.Connection, found: Found) -> Iterator[str]:
    """What is kept for ever is there; what goes by its age went, and nothing of it by a wrong clock."""
    now = month.calendar.at
    (late,) = db.execute(
        "SELECT COUNT(*) FROM commands WHERE message IS NULL AND result IS NOT NULL AND at < ?",
        (now - 48 * 3_600_000,),
    ).fetchone()
    if late:
        yield f"{late} results of commands are older than two days"
    if more := db.execute(MORE_THAN_KEPT).fetchall():
        yield f"more than five summaries are not put away: {more}"
    (summaries,) = db.execute("SELECT COUNT(*) FROM summaries WHERE partial = 0").fetchone()
    (closed,) = db.execute("SELECT COUNT(*) FROM conversations WHERE closed IS NOT NULL").fetchone()
    if closed != sum(each.talks for each in month.people):
        yield f"{closed} talks are kept, not {sum(each.talks for each in month.people)}"
    found.figures |= {"talks": closed, "summaries kept": summaries}
