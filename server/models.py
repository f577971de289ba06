"""From the settings to the model that answers, and the promise that a local companion's talk stays local (D29)."""

from collections.abc import Collection, Iterable

from companions.companion import Companion
from generation.choose import Chosen, ModelSettings
from generation.deadlines import Deadlines
from generation.naming import is_on_this_machine, written
from server.settings import BadSetting, Settings


def model_settings(settings: Settings) -> ModelSettings:
    """What the generation room needs of the settings."""
    model = settings.model
    return ModelSettings(
        model=model.name or None,
        api_key=model.api_key,
        most_at_once=model.most_at_once,
        deadlines=Deadlines(
            first_token=model.first_token_seconds, gap=model.gap_seconds, total=model.total_seconds
        ),
    )


def check_local(chosen: Chosen, companions: Iterable[Companion], allowed: Collection[str]) -> None:
    """Refuse a model beyond this machine for companions whose talk may not leave it."""
    if is_on_this_machine(chosen.model):
        return
    local = {each.id for each in companions if each.policy.model.local_only and each.id not in allowed}
    if local:
        names = ", ".join(sorted(local))
        raise BadSetting(
            "model.name",
            written(chosen.model),
            f"{names} may only use a model on this machine; name the companion in companions.allow_remote to allow it",
            "settings",
        )
