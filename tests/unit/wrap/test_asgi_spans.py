"""What a trace has of an answer that goes through GuardASGI."""

from __future__ import annotations

import time
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan

from guard.wrap.asgi import GuardASGI
from tests.asgi_made import BLOCK, Answered, App, ask, guard_of, streams
from tests.traced import Collected

PLAIN = "text/plain; charset=utf-8"


class TimedApp(App):
    """Notes when it began to answer and when it had answered."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.times: list[int] = []

        async def timed(message: Any) -> None:
            await send(message)
            self.times.append(time.time_ns())

        await super().__call__(scope, receive, timed)


@pytest.fixture
def collected() -> Collected:
    return Collected()


async def traced(app: App, collected: Collected) -> tuple[Answered, ReadableSpan, ReadableSpan]:
    """What the client got, the span of the guard and that of the application around it."""
    guard = guard_of()
    guard.flow.tracer = collected.calls(*BLOCK.rules)
    guarded = GuardASGI(app, guard=guard, use_case="test", paths={"/text": "text"})
    with collected.tracers.get_tracer("app").start_as_current_span("request"):
        answer = await ask(guarded)
    spans = {one.name: one for one in collected.spans}
    around = spans.pop("request")
    (own,) = spans.values()
    return answer, own, around


async def test_of_a_streamed_answer_it_lasts_from_the_head_to_the_last_byte(
    collected: Collected,
) -> None:
    app = TimedApp(streams("All is fi", "ne. And ", "well."), PLAIN)
    answer, own, around = await traced(app, collected)
    assert answer.body == b"All is fine. And well."
    assert own.parent is not None
    assert own.parent.span_id == around.get_span_context().span_id  # type: ignore[union-attr]
    first, *_, last = app.times[1:-1]
    assert own.start_time is not None
    assert own.end_time is not None
    assert own.start_time < first < last < own.end_time


@pytest.mark.parametrize(
    ("said", "verdict", "action"), [("fine", "released", "release"), ("nasty", "blocked", "block")]
)
@pytest.mark.parametrize("media", [PLAIN, "application/json"])
async def test_it_says_what_was_decided(
    collected: Collected, media: str, said: str, verdict: str, action: str
) -> None:
    chunks = streams('{"text": "You are ', f'{said}."}}')
    answer, own, _ = await traced(App(chunks, media), collected)
    found = dict(own.attributes or {})
    assert (found["guard.verdict"], found["guard.action"]) == (verdict, action)
    assert found["guard.coverage"] == "all"
    assert found["guard.added_seconds"] == 0.0
    assert found["guard.call.id"] == answer.headers["x-guard-call-id"]
