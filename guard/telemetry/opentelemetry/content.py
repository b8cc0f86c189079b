"""Texts of a call for telemetry: only where they are asked for, and never what was withheld. Pure.

`Outcome.text` is what the caller received; `Outcome.reply`, what the model said, is not used here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from guard.records import Call, Outcome, TextKind, Turn, Verdict
from guard.telemetry.opentelemetry import conventions as names
from guard.telemetry.opentelemetry.attributes import (
    Attributes,
    finish_reason,
    outcome_attributes,
    request_attributes,
)
from guard.telemetry.opentelemetry.evaluations import TraceEvent
from guard.text import shortened

_ON_SPAN: Final = frozenset({"span_only", "span_and_event", "true"})
_ON_EVENT: Final = frozenset({"event_only", "span_and_event"})
_ROLES: Final = {TextKind.PROMPT: "user", TextKind.TOOL_RESULT: "tool"}
"""Of those whose texts no model said."""
MOST_CHARACTERS: Final = 100_000
"""Of the messages of a prompt together, and of a reply: redacting them holds up other threads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentCapture:
    """Where texts go, if anywhere. kept: what is kept of a text, as in cases."""

    on_span: bool = False
    on_event: bool = False
    kept: Callable[[str], str] = str

    @classmethod
    def parse(cls, mode: str, kept: Callable[[str], str] = str) -> Self:
        """By the variable of the conventions: SPAN_ONLY (or true), EVENT_ONLY, SPAN_AND_EVENT; any
        other value, NO_CONTENT among them, is none."""
        mode = mode.strip().lower()
        return cls(on_span=mode in _ON_SPAN, on_event=mode in _ON_EVENT, kept=kept)

    def span_attributes(self, outcome: Outcome) -> Attributes:
        """The messages as JSON; empty where they are not asked for."""
        if not self.on_span:
            return {}
        return {name: json.dumps(value) for name, value in self._messages(outcome).items()}

    def event(self, outcome: Outcome) -> TraceEvent | None:
        """The messages with what the span says; None where they are not asked for."""
        if not self.on_event:
            return None
        about = {**request_attributes(outcome.call), **outcome_attributes(outcome)}
        return TraceEvent(name=names.DETAILS_EVENT, attributes={**about, **self._messages(outcome)})

    def _messages(self, outcome: Outcome) -> Mapping[str, Any]:
        role = _ROLES.get(outcome.call.kind)
        if role is not None and outcome.verdict is not Verdict.BLOCKED:
            return {names.INPUT_MESSAGES: [self._message(role, outcome.text)]}
        asked = [self._message(turn.role, turn.content) for turn in _last_turns(outcome.call)]
        answer = self._message("assistant", outcome.text)
        reason = finish_reason(outcome) or "stop"
        return {
            **({names.INPUT_MESSAGES: asked} if asked else {}),
            names.OUTPUT_MESSAGES: [{**answer, "finish_reason": reason}],
        }

    def _message(self, role: str, text: str) -> dict[str, Any]:
        kept = self.kept(shortened(text, MOST_CHARACTERS))
        return {"role": role, "parts": [{"type": "text", "content": kept}]}


def _last_turns(call: Call) -> list[Turn]:
    """The last messages that have room together; the first of these may be shortened."""
    found: list[Turn] = []
    room = MOST_CHARACTERS
    for turn in reversed(_turns(call)):
        if room > 0:
            found.append(replace(turn, content=shortened(turn.content, room)))
            room -= len(turn.content)
    return found[::-1]


def _turns(call: Call) -> tuple[Turn, ...]:
    return call.turns or ((Turn(role="user", content=call.prompt),) if call.prompt else ())
