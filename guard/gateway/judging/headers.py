"""The headers of an answer on its way to the client."""

from __future__ import annotations

from guard.upstream import Answer

WITHHELD = (
    "upstream_error_withheld",
    "the model's server reported an error whose words were withheld by policy",
)
"""The code and the message in place of an error that says what a reply must not."""
Headers = tuple[tuple[str, str], ...]

_PASSED = frozenset(
    {
        "content-type",
        "retry-after",
        "retry-after-ms",
        "x-request-id",
        "x-should-retry",
        "apim-request-id",
        "cf-ray",
    }
)
_PASSED_FAMILIES = ("openai-", "x-ratelimit-", "anthropic-ratelimit-", "ratelimit")


def passed_headers(answer: Answer) -> Headers:
    """Those of the model's server that a client may see; nothing that belongs to the connection,
    to the bytes as they came, or to a login, as cookies do."""
    return tuple((name, value) for name, value in answer.headers.items() if _passes(name))


def server_timing(upstream_seconds: float, guard_seconds: float | None = None) -> tuple[str, str]:
    """The header that says where the time went, in milliseconds."""
    parts = [f"upstream;dur={upstream_seconds * 1000:.2f}"]
    if guard_seconds is not None:
        parts.append(f"guard;dur={guard_seconds * 1000:.2f}")
    return "server-timing", ", ".join(parts)


def _passes(name: str) -> bool:
    return name in _PASSED or name.startswith(_PASSED_FAMILIES)
