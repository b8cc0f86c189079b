"""Authentication: the keys of the gateway, of which only digests are kept."""

from __future__ import annotations

import hmac
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from guard.errors import SettingsError
from guard.gateway.errors import RefusedRequest
from guard.gateway.request import RequestHeaders
from guard.settings import GatewayKey, Settings, unset_variable


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key by its name. use_cases: that it may ask for; empty is all."""

    name: str
    digest: bytes = field(repr=False)
    use_cases: frozenset[str] = frozenset()

    def allows(self, use_case: str) -> bool:
        """Whether it may ask for a use case."""
        return not self.use_cases or use_case in self.use_cases


class ApiKeys:
    """All keys; without any, every request is accepted."""

    def __init__(self, keys: Iterable[ApiKey]) -> None:
        self._keys = tuple(keys)

    def __bool__(self) -> bool:
        return bool(self._keys)

    def find(self, presented: bytes) -> ApiKey | None:
        """The key that is presented. Takes as long whether and wherever it is found."""
        digest, found = sha256(presented).digest(), None
        for key in self._keys:
            if hmac.compare_digest(digest, key.digest):
                found = key
        return found


class Authenticator:
    """Finds the key of a request.

    hosts: names under which a gateway without keys is served. A web page that points a name of its
    own at this machine (DNS rebinding) is refused.
    """

    def __init__(self, keys: ApiKeys, hosts: Collection[str]) -> None:
        self._keys = keys
        self._hosts = hosts

    def key_of(self, headers: RequestHeaders, *also: bytes) -> ApiKey | None:
        """The key; None where the gateway has none. Raises RefusedRequest.

        also: further headers that may hold it.
        """
        if not self._keys:
            self._check_host(headers.text(b"host") or "")
            return None
        own = headers.first(b"x-guard-key", *also)
        presented = headers.bearer() if own is None else own.strip()
        if not presented:
            raise _unauthorized(
                "a key is wanted: authorization: Bearer KEY, or x-guard-key: KEY where the"
                " authorization is the model's own"
            )
        key = self._keys.find(presented)
        if key is None:
            raise _unauthorized("this key is not known here")
        return key

    def check_passed_key(self, headers: RequestHeaders) -> None:
        """Raises RefusedRequest where a key of the gateway would be sent to an upstream."""
        words = (headers.get(b"authorization") or b"").split()
        if any(self._keys.find(word) for word in words):
            raise _unauthorized(
                "the header authorization goes to the model's server here, and this is the key of"
                " the gateway: send that as x-guard-key"
            )

    def _check_host(self, host: str) -> None:
        name, _, port = host.lower().rpartition(":")
        if (name if port.isdecimal() and name else host.lower()) not in self._hosts:
            raise RefusedRequest(
                421,
                "wrong_host",
                "a gateway without keys answers to the names of its own machine only, such as"
                " localhost; give it keys (setting gateway.keys) for other names",
            )


def keys_of(settings: Settings, environment: Mapping[str, str] = os.environ) -> ApiKeys:
    """The keys that settings name. Raises SettingsError; no message holds a key."""
    keys: list[ApiKey] = []
    for number, one in enumerate(settings.gateway.keys):
        path = f"gateway.keys.{number}"
        key = ApiKey(
            name=one.name,
            digest=_digest(one, path, environment),
            use_cases=frozenset(_declared_use_cases(one, path, settings)),
        )
        for other in keys:
            if key.name == other.name or key.digest == other.digest:
                raise SettingsError(
                    f"{path}: the same name or key as {other.name!r}; give each its own"
                )
        keys.append(key)
    return ApiKeys(keys)


def _digest(key: GatewayKey, path: str, environment: Mapping[str, str]) -> bytes:
    if key.key_env is None:
        return bytes.fromhex(key.sha256 or "")
    secret = environment.get(key.key_env, "")
    if not secret:
        raise unset_variable(f"{path}.key_env", key.key_env)
    if not (secret.isascii() and secret.isprintable() and " " not in secret):
        raise SettingsError(
            f"{path}.key_env: the key in {key.key_env} holds a space, a line break or another"
            " character that cannot be sent in a header"
        )
    return sha256(secret.encode("ascii")).digest()


def _declared_use_cases(key: GatewayKey, path: str, settings: Settings) -> list[str]:
    for name in key.use_cases:
        if settings.use_cases and name not in settings.use_cases:
            known = ", ".join(sorted(settings.use_cases))
            raise SettingsError(f"{path}.use_cases: {name!r} is not declared (declared: {known})")
    return key.use_cases


def _unauthorized(message: str) -> RefusedRequest:
    return RefusedRequest(
        401, "invalid_api_key", message, headers=(("www-authenticate", "Bearer"),)
    )
