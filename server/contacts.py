"""Who is told of an alert: those whom the settings name, and those who hold a grant."""

from collections.abc import Awaitable, Callable, Mapping
from itertools import product

from actors.ports import CommandRefused
from companions.companion import Companion
from companions.contacts import Contacts as Told
from companions.state import Who
from server.settings import BadSetting, Contact, Contacts
from storage.connection import Store
from storage.grants import grants_for
from storage.patience import StoreSilent
from storage.refusals import StoreRefused


def contacts_of(settings: Contacts, found: Mapping[str, Companion]) -> Callable[[Who], Awaitable[Told]]:
    """Who is there for a person and a companion. Raises ``BadSetting`` for a contact that cannot be one."""
    for role, each in [
        *(("caregiver", each) for each in settings.caregiver),
        *(("safeguarding", each) for each in settings.safeguarding),
    ]:
        _check(f"contacts.{role}", each, found)
    for family, safe in product(settings.caregiver, settings.safeguarding):
        if _same_name(family, safe) and _overlap(family, safe):
            raise BadSetting(
                "contacts.safeguarding",
                safe.name,
                "is a caregiver too: abuse is told to somebody who is neither family nor caregiver",
                "settings",
            )

    async def contacts(who: Who) -> Told:
        return Told(
            caregiver=tuple(each.name for each in settings.caregiver if _is_for(each, who)),
            safeguarding=tuple(each.name for each in settings.safeguarding if _is_for(each, who)),
        )

    return contacts


def with_grants(store: Store, named: Callable[[Who], Awaitable[Told]]) -> Callable[[Who], Awaitable[Told]]:
    """Those who are ``named``, and those who hold a grant. Who is family or carer too is no safeguarding contact.

    While the store refuses there are only those who are named: nobody is said to be told who may not be. One that
    takes its time is asked again: raises ``CommandRefused``.
    """

    async def contacts(who: Who) -> Told:
        told = await named(who)
        try:
            found = await store.read(lambda db: grants_for(db, user=who.user))
        except StoreSilent as silent:
            raise CommandRefused(silent.code) from None
        except StoreRefused:
            return told
        held = [each for each in found if each.covers(who.user, who.companion)]
        caregiver = (*told.caregiver, *(each.name for each in held if each.role == "caregiver"))
        known = {name.casefold() for name in caregiver}
        safe = (*told.safeguarding, *(each.name for each in held if each.role == "safeguarding"))
        return Told(
            caregiver=tuple(dict.fromkeys(caregiver)),
            safeguarding=tuple(name for name in dict.fromkeys(safe) if name.casefold() not in known),
        )

    return contacts


def _check(key: str, contact: Contact, found: Mapping[str, Companion]) -> None:
    if not contact.name.isprintable() or contact.name != contact.name.strip():
        raise BadSetting(
            key, contact.name, "the name is one line of text, without space around it", "settings"
        )
    if not contact.user.isprintable() or contact.user != contact.user.strip():
        raise BadSetting(
            key, contact.user, "the user is one line of text, without space around it", "settings"
        )
    if contact.companion and contact.companion not in found:
        raise BadSetting(key, contact.companion, "there is no such companion", "settings")


def _is_for(contact: Contact, who: Who) -> bool:
    return contact.user in ("", who.user) and _covers(contact.companion, who.companion)


def _covers(wanted: str, companion: str) -> bool:
    """Whether a contact of ``wanted`` is one of ``companion``; a family's contact is one of all its members."""
    return wanted in ("", companion, companion.partition("/")[0])


def _overlap(one: Contact, other: Contact) -> bool:
    users = not one.user or not other.user or one.user == other.user
    companions = _covers(one.companion, other.companion) or _covers(other.companion, one.companion)
    return users and companions


def _same_name(one: Contact, other: Contact) -> bool:
    return one.name.casefold() == other.name.casefold()
