"""What may be read of a model's server without being judged: lists of models and the like."""

from __future__ import annotations

from guard.gateway.headers import Headers
from guard.gateway.judging.given import Headers as Given
from guard.gateway.judging.given import harmless
from guard.gateway.targets import Target

Told = tuple[int, bytes, Given]


async def reading(path: str, headers: Headers, target: Target) -> Told:
    """Status, body and headers of the answer.

    path: behind the version, as the upstream gets it. Raises UpstreamError.
    """
    passed = headers.passed(with_key=target.passes_key)
    del passed["content-type"]
    async with target.upstream.send("GET", path, headers=passed) as answer:
        return answer.status, await answer.body(), harmless(answer)
