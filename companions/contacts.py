"""Who there is to be told that somebody needs help: by role, and as the person knows them (D25).

A policy names roles for each kind of crisis. An alert goes to those of them that are there for this person with
this companion, and to nobody in their place: without a safeguarding contact abuse is told to nobody.
"""

from collections.abc import Sequence

import msgspec

from companions.policy_safety import Recipient


class Contacts(msgspec.Struct, frozen=True, kw_only=True):
    """The names of those who are there, by role. They are shown to the person, and to no model and no log."""

    caregiver: tuple[str, ...] = ()
    safeguarding: tuple[str, ...] = ()

    def of(self, role: Recipient) -> tuple[str, ...]:
        """Who has that role."""
        match role:
            case "caregiver":
                return self.caregiver
            case "safeguarding":
                return self.safeguarding

    def there(self, roles: Sequence[Recipient]) -> tuple[Recipient, ...]:
        """Those of ``roles`` that somebody has."""
        return tuple(role for role in roles if self.of(role))

    def names(self, roles: Sequence[Recipient]) -> tuple[str, ...]:
        """Who has one of ``roles``, each once."""
        return tuple(dict.fromkeys(name for role in roles for name in self.of(role)))
