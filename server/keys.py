"""The key of an encrypted store: read from the file that the settings name, used here, and shown nowhere."""

import os
import secrets
from pathlib import Path

from server.settings import BadSetting, Settings
from storage.engine import KEY_BYTES, WrongKey, forget, is_encrypted, unlock

KEY = "data.key_file"


def unlocked(settings: Settings) -> None:
    """Have the store of ``settings`` opened with its key, where it has one. Raises ``BadSetting``."""
    named, folder = settings.data.key_file, settings.folder
    if not named:
        forget(folder)
        if is_encrypted(folder):
            raise BadSetting(
                KEY, named, f"the store in {folder} is encrypted: name the file of its key", "settings"
            )
        return
    key = read_key(Path(named))
    try:
        unlock(folder, key)
    except WrongKey as wrong:
        raise BadSetting(KEY, named, str(wrong), "settings") from None


def read_key(file: Path) -> bytes:
    """The key in ``file``. Raises ``BadSetting``, never with what is in it."""
    try:
        key = bytes.fromhex(file.read_text(encoding="ascii").strip())
    except OSError as error:
        raise BadSetting(KEY, str(file), f"cannot be read: {error.strerror}", "settings") from None
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise BadSetting(KEY, str(file), "does not hold 64 hexadecimal digits", "settings")
    return key


def make_key(file: Path) -> bytes:
    """A fresh key in ``file``, for its owner's eyes alone; one that is there already is read."""
    if file.exists():
        return read_key(file)
    descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(descriptor, secrets.token_hex(KEY_BYTES).encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return read_key(file)
