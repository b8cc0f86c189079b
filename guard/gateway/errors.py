"""The errors that clients get in place of a reply, in the form of the OpenAI API."""

from __future__ import annotations

import json
from typing import Final

from guard.errors import AllInUse, GuardError, TimedOut, TooLarge, UpstreamBusy, UpstreamError

RETRY_SECONDS: Final = 1.0


class RefusedRequest(GuardError):  # noqa: N818 - named for what happened
    """A request that is not passed on.

    status: of HTTP. code: for programs, in snake case. param: the field of the body or the header
    that is at fault. retry_after_seconds: None where asking again is of no use. headers: sent with
    the answer, names in lower case.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        param: str | None = None,
        retry_after_seconds: float | None = None,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param
        self.retry_after_seconds = retry_after_seconds
        self.headers = headers


def error_body(code: str, message: str, *, kind: str, param: str | None = None) -> bytes:
    """`{"error": {"message", "type", "param", "code"}}` as bytes of JSON."""
    error = {"message": message, "type": kind, "param": param, "code": code}
    return json.dumps({"error": error}, ensure_ascii=True).encode("ascii")


def invalid_request(code: str, message: str) -> bytes:
    """The body of an error that is the client's."""
    return error_body(code, message, kind="invalid_request_error")


def upstream_refusal(error: UpstreamError, upstream: str) -> RefusedRequest:
    """The answer when an upstream gives none. upstream: its name in the settings.

    Addresses and the exact failure are for the log only.
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
        status, code, f"the upstream {upstream!r} {what}", retry_after_seconds=_retry_after(error)
    )


def _retry_after(error: UpstreamError) -> float | None:
    if not isinstance(error, UpstreamBusy):
        return None
    return RETRY_SECONDS if error.retry_after_seconds is None else error.retry_after_seconds
