"""From the path, the headers and the key of a request to its operation and its upstream."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote, unquote

from guard.gateway.auth import ApiKey
from guard.gateway.errors import RefusedRequest
from guard.gateway.request import Operation
from guard.records import Lane
from guard.settings import use_case_name
from guard.settings.sections import UNGUARDED
from guard.upstream import HttpClient

VERSION: Final = "/v1"
MAX_UNDECLARED: Final = 50
"""Use cases become labels of metrics, each with hundreds of series, so clients cannot make up any
number of them."""
OTHER_USE_CASE: Final = "other"
"""Where none is declared: what the calls of all further names are counted as."""
_OPERATIONS: Final = {str(operation): operation for operation in Operation}
_PARAMETER: Final = re.compile(r"\{[^{}/]*\}")
GUARDRAIL: Final = "/beta/litellm_basic_guardrail_api"
"""LiteLLM's proxy appends it to the address that it is given."""
_MAX_PATH: Final = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayRoute:
    """What a request asks for.

    use_case: as the path names it; None where it does not. operation: None for a read; then `path`
    is what is read of the upstream, after the version. is_guardrail: texts are to be judged for
    LiteLLM; there is neither operation nor path.
    """

    use_case: str | None
    operation: Operation | None
    path: str = ""
    is_guardrail: bool = False


class Router:
    """Finds the route of a path: a generating operation, or one of the reads.

    reads: paths after the version; `{name}` stands for one segment.
    """

    def __init__(self, reads: Iterable[str]) -> None:
        self._reads = [_pattern(read) for read in reads]
        self._known = {
            f"{VERSION}{path}": GatewayRoute(use_case=None, operation=operation)
            for path, operation in _OPERATIONS.items()
        }

    def find(self, method: str, raw_path: str) -> GatewayRoute:
        """The route of a request. raw_path: not decoded. Raises RefusedRequest."""
        if method == "POST" and (known := self._known.get(raw_path)) is not None:
            return known
        use_case, path = _split(raw_path)
        if path != GUARDRAIL and path not in _OPERATIONS:
            return self._read(method, raw_path, use_case, path)
        if method != "POST":
            raise _not_allowed(method, raw_path, "POST")
        operation = _OPERATIONS.get(path)
        return GatewayRoute(use_case=use_case, operation=operation, is_guardrail=operation is None)

    def _read(self, method: str, raw_path: str, use_case: str | None, path: str) -> GatewayRoute:
        if any(pattern.fullmatch(path) for pattern in self._reads):
            if method != "GET":
                raise _not_allowed(method, raw_path, "GET")
            return GatewayRoute(
                use_case=use_case, operation=None, path=_normalise_path(path, raw_path)
            )
        if path.removeprefix("/").partition("/")[0].lower() in UNGUARDED:
            raise RefusedRequest(
                403,
                "not_passed_on",
                f"{method} {raw_path:.200} is not passed on: what comes back there would be"
                " unguarded. This gateway passes POST of /v1/chat/completions, /v1/completions and"
                " /v1/responses",
            )
        raise _unknown(method, raw_path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """The upstream of a use case.

    lane: for shadow requests; empty for none. passes_key: the client's own key is sent.
    """

    use_case: str
    upstream: HttpClient
    lane: Lane | None = None
    passes_key: bool = False


class Backends:
    """By use case. other: for any use case, where none is declared; the first names are used as
    they are, and those after them as `OTHER_USE_CASE`."""

    def __init__(self, declared: Mapping[str, Backend], other: Backend | None = None) -> None:
        self._backends = dict(declared)
        self._other = other
        self._names = tuple(declared)

    def find(self, path: str | None, header: str | None, key: ApiKey | None) -> Backend:
        """By the use case that path, header or key name. Raises RefusedRequest."""
        if path is not None and header is not None and path != header:
            raise RefusedRequest(
                400,
                "use_case_unclear",
                "the path and the header x-guard-use-case name different use cases",
                param="x-guard-use-case",
            )
        name = self._default(key) if path is None and header is None else path or header or ""
        if name not in self._backends and (problem := self._problem_with(name)):
            param = None if header is None else "x-guard-use-case"
            raise RefusedRequest(404, "unknown_use_case", problem, param=param)
        if key is not None and not key.allows(name):
            raise RefusedRequest(
                403, "use_case_not_allowed", f"this key is not good for the use case {name!r}"
            )
        return self._backends.get(name) or self._undeclared(name)

    def _undeclared(self, name: str) -> Backend:
        assert self._other is not None  # noqa: S101 - or else something is wrong with the name
        kept = name if len(self._backends) < MAX_UNDECLARED else OTHER_USE_CASE
        return self._backends.setdefault(kept, replace(self._other, use_case=kept))

    def _default(self, key: ApiKey | None) -> str:
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

    def _problem_with(self, name: str) -> str:
        if self._other is None:
            return f"there is no use case {name!r:.80}"
        try:
            use_case_name(name)
        except ValueError as error:
            return f"{name!r:.80}: {error}"
        return ""


def _split(raw_path: str) -> tuple[str | None, str]:
    """The use case, if there is one, and the path after the version."""
    if len(raw_path) > _MAX_PATH:
        raise RefusedRequest(404, "unknown_url", "there is nothing at so long a path")
    if raw_path.endswith(GUARDRAIL):
        named = raw_path.removesuffix(GUARDRAIL).removeprefix("/")
        return (unquote(named) or None, GUARDRAIL) if "/" not in named else (None, "")
    if raw_path.startswith(f"{VERSION}/"):
        return None, raw_path.removeprefix(VERSION)
    use_case, version, path = raw_path.removeprefix("/").partition(f"{VERSION}/")
    if version and use_case and "/" not in use_case:
        return unquote(use_case), f"/{path}"
    return None, ""


def _pattern(read: str) -> re.Pattern[str]:
    parts = _PARAMETER.split(read)
    return re.compile(r"[^/?#]+".join(re.escape(part) for part in parts))


def _normalise_path(path: str, raw_path: str) -> str:
    """The same path, percent-encoded in the one way that every server reads alike."""
    segments = [unquote(segment) for segment in path.split("/")[1:]]
    for segment in segments:
        if not segment.isprintable() or {"", ".", ".."} & set(re.split(r"[/\\]", segment)):
            raise _unknown("GET", raw_path)
    return "".join(f"/{quote(segment, safe='')}" for segment in segments)


def _unknown(method: str, raw_path: str) -> RefusedRequest:
    return RefusedRequest(
        404,
        "unknown_url",
        f"there is no {method} {raw_path:.200} here: this gateway serves POST of"
        " /v1/chat/completions, /v1/completions and /v1/responses, also as"
        f" /{{use_case}}/v1/..., {GUARDRAIL}, and the reads its settings name",
    )


def _not_allowed(method: str, raw_path: str, allowed: str) -> RefusedRequest:
    return RefusedRequest(
        405,
        "method_not_allowed",
        f"{method} is not served at {raw_path:.200}, only {allowed}",
        headers=(("allow", allowed),),
    )
