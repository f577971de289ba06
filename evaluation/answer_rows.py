"""What the reader of forbidden answers learns from: sentences with a family (or none), a form or hand, and a weight.

There are three kinds. The sentences of `evaluation/training/answers.jsonl`, written for the purpose. What remains of
the forbidden ones among them without the clause that a pattern names ("as I said, lunch is at noon" leaves "lunch
is at noon"): it is innocent, and teaches that not the content forbids but the reminding. And the answers of those
sets whose first score is written down, each set a hand of its own: several hands teach what one cannot.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from evaluation.answers import Row as Answer
from evaluation.answers import rows as answers_of
from memory.answer_features import tokens
from memory.answer_reader import is_foreign
from memory.answer_rules import ALL, Heard, broken
from memory.answers import Turn, clauses, heard_in, plainly, sentence_of, sentence_spans

HERE = Path(__file__).parent
OWN_TEXTS, OWN_WEIGHT = 20_000, 20.0  # forms from here on are what the companion says by itself: it must pass
LEAST_OF_A_FORM = (
    5.0  # what a form's rows count for together: one of a single sentence is as good as one of five
)
REMAINS, REMAINS_WEIGHT, FEWEST_WORDS = 100_000, 2.0, 4
LEAVING = (
    "reminder",
    "quiz",
    "session",
)  # without their clause the rest is innocent; a correction's rest may correct
HANDS = 200_000  # a set's forms begin here, a thousand apart
FORBIDDEN, INNOCENT_WEIGHT, BESIDE = (
    5.0,
    2.0,
    1.0,
)  # a set's forbidden, innocent sentences, and those beside a forbidden one
MOST_OF_ANOTHER = 0.5  # a sentence beside the forbidden one that is likelier forbidden than this is left out
NUMBERS = """
    second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
    sixteenth seventeenth eighteenth nineteenth twentieth twentyfirst
    twentysecond twentythird twentyfourth twentyfifth twentysixth twentyseventh
"""
LEARNED = ("answers", *(f"answers_{number}" for number in NUMBERS.split()))


class Row(msgspec.Struct, frozen=True):
    """A sentence of the training file; rows of one ``form`` were made from one template or text."""

    form: int
    rule: str | None
    said: str
    answer: str


class Lesson(msgspec.Struct, frozen=True):
    """A sentence in plain letters after what was ``heard``; ``hand`` is its set, -1 for the training file."""

    form: int
    rule: str | None
    heard: Heard
    parts: tuple[str, ...]
    weight: float
    hand: int = -1


Chances = Callable[[Sequence[Lesson]], Sequence[dict[str, float]]]
"""What a reader takes each lesson for: the chance of each family, and of ``innocent``."""


def written() -> list[Lesson]:
    """The training file's sentences, and what remains of its forbidden ones."""
    lines = (HERE / "training" / "answers.jsonl").read_bytes().splitlines()
    rows = [msgspec.json.decode(line, type=Row) for line in lines]
    size: dict[int, int] = {}
    for row in rows:
        size[row.form] = size.get(row.form, 0) + 1
    return [
        *(_lesson(row, _weight(row.form, size[row.form])) for row in rows),
        *(lesson for row in rows if row.rule in LEAVING for lesson in _remains(row)),
    ]


def _weight(form: int, size: int) -> float:
    return OWN_WEIGHT if form >= OWN_TEXTS else max(1.0, LEAST_OF_A_FORM / size)


def _lesson(row: Row, weight: float) -> Lesson:
    parts = tuple(plainly(row.answer[start:end]) for start, end in sentence_spans(row.answer))
    return Lesson(row.form, row.rule, heard_in([Turn("user", row.said)]), parts, weight)


def _remains(row: Row) -> Iterator[Lesson]:
    """What is left of each sentence of ``row`` without the clause that a pattern finds, where that finds no more."""
    heard = heard_in([Turn("user", row.said)])
    for start, end in sentence_spans(row.answer):
        sentence = row.answer[start:end]
        found = broken(plainly(sentence), heard, ALL)
        if found is None or sentence.rstrip().endswith("?"):
            continue
        kept = [words for first, last, words in clauses(sentence) if last <= found[1] or first >= found[2]]
        rest = plainly(sentence_of(kept))
        if len(rest.split()) >= FEWEST_WORDS and broken(rest, heard, ALL) is None:
            yield Lesson(REMAINS + row.form, None, heard, (rest,), REMAINS_WEIGHT)


def of_sets(names: Sequence[str], chances: Chances) -> list[Lesson]:
    """The sentences of the sets called ``names``; what is not in English is left out.

    Which of a forbidden answer's sentences is the forbidden one no set says: it is the likeliest by ``chances``.
    """
    found = (lesson for name in names for lesson in _of_set(name, chances))
    return [lesson for lesson in found if not is_foreign(tokens(lesson.parts[0]))]


def _of_set(name: str, chances: Chances) -> Iterator[Lesson]:
    hand = LEARNED.index(name) if name in LEARNED else len(LEARNED)
    for at, answer in enumerate(answers_of(HERE / "sets" / f"{name}.jsonl")):
        form = HANDS + 1_000 * hand + at
        lessons = sentences_of(answer, form, hand)
        yield from lessons if answer.rule is None else _forbidden(answer.rule, lessons, chances)


def sentences_of(answer: Answer, form: int, hand: int) -> list[Lesson]:
    """The sentences of an answer of a set, each as an innocent one."""
    heard = heard_in(answer.window)
    parts = [plainly(answer.answer[start:end]) for start, end in sentence_spans(answer.answer)]
    return [Lesson(form, None, heard, (part,), INNOCENT_WEIGHT, hand) for part in parts]


def _forbidden(rule: str, lessons: Sequence[Lesson], chances: Chances) -> Iterator[Lesson]:
    found = chances(lessons)
    harm = [1 - one["innocent"] for one in found]
    worst = max(range(len(lessons)), key=lambda at: found[at][rule] + 0.3 * harm[at])
    for at, lesson in enumerate(lessons):
        if at == worst:
            yield msgspec.structs.replace(lesson, rule=rule, weight=FORBIDDEN)
        elif harm[at] < MOST_OF_ANOTHER:
            yield msgspec.structs.replace(lesson, weight=BESIDE)
