"""Where help is found, by country and kind of crisis. Fixed data: it needs no store and no model."""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from companions.policy_safety import CrisisCategory
from companions.tables import Table

INTERNATIONAL = "international"


class Resource(Table, frozen=True, kw_only=True):
    """A service, how to reach it, when, and for what."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=120)]
    contact: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    hours: str | None = None
    categories: Annotated[tuple[CrisisCategory, ...], msgspec.Meta(min_length=1)]


class Country(Table, frozen=True, kw_only=True):
    """The services of a country, the most important first."""

    resources: Annotated[tuple[Resource, ...], msgspec.Meta(min_length=1)]


Resources = Mapping[str, Country]


def resources_for(table: Resources, category: CrisisCategory, country: str | None) -> tuple[Resource, ...]:
    """The services for ``category`` in ``country``; the international ones where the country is not known."""
    place = table.get(country or INTERNATIONAL) or table[INTERNATIONAL]
    found = tuple(each for each in place.resources if category in each.categories)
    return found or tuple(each for each in table[INTERNATIONAL].resources if category in each.categories)
