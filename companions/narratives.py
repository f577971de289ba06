"""Stories a companion can tell, or let colour an answer."""

from typing import Annotated

import msgspec

from companions.policy_turn import NarrativeCategory, NarrativeLength
from companions.tables import Table


class Narrative(Table, frozen=True, kw_only=True):
    """One story (dementia storage design, 2.7): for which feelings, of which things, in which words.

    ``theme`` says in a word or two what it is about; ``anchors`` are the things it names, known for the rest
    of the conversation once it was told.
    """

    id: Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9-]{1,47}$")]
    title: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    category: NarrativeCategory
    length: NarrativeLength
    emotions: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    theme: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    anchors: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    text: Annotated[str, msgspec.Meta(min_length=1)]
