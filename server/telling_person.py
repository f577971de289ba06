"""What the person is told of those who care for them: who was given a role, and what was consented to for them."""

from collections.abc import Awaitable, Callable

from companions.care_changes import PersonTold
from companions.consent_words import news
from companions.owed import Owed
from companions.state import Who
from storage.connection import Store
from storage.refusals import StoreRefused
from storage.untold import untold


def owing(store: Store, now_ms: Callable[[], int]) -> Callable[[Who], Awaitable[Owed | None]]:
    """What is still to be told to a person; nothing while the store gives no answer: it is told another time."""

    async def owed(who: Who) -> Owed | None:
        at = now_ms()
        try:
            found = await store.read(lambda db: untold(db, user=who.user, companion=who.companion, at=at))
        except StoreRefused:
            return None
        say = news(found.consents, [(each.role, each.name) for each in found.grants])
        if not say:
            return None
        return Owed(
            say=say,
            told=PersonTold(
                user=who.user,
                companion=who.companion,
                at=at,
                consents=tuple(each.id for each in found.consents),
                grants=tuple(each.id for each in found.grants),
            ),
        )

    return owed
