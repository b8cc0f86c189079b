"""Chat completions and completions: answers with choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from guard.gateway.errors import RefusedRequest
from guard.gateway.judging.formats import Dialect, error_type, plain_error
from guard.replies.choices import ChatFormat, CompletionFormat, choices_of, envelope
from guard.replies.fields import ReadOptions, extract, index_of
from guard.replies.reply_format import Body, ReplyFormat

MOST_REPLIES = 128


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
    index = index_of(choice)
    return index if index is not None and 0 <= index < replies else 0


def _split_whole(value: Any, parts: Mapping[int, list[Any]]) -> Iterable[tuple[int, Any]]:
    """The parts of a whole response; the first also has everything outside the choices."""
    rest: dict[int, list[Any]] = {} if 0 in parts else {0: []}
    return tuple(
        (number, {**({} if number else value), "choices": some})
        for number, some in sorted({**rest, **parts}.items())
    )
