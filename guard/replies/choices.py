"""Chat completions and completions: replies that are choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from guard.replies.fields import Extraction, ReadOptions, extract
from guard.replies.finish import choice_reason
from guard.replies.reply_format import FILTERED, Body, is_plain, usage_numbers

_ENVELOPE = ("id", "object", "created", "model", "system_fingerprint", "service_tier")


class ChatFormat:
    """One choice of a chat completion. index: of the choice."""

    objects = ("chat.completion.chunk", "chat.completion")
    says_nothing: ClassVar[Body] = {"delta": {}}

    def __init__(self, options: ReadOptions, index: int) -> None:
        self._options = options
        self._index = index
        self._began = False

    def read(self, value: Any) -> Extraction:
        return extract(value, self._options)

    def finish_reason(self, value: Any) -> str:
        return choice_reason(choices_of(value))

    def track(self, value: Any) -> Any:
        self._began = self._began or bool(choices_of(value))
        return value

    def withheld_events(self, value: Any, text: str) -> Iterable[Any]:
        yield self._event(value, self._message(text), None)
        yield self._event(value, self.says_nothing, FILTERED)

    def withheld_body(self, value: Any, text: str) -> Any:
        usage = usage_numbers(value.get("usage")) if isinstance(value, Mapping) else None
        choice = {**self._whole(text), "logprobs": None, "finish_reason": FILTERED}
        made = {**envelope(value, self.objects[1]), "choices": [{"index": self._index, **choice}]}
        return made if usage is None else {**made, "usage": usage}

    def _event(self, like: Any, said: Body, finish: str | None) -> Any:
        choice = {"index": self._index, **said, "logprobs": None, "finish_reason": finish}
        return {**envelope(like, self.objects[0]), "choices": [choice]}

    def _message(self, text: str) -> Body:
        role = {} if self._began else {"role": "assistant"}
        return {"delta": {**role, "content": text}}

    def _whole(self, text: str) -> Body:
        return {"message": {"role": "assistant", "content": text, "refusal": None}}


class CompletionFormat(ChatFormat):
    """One choice of a completion."""

    objects = ("text_completion", "text_completion")
    says_nothing: ClassVar[Body] = {"text": ""}

    def read(self, value: Any) -> Extraction:
        return extract(value, self._options, growing=self._options.streamed)

    def _message(self, text: str) -> Body:
        return {"text": text}

    _whole = _message


class ChoiceMessageFormat:
    """The message of a chat completion by itself."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options

    def read(self, value: Any) -> Extraction:
        return extract(value, self._options)

    def finish_reason(self, value: Any) -> str:
        del value
        return ""

    def track(self, value: Any) -> Any:
        return value

    def withheld_events(self, value: Any, text: str) -> Iterable[Any]:
        yield self.withheld_body(value, text)

    def withheld_body(self, value: Any, text: str) -> Any:
        del value
        return {"role": "assistant", "content": text, "refusal": None}


def choices_of(value: Any) -> list[Any]:
    """The choices of a response or event; empty if it has none."""
    found = value.get("choices") if isinstance(value, Mapping) else None
    return found if isinstance(found, list) else []


def envelope(like: Any, kind: str) -> dict[str, Any]:
    """The metadata of a response beside its choices. kind: the `object`, if `like` has none."""
    known = like if isinstance(like, Mapping) else {}
    kept = {key: known[key] for key in _ENVELOPE if key in known and is_plain(known[key])}
    return {"id": "", "object": kind, "created": 0, "model": "", **kept}
