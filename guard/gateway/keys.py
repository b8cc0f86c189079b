"""Who may ask: the keys of the gateway, of which only digests are kept."""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from guard.errors import SettingsError
from guard.settings import GatewayKey, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key by its name. use_cases: it is good for; empty is all."""

    name: str
    digest: bytes = field(repr=False)
    use_cases: frozenset[str] = frozenset()

    def opens(self, use_case: str) -> bool:
        """Whether it is good for a use case."""
        return not self.use_cases or use_case in self.use_cases


class Keys:
    """All keys; without any, everybody may ask."""

    def __init__(self, keys: Iterable[Key]) -> None:
        self._keys = tuple(keys)

    def __bool__(self) -> bool:
        return bool(self._keys)

    def find(self, presented: bytes) -> Key | None:
        """The key somebody presents. Takes as long whether and wherever it is found."""
        digest, found = sha256(presented).digest(), None
        for key in self._keys:
            if hmac.compare_digest(digest, key.digest):
                found = key
        return found


def keys_of(settings: Settings, environment: Mapping[str, str] = os.environ) -> Keys:
    """The keys that settings name. Raises SettingsError; no message holds a key."""
    names: dict[bytes, str] = {}
    keys: list[Key] = []
    for number, one in enumerate(settings.gateway.keys):
        path = f"gateway.keys.{number}"
        key = Key(
            name=one.name,
            digest=_digest(one, path, environment),
            use_cases=frozenset(_declared(one, path, settings)),
        )
        if (other := names.setdefault(key.digest, one.name)) != one.name or one.name in {
            known.name for known in keys
        }:
            raise SettingsError(f"{path}: the same name or key as {other!r}; give each its own")
        keys.append(key)
    return Keys(keys)


def _digest(key: GatewayKey, path: str, environment: Mapping[str, str]) -> bytes:
    if key.key_env is None:
        return bytes.fromhex(key.sha256 or "")
    secret = environment.get(key.key_env, "")
    if not secret:
        raise SettingsError(f"{path}.key_env: the environment variable {key.key_env} is not set")
    if not (secret.isascii() and secret.isprintable() and " " not in secret):
        raise SettingsError(
            f"{path}.key_env: the key in {key.key_env} holds a space, a line break or another"
            " character that cannot be sent in a header"
        )
    return sha256(secret.encode("ascii")).digest()


def _declared(key: GatewayKey, path: str, settings: Settings) -> list[str]:
    for name in key.use_cases:
        if settings.use_cases and name not in settings.use_cases:
            known = ", ".join(sorted(settings.use_cases))
            raise SettingsError(f"{path}.use_cases: {name!r} is not declared (declared: {known})")
    return key.use_cases
