"""For which use case a request is, and which model is asked for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from guard.gateway.errors import RefusedRequest
from guard.gateway.keys import Key
from guard.settings import use_case_name
from guard.upstream import HttpClient

MOST_UNDECLARED: Final = 1000
"""Use cases become labels of metrics, so that not any number can be made up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Who answers for a use case.

    lane: who can ask the like again; empty is nobody. passes_key: the client's own key is sent.
    """

    use_case: str
    upstream: HttpClient
    lane: str = ""
    passes_key: bool = False


class Targets:
    """By use case. other: for those that are not declared, where none is."""

    def __init__(self, declared: Mapping[str, Target], other: Target | None = None) -> None:
        self._targets = dict(declared)
        self._other = other
        self._names = tuple(declared)

    def find(self, path: str | None, header: str | None, key: Key | None) -> Target:
        """What is meant by the path, the header or the key. Raises RefusedRequest."""
        if path is not None and header is not None and path != header:
            raise RefusedRequest(
                400,
                "use_case_unclear",
                "the path and the header x-guard-use-case name different use cases",
                param="x-guard-use-case",
            )
        name = self._default(key) if path is None and header is None else path or header or ""
        if name not in self._targets and (wrong := self._wrong_with(name)):
            param = None if header is None else "x-guard-use-case"
            raise RefusedRequest(404, "unknown_use_case", wrong, param=param)
        if key is not None and not key.opens(name):
            raise RefusedRequest(
                403, "use_case_not_allowed", f"this key is not good for the use case {name!r}"
            )
        return self._targets.get(name) or self._added(name)

    def _default(self, key: Key | None) -> str:
        names = tuple(sorted(key.use_cases)) if key is not None and key.use_cases else self._names
        if len(names) == 1:
            return names[0]
        raise RefusedRequest(
            400,
            "use_case_missing",
            "say for which use case this is, by the path /{use_case}/v1/... or the header"
            " x-guard-use-case",
            param="x-guard-use-case",
        )

    def _added(self, name: str) -> Target:
        assert self._other is not None  # noqa: S101 - or else something is wrong with the name
        return self._targets.setdefault(name, replace(self._other, use_case=name))

    def _wrong_with(self, name: str) -> str:
        if self._other is None:
            return f"there is no use case {name!r:.80}"
        try:
            use_case_name(name)
        except ValueError as error:
            return f"{name!r:.80}: {error}"
        if len(self._targets) < MOST_UNDECLARED:
            return ""
        return f"{name!r} is one use case too many; declare those there are under `use_cases`"
