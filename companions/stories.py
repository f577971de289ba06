"""Which story fits, told or as a colour: ranked by pool, feeling and what was told before.

None twice in a conversation while an unused fitting one exists; an exhausted pool begins with the oldest; from
five repeats on, one that calmed may return (D17). Of those not told yet in this conversation, one that calmed the
person before goes first, unless it was among those told lately (D16). Where there are vectors, half of the score is how
near a story is to what was just said (dementia storage design, section 7.2): who misses a garden hears of one, whatever
feeling was read. A pure function: the same talk and the same past get the same story.
"""

from collections.abc import Mapping, Sequence

from companions.narratives import Narrative
from companions.policy_turn import NarrativeCategory, NarrativeLength
from memory.vectors import cosine

MEANT = 0.5  # the part of the score that is meaning
NEAR = 0.5  # from this cosine on a story is wholly about what was said
FEELING, LENGTH, CALMED, FRESH = 0.5, 0.25, 0.125, 0.125  # of the rest; each as much as all after it


def choose(
    narratives: Sequence[Narrative],
    *,
    pools: Sequence[NarrativeCategory],
    feeling: str,
    prefer: NarrativeLength | None = None,
    told: Sequence[str] = (),
    told_before: Sequence[str] = (),
    calmed: Sequence[str] = (),
    calmed_before: Sequence[str] = (),
    likeness: Mapping[str, float] = {},
) -> Narrative | None:
    """The fitting story that is freshest, or None when no pool has any.

    ``told`` are this conversation's, ``told_before`` earlier conversations' (both oldest first). A story of
    ``calmed`` comes first of all, the latest of them. ``calmed_before`` are those that calmed in earlier conversations.
    ``likeness`` is the cosine of what was said with each story, by id, where there are vectors.
    """
    fitting = [each for each in narratives if each.category in pools]
    for story in reversed(calmed):
        for each in fitting:
            if each.id == story:
                return each
    fresh = [each for each in fitting if each.id not in told]
    if not fresh:
        oldest = {story: at for at, story in enumerate(told)}  # the last telling counts
        return min(fitting, key=lambda each: (oldest[each.id], each.id), default=None)
    age = {story: at for at, story in enumerate(told_before)}
    lately = {
        each.id for each in sorted(fitting, key=lambda each: -age.get(each.id, -1))[: len(fitting) // 2]
    }
    rested = {story for story in calmed_before if story not in lately or story not in age}

    def rank(each: Narrative) -> tuple[int, int, int, int, int, str]:
        return (
            0 if feeling in each.emotions else 1,
            0 if prefer is None or each.length == prefer else 1,
            0 if each.id in rested else 1,
            age.get(each.id, -1),
            pools.index(each.category),
            each.id,
        )

    def score(each: Narrative) -> float:
        untold = 1.0 if each.id not in age else 1.0 - (age[each.id] + 1) / len(told_before)
        fits = FRESH * untold + CALMED * (each.id in rested)
        fits += FEELING * (feeling in each.emotions) + LENGTH * (prefer is None or each.length == prefer)
        near = min(1.0, max(0.0, likeness.get(each.id, 0.0)) / NEAR)
        return (1.0 - MEANT) * fits + MEANT * near

    if not likeness:
        return min(fresh, key=rank)
    return min(fresh, key=lambda each: (-round(score(each), 6), *rank(each)))


def near_to(
    narratives: Sequence[Narrative], vector: Sequence[float] | None, meant: Mapping[str, bytes]
) -> dict[str, float]:
    """The cosine of ``vector`` with each story that has one in ``meant``, by its text; none without a vector."""
    if vector is None:
        return {}
    alike = ((each.id, cosine(vector, meant[each.text])) for each in narratives if each.text in meant)
    return {story: near for story, near in alike if near is not None}
