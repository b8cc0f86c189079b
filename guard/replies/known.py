"""Which API a reply is of, by its shape alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from guard.replies.anthropic import EVENTS, MessageFormat
from guard.replies.choices import (
    ChatFormat,
    ChoiceMessageFormat,
    CompletionFormat,
    choices_of,
)
from guard.replies.fields import Extraction, ReadOptions
from guard.replies.finish import choice_reason
from guard.replies.gemini import CandidateFormat, candidates_of
from guard.replies.reply_format import ReplyFormat
from guard.replies.responses import ResponseFormat


@dataclass(frozen=True, slots=True)
class KnownReply:
    """A reply of a known API. in_events: its pieces are events or chunks, not a whole reply."""

    format: ReplyFormat
    in_events: bool


def known_reply(value: Mapping[str, Any], options: ReadOptions) -> KnownReply | None:
    """How a reply is read that looks like `value`; None where its API is not known.

    options.streamed: `value` is the first of several pieces.
    """
    if isinstance(value.get("choices"), list):
        return _choices(value, options)
    if candidates_of(value):
        return KnownReply(CandidateFormat(options), in_events=options.streamed)
    if value.get("role") == "assistant" and "type" not in value and "content" in value:
        return KnownReply(ChoiceMessageFormat(replace(options, streamed=False)), in_events=False)
    return _typed(value, options)


def _typed(value: Mapping[str, Any], options: ReadOptions) -> KnownReply | None:
    """What says of itself what it is."""
    kind = str(value.get("type"))
    in_events = kind.startswith("response.") or kind in EVENTS
    options = replace(options, streamed=in_events)
    if kind in EVENTS or (kind == "message" and "stop_reason" in value):
        return KnownReply(MessageFormat(options), in_events)
    whole = value.get("object") == "response" and isinstance(value.get("output"), list)
    if in_events or whole:
        return KnownReply(ResponseFormat(options, None), in_events)
    return None


def _choices(value: Mapping[str, Any], options: ReadOptions) -> KnownReply | None:
    """A completion; None for a chunk before the first choice, which says nothing of its kind."""
    keys = {key for one in choices_of(value) if isinstance(one, Mapping) for key in one}
    if options.streamed and not keys:
        return None
    if "text" in keys:
        return KnownReply(EveryChoice(CompletionFormat, options), options.streamed)
    in_events = "message" not in keys
    if in_events and not ("delta" in keys or options.streamed):
        return None
    options = replace(options, streamed=in_events)
    return KnownReply(EveryChoice(ChatFormat, options), in_events)


class EveryChoice:
    """All choices of a completion as one reply. kind: how one of them is read and written."""

    def __init__(self, kind: type[ChatFormat], options: ReadOptions) -> None:
        self._kind = kind
        self._options = options
        self._choices: dict[int, ChatFormat] = {}

    def read(self, value: Any) -> Extraction:
        self._note(value)
        return self._kind(self._options, 0).read(value)

    def finish_reason(self, value: Any) -> str:
        return choice_reason(choices_of(value))

    def track(self, value: Any) -> Any:
        self._note(value)
        for index in _indices(value):
            self._choices[index].track(value)
        return value

    def withheld_events(self, value: Any, text: str) -> Iterable[Any]:
        for one in self._formats():
            yield from one.withheld_events(value, text)

    def withheld_body(self, value: Any, text: str) -> Any:
        bodies = [one.withheld_body(value, text) for one in self._formats()]
        return {**bodies[0], "choices": [one for body in bodies for one in body["choices"]]}

    def _note(self, value: Any) -> None:
        for index in _indices(value):
            self._choices.setdefault(index, self._kind(self._options, index))

    def _formats(self) -> list[ChatFormat]:
        return list(self._choices.values()) or [self._kind(self._options, 0)]


def choice_index(value: Any) -> int | None:
    """The index of the first choice; None where there is none."""
    return next(iter(_indices(value)), None)


def single_choices(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A chunk as chunks of one choice each; the last one has what stands beside the choices."""
    choices = choices_of(value)
    if len(choices) < 2:
        return [value]
    beside = {key: None for key in ("usage", "prompt_logprobs") if value.get(key) is not None}
    made = [{**value, **beside, "choices": [one]} for one in choices]
    return [*made[:-1], {**value, "choices": choices[-1:]}]


def _indices(value: Any) -> list[int]:
    """The index of each choice; its place, where it has none."""
    found = [one.get("index") if isinstance(one, Mapping) else 0 for one in choices_of(value)]
    return [one if type(one) is int else at for at, one in enumerate(found)]
