"""Chat completions and completions: answers with choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from guard.gateway.errors import RefusedRequest
from guard.gateway.judging.formats import (
    FILTERED,
    Body,
    Dialect,
    ReplyFormat,
    error_type,
    is_plain,
    plain_error,
    usage_numbers,
)
from guard.replies.fields import Extraction, ReadOptions, extract
from guard.replies.finish import choice_reason

MOST_REPLIES = 128
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


class Chat(Dialect):
    """`/chat/completions`. What belongs to no requested choice is judged with the first one."""

    ends_with_done = True
    format: type[ChatFormat] = ChatFormat

    def count_replies(self, body: Body) -> int:
        return _check_count(count_per_prompt(body))

    def reply_format(self, options: ReadOptions, body: Body, number: int) -> ReplyFormat:
        del body
        return self.format(options, number)

    def split(self, value: Any, replies: int, options: ReadOptions) -> Iterable[tuple[int, Any]]:
        if replies == 1:
            return ((0, value),)
        parts: dict[int, list[Any]] = {}
        for choice in choices_of(value):
            parts.setdefault(_number(choice, replies), []).append(choice)
        if not parts:
            return ((-1 if extract(value, options).is_empty else 0, value),)
        if not options.streamed:
            return _split_whole(value, parts)
        if len(parts) == 1:
            return ((next(iter(parts)), value),)
        return tuple((number, {**value, "choices": some}) for number, some in parts.items())

    def is_answer(self, value: Any) -> bool:
        return bool(choices_of(value)) and all(isinstance(one, dict) for one in choices_of(value))

    def join(self, value: Any, parts: Mapping[int, Any]) -> Any:
        made = [one for number in sorted(parts) for one in choices_of(parts[number])]
        return {**(parts.get(0) or envelope(value, "")), "choices": made}

    def renumber(self, value: Any, number: int) -> Any:
        if not number or not choices_of(value):
            return value
        made = [{**one, "index": number} for one in choices_of(value) if isinstance(one, dict)]
        return {**value, "choices": made}

    def error_in(self, event: Any) -> Any:
        if not isinstance(event, Mapping) or choices_of(event) or not event.get("error"):
            return None
        return {"error": plain_error(event["error"])}

    def error_event(self, code: str, message: str) -> Any:
        told = {"message": message, "type": error_type(code), "param": None, "code": code}
        return {"error": told}

    def usage_event(self, like: Any, usage: Mapping[str, Any]) -> Any:
        return {**envelope(like, self.format.objects[0]), "choices": [], "usage": usage}

    def retry_parameters(self, body: Body, number: int, step: int) -> dict[str, Any]:
        del number
        seed = body.get("seed")
        changed = {"seed": (seed + step) % 2**31} if type(seed) is int else {}
        return changed | ({"n": 1} if count_per_prompt(body) > 1 else {})


class Completions(Chat):
    """`/completions`. A request can have several prompts: choice i answers prompt i // n."""

    format = CompletionFormat

    def count_replies(self, body: Body) -> int:
        return _check_count(count_per_prompt(body) * len(prompts_of(body)))

    def retry_parameters(self, body: Body, number: int, step: int) -> dict[str, Any]:
        changed, prompts = super().retry_parameters(body, number, step), prompts_of(body)
        if len(prompts) > 1:
            changed["prompt"] = prompts[number // count_per_prompt(body)]
        return changed


def choices_of(value: Any) -> list[Any]:
    """The choices of a response or event; empty if it has none."""
    found = value.get("choices") if isinstance(value, Mapping) else None
    return found if isinstance(found, list) else []


def envelope(like: Any, kind: str) -> dict[str, Any]:
    """The metadata of a response beside its choices. kind: the `object`, if `like` has none."""
    known = like if isinstance(like, Mapping) else {}
    kept = {key: known[key] for key in _ENVELOPE if key in known and is_plain(known[key])}
    return {"id": "", "object": kind, "created": 0, "model": "", **kept}


def count_per_prompt(body: Body) -> int:
    """How many choices each prompt gets."""
    count = body.get("n")
    if count is None:
        return 1
    if type(count) is not int or count < 1:
        raise RefusedRequest(400, "bad_value", "n must be a whole number from 1", param="n")
    return count


def prompts_of(body: Body) -> list[Any]:
    """The prompts: texts, or lists of tokens."""
    prompt = body.get("prompt")
    if isinstance(prompt, list) and prompt and not all(type(one) is int for one in prompt):
        return prompt
    return [prompt]


def _check_count(replies: int) -> int:
    if replies > MOST_REPLIES:
        message = f"no more than {MOST_REPLIES} at once"
        raise RefusedRequest(400, "too_many_replies", message, param="n")
    return replies


def _number(choice: Any, replies: int) -> int:
    index = choice.get("index") if isinstance(choice, Mapping) else None
    return index if type(index) is int and 0 <= index < replies else 0


def _split_whole(value: Any, parts: Mapping[int, list[Any]]) -> Iterable[tuple[int, Any]]:
    """The parts of a whole response; the first also has everything outside the choices."""
    rest: dict[int, list[Any]] = {} if 0 in parts else {0: []}
    return tuple(
        (number, {**({} if number else value), "choices": some})
        for number, some in sorted({**rest, **parts}.items())
    )
