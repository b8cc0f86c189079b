"""Records that hold texts do not show them: tracebacks and logs print records as they are."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from guard import records
from guard.adapters.judge import _Question
from guard.flow import judgement, steps, unreleased
from guard.gateway import request
from guard.gateway.litellm import messages, stream_records
from guard.records import Assessment, Call, Generated, Outcome, ReplyBody, Turn, Verdict
from guard.replies import assemble
from guard.replies import fields as reply_fields
from guard.wrap import callables
from guard.wrap.asgi import stream_formats, whole_body
from guard.wrap.openai_client import exchange

TEXT = "You are a worthless idiot."
MODULES = [
    *(records, steps, judgement, unreleased, request, messages, stream_records, assemble),
    *(reply_fields, callables, stream_formats, whole_body, exchange),
]
HOLDS_TEXT = {
    *("text", "texts", "reply", "prompt", "content", "masked", "user_text", "turns", "messages"),
    *("payload", "body", "raw", "old", "new", "parameters", "detail", "note", "error"),
}
NO_TEXT = {
    "Audit.detail",  # what happened, in our words
    "BodyLimits.texts",  # how many
    "ClaimBody.masked",  # a range
    "PairSide.turns",  # which hide their own
    "Policy.prompt",  # a policy
}


def kinds() -> dict[str, type[Any]]:
    """The dataclasses of these modules, by name."""
    found = [one for module in MODULES for one in vars(module).values()]
    return {one.__name__: one for one in found if isinstance(one, type) and is_dataclass(one)}


def test_an_outcome_shows_what_happened_and_no_text() -> None:
    call = Call(
        id="c1",
        use_case="chat",
        prompt=TEXT,
        user_text=TEXT,
        turns=(Turn(role="user", content=TEXT),),
        parameters={"prediction": TEXT},
    )
    outcome = Outcome(
        call=call, verdict=Verdict.BLOCKED, text=TEXT, reply=TEXT, assessment=Assessment()
    )
    shown = f"{outcome!r} {outcome}"
    assert TEXT not in shown
    assert "c1" in shown
    assert "blocked" in shown


@pytest.mark.parametrize(
    "made",
    [
        Turn(role="user", content=TEXT),
        Generated(text=TEXT, ending=records.Ending.FAILED, detail=TEXT),
        ReplyBody(text=TEXT, masked=TEXT),
        steps.Piece(TEXT),
        steps.Say(TEXT),
        steps.ScoreText(TEXT, 1.0),
        _Question(TEXT, None),  # type: ignore[arg-type]
    ],
    ids=lambda one: type(one).__name__,
)
def test_no_part_of_the_path_shows_its_text(made: object) -> None:
    assert TEXT not in repr(made)


def test_no_record_has_a_field_of_texts_that_it_shows() -> None:
    shown = {
        f"{name}.{one.name}"
        for name, kind in kinds().items()
        if kind.__dataclass_params__.repr
        for one in fields(kind)
        if one.repr and one.name in HOLDS_TEXT
    }
    assert shown == NO_TEXT
