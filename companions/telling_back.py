"""What a companion says by itself when it is asked for what the person told: their own words, in plain ones.

Only what the policy lets across conversations, and what was stated in this one; what a later statement ended is not
told. A companion that may not know other sessions tells nothing back (D15, D16).
"""

from collections.abc import Sequence

from companions.companion import Companion
from companions.remembered import FactLine, Permitted
from companions.summing_up import open_to_summaries
from companions.talk import Talk
from companions.texts import BackWord, filled
from memory.asked_back import AskedBack, asked_back
from memory.extracts import outline
from memory.facts import Add, HeldFact, Retract, Said, kept_as, said_in, supersede
from memory.statements_kinds import Statement

MOST_TOLD = 8  # things at once
MOST_READ = 40  # messages of the open talk
SUMMARY_WORDS = 60


def told_back(companion: Companion, permitted: Permitted, talk: Talk, text: str) -> str | None:
    """The answer to a question for what the person told; None where ``text`` is none, or the policy keeps nothing."""
    memory = companion.policy.memory
    if "across" not in (memory.facts, memory.key_facts):
        return None
    asked = asked_back(text)
    if asked is None:
        return None
    if asked.summary:
        return _summed(companion, talk)
    words = companion.texts.back
    found = [_line(companion, each) for each in _holding(permitted, talk) if _meant(each, asked)]
    known = tuple(dict.fromkeys(found))[:MOST_TOLD]
    if not known:
        return words["unknown"]
    return filled(words["all" if asked.everything else "told"], {"facts": _listed(companion, known)})


def _holding(permitted: Permitted, talk: Talk) -> list[Statement]:
    """What holds: the facts from before, as changed by what was stated in this conversation."""
    lines = permitted.facts or tuple(
        FactLine(id=f"key_fact:{at}", category="", text=text) for at, text in enumerate(permitted.key_facts)
    )
    held = {fact.id: HeldFact(fact.id, _statement(fact)) for fact in lines}
    said = said_in([(each.id, each.role, each.text) for each in talk.messages[-MOST_READ:]])
    statements = [each.statement for each in said if isinstance(each, Said)]
    for at, statement in enumerate(statements):
        match supersede(list(held.values()), statement):
            case Add(superseded=gone):
                held = {id_: each for id_, each in held.items() if id_ not in gone}
                held[f"here:{at}"] = HeldFact(f"here:{at}", kept_as(statement))
            case Retract(facts=gone):
                held = {id_: each for id_, each in held.items() if id_ not in gone}
            case _:
                pass
    return [each.statement for each in held.values()]


def _statement(fact: FactLine) -> Statement:
    return fact.statement or Statement(kind="identity", value=fact.text, attribute="")


def _meant(statement: Statement, asked: AskedBack) -> bool:
    return asked.everything or (
        statement.subject == "user" and bool({statement.attribute, statement.kind} & asked.about)
    )


def _line(companion: Companion, statement: Statement) -> str:
    words, about = companion.texts.back, statement.attribute.replace("_", " ")
    key: BackWord = "words"
    match statement.attribute:
        case "residence" | "job" | "employer" | "allergy" | "condition" | "medication" | "likes" | "dislikes":
            key = statement.attribute
        case _ if statement.attribute and statement.kind in ("identity", "relation", "goal", "diet"):
            key = "named"
        case _:
            pass
    if statement.subject != "user":
        return f"{statement.subject}: {about} {statement.value}"
    return filled(words[key], {"value": statement.value, "about": about})


def _listed(companion: Companion, parts: Sequence[str]) -> str:
    *others, last = parts
    return f"{', '.join(others)} {companion.texts.words['and']} {last}" if others else last


def _summed(companion: Companion, talk: Talk) -> str | None:
    """This talk in short, by its own words; what no summary may hold is in none."""
    asked = {each.id for each in talk.messages if each.role == "user" and asked_back(each.text)}
    told = [each for each in talk.messages if {each.id, each.answers}.isdisjoint(asked)]
    own = outline(open_to_summaries(told, talk.emotions), SUMMARY_WORDS)
    said = " ".join(each for each in (talk.summary or "", own) if each)
    return filled(companion.texts.back["summed"], {"facts": said}) if said else None
