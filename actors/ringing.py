"""An alarm of a session has rung: what it says is left in the session's own mailbox."""

from typing import TYPE_CHECKING

from actors.alarms import Alarm
from actors.disclosing import DISCLOSURE
from actors.mail import Disclose, Linger
from companions.events import TimerRang

if TYPE_CHECKING:
    from actors.session import Session


def ring(session: "Session", alarm: Alarm) -> None:
    """Leave word of it."""
    if alarm == "linger":
        session.address.post(Linger())
    elif alarm == DISCLOSURE:
        session.address.post(Disclose())
    else:
        ids = session.services.mint(len(session.cast.rules.settings.jobs))
        session.address.post(TimerRang(timer=alarm, ids=ids, at=session.services.now_ms()))
