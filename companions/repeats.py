"""What a command came to is kept with what it changed, so that the same command again gets its first answer."""

import msgspec

from companions.changes import Change, CommandDone, CommandId


def done_command(
    change: Change, command: CommandId | None, result: dict[str, str | None]
) -> tuple[CommandDone, ...]:
    """What lands with ``change`` to keep the result of the command that led to it; nothing without one."""
    if command is None:
        return ()
    kept = msgspec.Raw(msgspec.json.encode(result))
    done = CommandDone(
        user=change.user, companion=change.companion, at=change.at, command=command, result=kept
    )
    return (done,)
