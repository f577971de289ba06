"""What a companion still owes its person to tell, and the mark that it was told."""

import msgspec

from companions.care_changes import PersonTold


class Owed(msgspec.Struct, frozen=True, kw_only=True):
    """Sentences in the companion's own voice, and what lands once they were told."""

    say: tuple[str, ...]
    told: PersonTold
