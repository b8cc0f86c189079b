"""Which path means what."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote

from guard.gateway.errors import RefusedRequest
from guard.gateway.records import Operation
from guard.settings.gateway import UNGUARDED

VERSION: Final = "/v1"
_OPERATIONS: Final = {str(operation): operation for operation in Operation}
_PARAMETER: Final = re.compile(r"\{[^{}/]*\}")
_LONGEST: Final = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a request is for.

    use_case: as the path names it; None where it does not. operation: None for a read, and then
    path is what is read of the upstream, behind the version.
    """

    use_case: str | None
    operation: Operation | None
    path: str = ""


class Routes:
    """The generating operations, and what may be read beside them.

    reads: paths behind the version; `{name}` stands for one segment.
    """

    def __init__(self, reads: Iterable[str]) -> None:
        self._reads = [_pattern(read) for read in reads]
        self._known = {
            f"{VERSION}{path}": Wanted(use_case=None, operation=operation)
            for path, operation in _OPERATIONS.items()
        }

    def find(self, method: str, raw_path: str) -> Wanted:
        """What is asked for. raw_path: as it came, not decoded. Raises RefusedRequest."""
        if method == "POST" and (known := self._known.get(raw_path)) is not None:
            return known
        use_case, path = _parted(raw_path)
        if path in _OPERATIONS:
            if method != "POST":
                raise _not_allowed(method, raw_path, "POST")
            return Wanted(use_case=use_case, operation=_OPERATIONS[path])
        return self._read(method, raw_path, use_case, path)

    def _read(self, method: str, raw_path: str, use_case: str | None, path: str) -> Wanted:
        if any(pattern.fullmatch(path) for pattern in self._reads):
            if method != "GET":
                raise _not_allowed(method, raw_path, "GET")
            return Wanted(use_case=use_case, operation=None, path=_clean(path, raw_path))
        if _first(path) in UNGUARDED:
            raise RefusedRequest(
                403,
                "not_passed_on",
                f"{method} {raw_path:.200} is not passed on: what comes back there would be"
                " unguarded. This gateway passes POST of /v1/chat/completions, /v1/completions and"
                " /v1/responses",
            )
        raise _unknown(method, raw_path)


def _parted(raw_path: str) -> tuple[str | None, str]:
    """The use case, if there is one, and what stands behind the version."""
    if len(raw_path) > _LONGEST:
        raise RefusedRequest(404, "unknown_url", "there is nothing at so long an address")
    if raw_path.startswith(f"{VERSION}/"):
        return None, raw_path.removeprefix(VERSION)
    use_case, version, path = raw_path.removeprefix("/").partition(f"{VERSION}/")
    if version and use_case and "/" not in use_case:
        return unquote(use_case), f"/{path}"
    return None, ""


def _pattern(read: str) -> re.Pattern[str]:
    parts = _PARAMETER.split(read)
    return re.compile(r"[^/?#]+".join(re.escape(part) for part in parts))


def _clean(path: str, raw_path: str) -> str:
    """The same path, written in the one way that nobody reads differently."""
    segments = [unquote(segment) for segment in path.split("/")[1:]]
    for segment in segments:
        if not segment.isprintable() or {"", ".", ".."} & set(re.split(r"[/\\]", segment)):
            raise _unknown("GET", raw_path)
    return "".join(f"/{quote(segment, safe='')}" for segment in segments)


def _first(path: str) -> str:
    return path.removeprefix("/").partition("/")[0]


def _unknown(method: str, raw_path: str) -> RefusedRequest:
    return RefusedRequest(
        404,
        "unknown_url",
        f"there is no {method} {raw_path:.200} here: this gateway serves POST of"
        " /v1/chat/completions, /v1/completions and /v1/responses, also as"
        " /{use_case}/v1/..., and the reads its settings name",
    )


def _not_allowed(method: str, raw_path: str, allowed: str) -> RefusedRequest:
    return RefusedRequest(
        405,
        "method_not_allowed",
        f"{method} is not served at {raw_path:.200}, only {allowed}",
        headers=(("allow", allowed),),
    )
