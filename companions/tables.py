"""The one form of a table in a companion's files."""

import msgspec


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A frozen table: a key that is not named in it is refused."""
