"""What may be read of a model's server without being judged: lists of models and the like."""

from __future__ import annotations

from typing import Final

from guard.gateway.headers import Headers
from guard.gateway.targets import Target

_GIVEN: Final = frozenset({"content-type", "retry-after", "x-request-id"})

Told = tuple[int, bytes, list[tuple[str, str]]]


async def reading(path: str, headers: Headers, target: Target) -> Told:
    """Status, body and headers of the answer.

    path: behind the version, as the upstream gets it. Raises UpstreamError.
    """
    passed = headers.passed(with_key=target.passes_key)
    del passed["content-type"]
    async with target.upstream.send("GET", path, headers=passed) as answer:
        body = await answer.body()
        given = [(name, value) for name, value in answer.headers.items() if _is_given(name)]
        return answer.status, body, given


def _is_given(name: str) -> bool:
    return name in _GIVEN or name.startswith("x-ratelimit-")
