"""What lies beside an encrypted store is sealed: AES-256-GCM under a key made of the store's, a fresh nonce each."""

import secrets
from typing import Final

from storage.engine import WrongKey, derived

_NONCE_BYTES: Final = 12


class BadSeal(Exception):
    """It was sealed with another key, or changed since."""


class Seal:
    """Closes and opens under one key."""

    def __init__(self, key: bytes) -> None:
        try:
            from cryptography.exceptions import InvalidTag
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError:
            raise WrongKey("needs cryptography: pip install 'fireside[encrypted]'") from None
        self._cipher = AESGCM(derived(key, "seal"))
        self._invalid = InvalidTag

    def closed(self, content: bytes) -> bytes:
        """``content`` that only the key opens."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, content, None)

    def opened(self, sealed: bytes) -> bytes:
        """What was sealed; raises ``BadSeal``."""
        try:
            return self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], None)
        except (self._invalid, ValueError):
            raise BadSeal from None
