"""Which story fits, told or as a colour: ranked by pool, feeling and what was told before.

None twice in a conversation while an unused fitting one exists; an exhausted pool begins with the oldest; from
five repeats on, one that calmed may return (D17). Of those not told yet in this conversation, one that calmed the
person before goes first, unless it was among those told lately (D16). A pure function: the same talk and the same past
get the same story.
"""

from collections.abc import Sequence

from companions.narratives import Narrative
from companions.policy_turn import NarrativeCategory, NarrativeLength


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
) -> Narrative | None:
    """The fitting story that is freshest, or None when no pool has any.

    ``told`` are this conversation's, ``told_before`` earlier conversations' (both oldest first). A story of
    ``calmed`` comes first of all, the latest of them. ``calmed_before`` are those that calmed in earlier conversations.
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

    return min(fresh, key=rank)
