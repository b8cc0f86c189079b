"""What a client is told of a model's server that gives no answer."""

from __future__ import annotations

from typing import Final

from guard.errors import UpstreamBusy, UpstreamError
from guard.gateway.errors import RefusedRequest
from guard.upstream import AllInUse, TimedOut, TooLarge

RETRY_SECONDS: Final = 1.0


def refusal_of(error: UpstreamError, upstream: str) -> RefusedRequest:
    """The answer in place of the model's. upstream: its name in the settings.

    Addresses and what went wrong exactly are for the log.
    """
    match error:
        case TimedOut():
            status, code, what = 504, "upstream_timeout", "did not answer in time"
        case AllInUse():
            status, code, what = 503, "upstream_busy", "has no free connection"
        case UpstreamBusy():
            status, code, what = 502, "upstream_unreachable", "cannot be reached"
        case TooLarge():
            status, code, what = 502, "upstream_answer_too_large", "gave too large an answer"
        case _:
            status, code, what = 502, "upstream_broken", "broke off before its answer was there"
    return RefusedRequest(
        status, code, f"the upstream {upstream!r} {what}", retry_after_seconds=_after(error)
    )


def _after(error: UpstreamError) -> float | None:
    if not isinstance(error, UpstreamBusy):
        return None
    return RETRY_SECONDS if error.retry_after_seconds is None else error.retry_after_seconds
