"""The health context of a session in words: used in its prompts, never stored, never logged."""

from companions.remembered import Health
from protocol.person_frames import HealthShare


def health_of(command: HealthShare) -> Health | None:
    """The health context in words, the most telling first (wellness document, health context); None without any."""
    health = command.health
    if health is None:
        return None
    lines: list[str] = []
    night = health.last_night
    if night is not None:
        quality = f" ({night.quality})" if night.quality else ""
        lines.append(f"Last night's sleep: {night.minutes / 60:.1f} hours{quality}")
    if health.heart_rate_variability_ms is not None:
        lines.append(f"Heart rate variability: {health.heart_rate_variability_ms:.0f} ms")
    if health.mindful_minutes_today:
        lines.append(f"Mindful minutes today: {health.mindful_minutes_today}")
    rest = {
        "Average sleep in minutes": health.average_sleep_minutes,
        "Sleep quality trend": health.sleep_quality_trend,
        "Resting heart rate": health.resting_heart_rate,
        "Steps today": health.steps_today,
        "Average steps a day": health.average_steps,
        "Exercise minutes this week": health.exercise_minutes_this_week,
        "Mindful minutes this week": health.mindful_minutes_this_week,
    }
    lines.extend(f"{label}: {value}" for label, value in rest.items() if value is not None)
    return Health(lines=tuple(lines)) if lines else None
