"""The shape of the crisis reader's tables, one set for each language."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from memory.data import table

CrisisCategory = Literal["self_harm", "harm_others", "abuse", "medical"]
Kind = Literal["plan", "own", "other", "loose"]
Severity = Annotated[int, Meta(ge=0, le=3)]
FILES: dict[str, tuple[str, ...]] = {
    "en": (
        "crisis_en.toml",
        "crisis_en_self_harm.toml",
        "crisis_en_harm_others.toml",
        "crisis_en_abuse.toml",
        "crisis_en_medical.toml",
    ),
    "de": ("crisis_de.toml",),
    "es": ("crisis_es.toml",),
}


class Spelling(Struct, frozen=True, forbid_unknown_fields=True):
    """How a language is written by people who do not care how it is written.

    ``variants`` are single tokens and what they mean; ``rewrites`` set phrases and their plain form, applied
    after; ``keys`` words found in spite of one wrong letter; ``real`` words that look like such a slip and
    are none; ``common`` words that nearly every message has; ``fillers`` words left out before phrases are
    looked for; ``signs`` emoji that count as words.
    """

    variants: dict[str, str] = {}
    rewrites: dict[str, str] = {}
    keys: list[str] = []
    real: list[str] = []
    common: list[str] = []
    fillers: list[str] = []
    signs: dict[str, str] = {}


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases that speak of one kind of danger.

    ``kind`` says which guards may set them aside: a ``plan`` in the first person only its own negation and a
    figure of speech, ``own`` words and those about an ``other`` also the past, fiction and lessons, ``loose``
    ones jokes as well.
    ``severity`` 0 is a sign that counts only together with another (``tag``, see ``Pair``).
    ``unless`` are phrases that, before it or inside it, give the words to another rule. ``sure`` says whether
    nothing learned takes the sign of its words; where it is not said, that is so of a plan.
    """

    category: CrisisCategory
    severity: Severity
    kind: Kind
    phrases: list[str]
    tag: str = ""
    unless: list[str] = []
    sure: bool | None = None

    @property
    def stands(self) -> bool:
        """Whether its phrases keep their sign whatever was learned."""
        return self.kind == "plan" if self.sure is None else self.sure


class Pair(Struct, frozen=True, forbid_unknown_fields=True):
    """Two signs in the last three messages that together weigh more than each alone."""

    tags: list[str]
    category: CrisisCategory
    severity: Severity


class Guards(Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases that show that a danger is not meant, or not now; see ``memory.crisis_guards``."""

    idioms: list[str] = []
    negators: list[str] = []
    breakers: list[str] = []
    denials: list[str] = []
    over: list[str] = []
    past: list[str] = []
    looking_back: list[str] = []
    still: list[str] = []
    fiction: list[str] = []
    games: list[str] = []
    lessons: list[str] = []
    jokes: list[str] = []
    animals: list[str] = []
    addressed: list[str] = []
    markers: list[str] = []
    asking: list[str] = []
    first_person: list[str] = []
    people: list[str] = []

    def phrases(self) -> dict[str, list[str]]:
        """The guards that are looked for as phrases in a sentence, by name."""
        return {
            "idioms": self.idioms,
            "over": self.over,
            "past": self.past,
            "fiction": self.fiction,
            "games": self.games,
            "lessons": self.lessons,
            "jokes": self.jokes,
            "animals": self.animals,
        }


class Language(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything the reader knows of one language."""

    marks: list[str] = []
    spelling: Spelling = Spelling()
    classes: dict[str, list[str]] = {}
    rules: list[Rule] = []
    pairs: list[Pair] = []
    guards: Guards = Guards()


def language(name: str) -> Language:
    """The tables of a language as one; later files add classes and rules to the first."""
    parts = [table(file, Language) for file in FILES[name]]
    first = parts[0]
    return Language(
        marks=first.marks,
        spelling=first.spelling,
        classes={name: members for part in parts for name, members in part.classes.items()},
        rules=[rule for part in parts for rule in part.rules],
        pairs=[pair for part in parts for pair in part.pairs],
        guards=first.guards,
    )
