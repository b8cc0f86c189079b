"""How a stream says that it broke off, so that clients raise something."""

from __future__ import annotations

import pytest

from guard.gateway.judging.responses import Responses

NESTED = {"type": "server_error", "code": "busy", "message": "Too busy.", "param": None}


def test_a_failure_is_said_twice_for_those_who_read_either() -> None:
    told = Responses().error_event("busy", "Too busy.")
    assert (told["type"], told["code"], told["message"]) == ("error", "busy", "Too busy.")
    assert told["error"] == NESTED


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "code": "busy", "message": "Too busy.", "sequence_number": 3},
        {"type": "error", "error": {"code": "busy", "message": "Too busy."}},
        {"error": {"code": "busy", "message": "Too busy.", "secret": {"said": "x"}}},
        {
            "type": "response.failed",
            "response": {"error": {"code": "busy", "message": "Too busy."}, "output": ["x"]},
        },
    ],
)
def test_every_way_of_failing_becomes_that(event: object) -> None:
    assert Responses().error_in(event) == Responses().error_event("busy", "Too busy.")


@pytest.mark.parametrize(
    ("code", "kind"), [("content_filter", "invalid_request_error"), (None, "server_error")]
)
def test_what_is_nobodys_fault_has_another_type(code: str | None, kind: str) -> None:
    assert Responses().error_event(code, "It ended.")["error"]["type"] == kind
