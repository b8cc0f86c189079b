"""What a client is told when it gets no reply, in the words of the OpenAI API."""

from __future__ import annotations

import json

from guard.errors import GuardError


class RefusedRequest(GuardError):  # noqa: N818 - named for what happened
    """A request that is not passed on.

    status: of HTTP. code: for programs, in snake case. param: the field of the body or the header
    that is at fault. retry_after_seconds: None where asking again is of no use. headers: that go
    with the answer, names in lower case.
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
