"""What the page needs to know of a companion: its name, its words, its look, where help is."""

from collections.abc import Mapping

from companions.companion import Companion, page_words
from companions.policy_safety import CATEGORIES
from companions.resources import resources_for


def page_data(found: Mapping[str, Companion], name: str) -> dict[str, object] | None:
    """The page's data for the companion ``name``; None when there is no such companion."""
    companion = found.get(name)
    if companion is None:
        return None
    policy = companion.policy
    return {
        "name": companion.id,
        "display_name": companion.name,
        "subject": companion.subject,
        "language": policy.language,
        "theme": policy.page.theme,
        "text_px": policy.page.text_px,
        "transcript": policy.session.transcript,
        "pace_words_per_second": policy.pacing.words_per_second,
        "voice": {"rate": policy.voice.rate, "pitch": policy.voice.pitch},
        "words": page_words(companion),
        "session_types": {key: kind.label for key, kind in policy.session.types.items()},
        "help": _help(companion),
    }


def _help(companion: Companion) -> list[dict[str, str | None]]:
    """Every service once: help is always in reach (D26)."""
    seen: dict[str, dict[str, str | None]] = {}
    for category in CATEGORIES:
        for each in resources_for(companion.resources, category, companion.policy.safety.country):
            seen.setdefault(each.name, {"name": each.name, "contact": each.contact, "hours": each.hours})
    return list(seen.values())
