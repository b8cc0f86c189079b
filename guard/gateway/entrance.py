"""Who may come in, and for what."""

from __future__ import annotations

from collections.abc import Collection

from guard.gateway.answering import Answering
from guard.gateway.errors import RefusedRequest
from guard.gateway.headers import Headers
from guard.gateway.keys import Key, Keys
from guard.gateway.routes import Wanted
from guard.gateway.targets import Target, Targets

_CHALLENGE = (("www-authenticate", "Bearer"),)


class Entrance:
    """Keys and use cases. hosts: names under which a gateway without keys is served.

    Whoever points a name of their own at this machine (DNS rebinding) gets nothing.
    """

    def __init__(self, keys: Keys, targets: Targets, hosts: Collection[str]) -> None:
        self._keys = keys
        self._targets = targets
        self._hosts = hosts

    def admitted(self, wanted: Wanted, headers: Headers, answering: Answering) -> Target:
        """Who answers. Raises RefusedRequest for those who may not ask."""
        key = self._key(headers)
        answering.key = "" if key is None else key.name
        named = headers.text(b"x-guard-use-case")
        target = self._targets.find(wanted.use_case, named, key)
        answering.use_case = target.use_case
        if target.passes_key and self._keys:
            self._keep_ours(headers)
        return target

    def _key(self, headers: Headers) -> Key | None:
        if not self._keys:
            self._check_host(headers.text(b"host") or "")
            return None
        own = headers.get(b"x-guard-key")
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

    def _check_host(self, host: str) -> None:
        name, _, port = host.lower().rpartition(":")
        if (name if port.isdecimal() and name else host.lower()) not in self._hosts:
            raise RefusedRequest(
                421,
                "wrong_host",
                "a gateway without keys answers to the names of its own machine only, such as"
                " localhost; give it keys (setting gateway.keys) for other names",
            )

    def _keep_ours(self, headers: Headers) -> None:
        """A key of the gateway must not go to a model's server."""
        words = (headers.get(b"authorization") or b"").split()
        if any(self._keys.find(word) for word in words):
            raise _unauthorized(
                "the header authorization goes to the model's server here, and this is the key of"
                " the gateway: send that as x-guard-key"
            )


def _unauthorized(message: str) -> RefusedRequest:
    return RefusedRequest(401, "invalid_api_key", message, headers=_CHALLENGE)
