"""Answers with choices: what chat completions and completions have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from guard.gateway.errors import RefusedRequest
from guard.gateway.judging.known import is_name
from guard.gateway.judging.strings import Reading, strings
from guard.gateway.judging.usage import numbers_of

FILTERED = "content_filter"
MOST_REPLIES = 128
_LONGEST_MESSAGE = 2000
_OF_ERRORS = ("type", "param", "code")
_ENVELOPE = ("id", "object", "created", "model", "system_fingerprint", "service_tier")


def envelope(like: Any, kind: str) -> dict[str, Any]:
    """What every answer says beside its choices. kind: of object, where it does not say."""
    known = like if isinstance(like, Mapping) else {}
    made = {"id": "", "object": kind, "created": 0, "model": ""}
    return {
        **made,
        **{key: known[key] for key in _ENVELOPE if key in known and _is_plain(known[key])},
    }


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, int) or (isinstance(value, str) and is_name(value))


def answer(like: Any, kind: str, choice: Mapping[str, Any]) -> dict[str, Any]:
    """A whole answer of one choice that was filtered, with the account of tokens of `like`."""
    usage = numbers_of(like.get("usage")) if isinstance(like, Mapping) else None
    blocked = {**choice, "logprobs": None, "finish_reason": FILTERED}
    return {
        **envelope(like, kind),
        "choices": [blocked],
        **({} if usage is None else {"usage": usage}),
    }


def plain_error(error: Any) -> Any:
    """What an error says in the words of the API, and nothing else."""
    if not isinstance(error, Mapping):
        return {"message": str(error)[:_LONGEST_MESSAGE]}
    message = error.get("message")
    kept = {key: error[key] for key in _OF_ERRORS if key in error and _is_plain(error[key])}
    return {"message": message[:_LONGEST_MESSAGE] if isinstance(message, str) else "", **kept}


def error_kind(code: str | None) -> str:
    """The type of an error of ours with this code."""
    return "invalid_request_error" if code == FILTERED else "server_error"


def choices_of(value: Any) -> list[Any]:
    """The choices in an answer; none where it is no answer of this kind."""
    found = value.get("choices") if isinstance(value, Mapping) else None
    return found if isinstance(found, list) else []


class Choices:
    """See `Dialect`."""

    ends_with_done = True

    def replies(self, body: Mapping[str, Any]) -> int:
        """See `Dialect`."""
        return _bounded(per_prompt(body))

    def deal(self, value: Any, replies: int, reading: Reading) -> Iterable[tuple[int, Any]]:
        """See `Dialect`. Whatever belongs to no choice that was asked for goes with the first."""
        if replies == 1:
            return ((0, value),)
        shares: dict[int, list[Any]] = {}
        for choice in choices_of(value):
            shares.setdefault(_number(choice, replies), []).append(choice)
        if not shares:
            found = strings(value, reading)
            says = found.leaves or found.unread or found.encoded
            return ((0 if says else -1, value),)
        if not reading.streamed:
            return _apart(value, shares)
        if len(shares) == 1:
            return ((next(iter(shares)), value),)
        return tuple((number, {**value, "choices": some}) for number, some in shares.items())

    def is_answer(self, value: Any) -> bool:
        """See `Dialect`."""
        return bool(choices_of(value)) and all(isinstance(one, dict) for one in choices_of(value))

    def joined(self, value: Any, shares: Mapping[int, Any]) -> Any:
        """See `Dialect`."""
        made = [one for number in sorted(shares) for one in choices_of(shares[number])]
        return {**(shares.get(0) or envelope(value, "")), "choices": made}

    def only(self, value: Any, number: int) -> Any:
        """See `Dialect`."""
        if not number or not choices_of(value):
            return value
        made = [{**one, "index": number} for one in choices_of(value) if isinstance(one, dict)]
        return {**value, "choices": made}

    def failure_in(self, event: Any) -> Any:
        """See `Dialect`."""
        if not isinstance(event, Mapping) or choices_of(event) or not event.get("error"):
            return None
        return {"error": plain_error(event["error"])}

    def failure(self, code: str, message: str) -> Any:
        """See `Dialect`."""
        told = {"message": message, "type": error_kind(code), "param": None, "code": code}
        return {"error": told}

    def again(self, body: Mapping[str, Any], number: int, step: int) -> dict[str, Any]:
        """See `Dialect`."""
        del number
        seed = body.get("seed")
        changed = {"seed": (seed + step) % 2**31} if type(seed) is int else {}
        return changed | ({"n": 1} if per_prompt(body) > 1 else {})


def _apart(value: Any, shares: Mapping[int, list[Any]]) -> Iterable[tuple[int, Any]]:
    """The shares of a whole answer: the first has what belongs to none."""
    rest: dict[int, list[Any]] = {} if 0 in shares else {0: []}
    return tuple(
        (number, {**({} if number else value), "choices": some})
        for number, some in sorted({**rest, **shares}.items())
    )


def per_prompt(body: Mapping[str, Any]) -> int:
    """How many choices each prompt gets."""
    count = body.get("n")
    if count is None:
        return 1
    if type(count) is not int or count < 1:
        raise RefusedRequest(400, "bad_value", "n must be a whole number from 1", param="n")
    return count


def prompts_of(body: Mapping[str, Any]) -> list[Any]:
    """The prompts: texts, or lists of tokens."""
    prompt = body.get("prompt")
    if isinstance(prompt, list) and prompt and not all(type(one) is int for one in prompt):
        return prompt
    return [prompt]


def _bounded(replies: int) -> int:
    if replies > MOST_REPLIES:
        raise RefusedRequest(
            400, "too_many_replies", f"no more than {MOST_REPLIES} at once", param="n"
        )
    return replies


class PromptedChoices(Choices):
    """Where many prompts are answered at once: choice i is of prompt i // n."""

    def replies(self, body: Mapping[str, Any]) -> int:
        """See `Dialect`."""
        return _bounded(per_prompt(body) * len(prompts_of(body)))

    def again(self, body: Mapping[str, Any], number: int, step: int) -> dict[str, Any]:
        """See `Dialect`."""
        changed, prompts = super().again(body, number, step), prompts_of(body)
        if len(prompts) > 1:
            changed["prompt"] = prompts[number // per_prompt(body)]
        return changed


def _number(choice: Any, replies: int) -> int:
    index = choice.get("index") if isinstance(choice, Mapping) else None
    return index if type(index) is int and 0 <= index < replies else 0
