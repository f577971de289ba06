"""Who is told when somebody may be in danger, and that the person is told just that (D25)."""

from itertools import product

import pytest
from msgspec.structs import replace

from companions.changes import AlertRaised
from companions.companion import Companion
from companions.contacts import Contacts
from companions.events import Alert, Save
from companions.policy_safety import CATEGORIES, Recipient
from companions.state import Alarm, State, Who
from companions.turn import PolicyRules
from memory.crisis import Crisis
from memory.crisis_table import CrisisCategory
from memory.reading import Before, read
from memory.text import sentences, words
from tests.companions.library import NAMES, shipped
from tests.companions.sitting import Sitting

EVA, OKAFOR = "your daughter Eva", "Ms Okafor of the care team"
NOBODY = Contacts()
FAMILY = Contacts(caregiver=(EVA,))
SAFE = Contacts(safeguarding=(OKAFOR,))
BOTH = Contacts(caregiver=(EVA,), safeguarding=(OKAFOR,))
# Who may hear of what from severity 3, by the designs: nobody of the three private ones.
MAY_HEAR: dict[str, dict[CrisisCategory, tuple[Recipient, ...]]] = {
    "clara": {
        "self_harm": ("caregiver", "safeguarding"),
        "harm_others": ("caregiver", "safeguarding"),
        "abuse": ("safeguarding",),
        "medical": ("caregiver",),
    },
    "maestro": {
        "self_harm": ("safeguarding",),
        "harm_others": ("safeguarding",),
        "abuse": ("safeguarding",),
        "medical": ("caregiver", "safeguarding"),
    },
    "coach": {},
    "extremis": {},
    "serenity": {},
}
MEMBERS = [(name, member) for name in NAMES for member in shipped(name)]


def alarm(companion: Companion, category: CrisisCategory, contacts: Contacts, severity: int = 3) -> Alarm:
    """What a message of that category calls for."""
    state = State(who=Who(session="s", space="s", user="ann", companion=companion.id), contacts=contacts)
    crisis = Crisis(category=category, severity=severity, words="")  # as a reader would find it
    found = PolicyRules(companion).alarm(state, "msg_1", replace(read("Hello.", Before()), crisis=crisis))
    assert found is not None
    return found


@pytest.mark.parametrize(("name", "member"), MEMBERS, ids=lambda each: getattr(each, "id", ""))
@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("there", [NOBODY, FAMILY, SAFE, BOTH], ids=["nobody", "family", "safe", "both"])
def test_exactly_those_who_are_told_are_named(
    name: str, member: Companion, category: CrisisCategory, there: Contacts
) -> None:
    may = MAY_HEAR[name].get(category, ())
    expected = [role for role in may if there.of(role)]
    found = alarm(member, category, there)
    assert list(found.recipients or ()) == expected
    assert (found.recipients is None) == (
        not may
    )  # an alert that nobody is told of is kept, and goes nowhere
    assert found.tell is not None
    said = found.tell.say
    for role, contact in (("caregiver", EVA), ("safeguarding", OKAFOR)):
        assert (contact in said) == (role in expected)
    assert (member.texts.words["told_nobody"] in said) == (not expected)
    assert "{" not in said


@pytest.mark.parametrize(("name", "member"), MEMBERS, ids=lambda each: getattr(each, "id", ""))
def test_abuse_is_told_to_family_by_nobody(name: str, member: Companion) -> None:
    for severity in (1, 2, 3):
        found = alarm(member, "abuse", FAMILY, severity)
        assert not found.recipients
        assert found.tell is None or EVA not in found.tell.say


@pytest.mark.parametrize("member", [member for _, member in MEMBERS], ids=lambda member: member.id)
def test_below_an_alert_nobody_is_told_and_it_is_said_so(member: Companion) -> None:
    for category, severity in product(CATEGORIES, (1, 2, 3)):
        rule = member.policy.safety.rule(category)
        found = alarm(member, category, BOTH, severity)
        if rule.action(severity) == "escalate":
            continue
        assert found.recipients is None
        assert found.tell is None or member.texts.words["told_nobody"] in found.tell.say


@pytest.mark.parametrize("member", [member for _, member in MEMBERS], ids=lambda member: member.id)
def test_what_is_said_can_be_read_aloud(member: Companion) -> None:
    said: set[str] = set()
    for category, there in product(CATEGORIES, (NOBODY, BOTH)):
        tell = alarm(member, category, there).tell
        assert tell is not None
        parts = sentences(tell.say)
        assert 2 <= len(parts) <= 4
        assert all(part.strip().endswith(".") for part in parts)
        assert len(words(tell.say)) <= 50
        assert "!" not in tell.say
        assert tell.say != member.texts.words["crisis_title"]
        assert tell.resources
        said.add(tell.say)
    assert len(said) >= len(CATEGORIES)  # each kind of crisis has its own


def test_several_are_named_as_one_says_it() -> None:
    three = Contacts(caregiver=(EVA, "your son Tom"), safeguarding=(OKAFOR,))
    tell = alarm(shipped("clara")[0], "self_harm", three).tell
    assert tell is not None
    assert f"{EVA}, your son Tom and {OKAFOR}" in tell.say


def test_an_alert_that_nobody_hears_is_kept_and_raised_nowhere() -> None:
    for there, raised in ((NOBODY, 0), (SAFE, 1)):
        sitting = Sitting("clara")
        sitting.state = replace(sitting.state, contacts=there)
        sitting.say("My carer hits me every evening.")
        rows = [each.change for each in sitting.effects if isinstance(each, Save)]
        kept = [row for row in rows if isinstance(row, AlertRaised)]
        assert [row.recipients for row in kept] == [("safeguarding",) * raised]
        assert sum(isinstance(each, Alert) for each in sitting.effects) == raised


def test_no_model_is_given_a_contacts_name() -> None:
    sitting = Sitting("maestro")
    sitting.state = replace(sitting.state, contacts=BOTH)
    sitting.exchange("My chest hurts a little, I think.")
    sitting.exchange("I want to learn fractions.")
    for prompt in sitting.prompts:
        assert EVA not in str(prompt)
        assert OKAFOR not in str(prompt)
