"""What the trained reader of forbidden answers looks at in one sentence, as a set of names.

Four things are seen: the words and pairs of them; the same pairs with every word of content
replaced by its class (words of like meaning share one); the shape of the sentence with
what the person said last: a question about the past put to *you* is another thing than one about now;
and which acts stand together and whose they are: *I tell* beside *times* is another thing than *she tells*.
Runs of three words were seen too: they told the authors of the training apart, not the answers.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations, pairwise

import msgspec

from memory.answer_rules import acts
from memory.expressions import Expression

_TOKEN = Expression(r"n't\b|'[a-z]+|\d+|[a-zà-ÿ]+(?=n't\b)|[a-zà-ÿ]+(?:-[a-zà-ÿ]+)*|[?!:,]|\.\.\.")
_MOST_WORDS = 60


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


_FUNCTION = _words(
    "a an the this that these those it its i me my mine we us our you your yours he him his she her "
    "they them their who whom whose what which when where why how is are was were be been being am do "
    "does did done have has had having will would can could shall should may might must not no never "
    "nor and but or so if as than then though although because since until while of at by for with "
    "about into to from up down in out on off over again once more most any some all each every both "
    "few other such only own same too very just already still yet now here there ever always often "
    "before after earlier later ago back last long today yesterday n't 's 've 'll 'd 're 'm ? ! : , ... "
    "let one ones two three first second third time times like used let's anymore also even much many "
    "yes please tell say said told know remember"
)
_PAST = _words("was were did had used")
_YOU = _words("you your yours yourself")
_ASKING = _words("what which who whose whom when where how why")
_OPEN = _words("like love enjoy feel would shall fancy prefer comfortable warm favourite")
_WHO = {
    **dict.fromkeys(("i", "me"), "I"),
    **dict.fromkeys(("we", "us"), "we"),
    **dict.fromkeys(("you", "your"), "you"),
    **dict.fromkeys(("he", "she", "they", "his", "her", "him", "them", "who"), "they"),
}
_DENYING = _words("not n't no never nobody none isn nor longer")
_INTENT = Expression(
    r"\b(?:(?:have|has|need|got|going|want|off|supposed|ready) to|must|gotta|late for|needed at|expecting|"
    r"waiting|coming|on (?:my|his|her|their) way|outside|picking|collect\w*)\b"
)
_AGAIN = Expression(
    r"\b(?:again|once more|repeat\w*|already|before|remind|(?:did|have|had|was|am|do) i\b.{0,24}\b(?:ask\w*|"
    r"t[eo]ll?d?\w*|said|say\w*|mention\w*|bor\w+|show\w*))\b"
)
_PASTED = Expression(
    r"\b(?:was|were|did|had|used to|ago|died|dead|passed|\w{3,}ed|went|came|made|grew|ate|sang)\b"
)
_SETS = {
    "day": "monday tuesday wednesday thursday friday saturday sunday",
    "month": "january february march april may june july august september october november december",
    "season": "spring summer autumn winter",
    "hour": "morning afternoon evening night noon midnight",
    "kin": "mother father husband wife sister brother son daughter mum dad mam granny nurse cleaner carer "
    "neighbour doctor grandson granddaughter aunt uncle",
}
_KIND = {word: kind for kind, words in _SETS.items() for word in words.split()}
_NUMBER = Expression(
    r"^(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|sixty)$"
)


class Context(msgspec.Struct, frozen=True):
    """What the person said last, as far as it matters: ``kind`` of message, its words of content, its words
    that name one of a set (a day, a relation)."""

    kind: str
    content: AbstractSet[str]
    named: Mapping[str, AbstractSet[str]]


def context(said: str, *, asked: bool, offers: bool = False) -> Context:
    """The context of an answer to ``said``, which is in lower case with straight quotes."""
    words = tokens(said)
    content = {word for word in words if len(word) > 2 and word not in _FUNCTION}
    return Context("offer" if offers else _kind(said, asked=asked), content, _named(words))


def _kind(said: str, *, asked: bool) -> str:
    if not said:
        return "none"
    if _AGAIN.search(said):
        return "again"
    if asked:
        return "ask"
    if _INTENT.search(said):
        return "intent"
    return "tale" if _PASTED.search(said) else "state"


def tokens(plain: str) -> list[str]:
    """The words and the marks that matter of a sentence in lower case with straight quotes."""
    return _TOKEN.findall(plain)


def features(plain: str, before: Context, classes: Mapping[str, str]) -> set[str]:
    """The names of what is seen in the sentence ``plain`` after ``before``; ``classes`` are those of words."""
    words = tokens(plain)[:_MOST_WORDS]
    like = [word if word in _FUNCTION else classes.get(word, _other(word)) for word in words]
    found = set(words)
    found.update(_pairs(["^", *words, "$"], ""))
    found.update(_pairs(["^", *like, "$"], "~"))
    found.update(like)
    shape = _shape(words)
    echoed = sorted({"echo"} if not before.content.isdisjoint(words) else ())
    seen = [*shape, *echoed, *_contradicting(words, before)]
    found.update("=" + name for name in seen)
    found.update(f"={first}&{second}" for at, first in enumerate(seen) for second in seen[at + 1 :])
    found.update(f"={before.kind}&{name}" for name in seen)
    found.update(f"{before.kind}>{word}" for word in like)
    done = _acts(words)
    found.update("!" + act for act in done)
    found.update(f"!{first}+{second}" for first, second in combinations(done, 2))
    return found


def _acts(words: Sequence[str]) -> list[str]:
    """The acts in a sentence, those that matter so with who was named last before them."""
    known, who, found = acts(), "", set[str]()
    for word in words:
        if word in _WHO:
            who = _WHO[word]
        elif word in (",", ":"):
            who = ""
        act = known.get(word)
        if act is not None:
            found.add(f"{who}>{act[0]}" if act[1] else act[0])
    if "?" in words[-2:]:
        found.add("?")
    if not _PAST.isdisjoint(words):
        found.add("past")
    return sorted(found)


def _other(word: str) -> str:
    if _NUMBER.match(word):
        return "#"
    return "@ed" if word.endswith("ed") else "@"


def _pairs(words: Sequence[str], mark: str) -> set[str]:
    return {f"{mark}{first} {second}" for first, second in pairwise(words)}


def _shape(words: Sequence[str]) -> list[str]:
    kinds = (
        ("asks", "?" in words[-2:]),
        ("wh", not _ASKING.isdisjoint(words)),
        ("past", not _PAST.isdisjoint(words)),
        ("you", not _YOU.isdisjoint(words)),
        ("open", not _OPEN.isdisjoint(words)),
        ("denies", not _DENYING.isdisjoint(words)),
        ("short", len(words) < 6),
        ("perfect", "'ve" in words or "have" in words or "has" in words or "been" in words),
    )
    return [name for name, holds in kinds if holds]


def _named(words: Sequence[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for word in words:
        kind = _KIND.get(word)
        if kind is not None:
            found.setdefault(kind, set()).add(word)
    return found


def _contradicting(words: Sequence[str], before: Context) -> list[str]:
    """The sets of which the sentence names another member than the person did."""
    named = _named(words)
    return sorted(
        f"other {kind}" for kind, said in before.named.items() if kind in named and not named[kind] & said
    )
