"""Answers with choices: what chat completions and completions have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from guard.gateway.errors import RefusedRequest
from guard.gateway.judging.known import is_name
from guard.gateway.judging.strings import Reading, strings

FILTERED = "content_filter"
MOST_REPLIES = 128
_ENVELOPE = ("id", "object", "created", "model", "system_fingerprint", "service_tier")


def envelope(like: Any, kind: str) -> dict[str, Any]:
    """What every answer says beside its choices. kind: of object, where it does not say."""
    known = like if isinstance(like, Mapping) else {}
    made = {"id": "", "object": kind, "created": 0, "model": ""}
    return {**made, **{key: known[key] for key in _ENVELOPE if _is_plain(known.get(key))}}


def _is_plain(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, str) and is_name(value))


def answer(like: Any, kind: str, choice: Mapping[str, Any]) -> dict[str, Any]:
    """A whole answer of one choice that was filtered, with the account of tokens of `like`."""
    usage = counted(like.get("usage")) if isinstance(like, Mapping) else None
    blocked = {**choice, "logprobs": None, "finish_reason": FILTERED}
    return {
        **envelope(like, kind),
        "choices": [blocked],
        **({} if usage is None else {"usage": usage}),
    }


def counted(usage: Any) -> dict[str, Any] | None:
    """The numbers in an account of tokens."""
    if not isinstance(usage, Mapping):
        return None
    return {key: _numbers(value) for key, value in usage.items() if is_name(key)}


def _numbers(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: one for key, one in value.items() if is_name(key) and _is_number(one)}
    return value if _is_number(value) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def choices_of(value: Any) -> list[Any]:
    """The choices in an answer; none where it is no answer of this kind."""
    found = value.get("choices") if isinstance(value, Mapping) else None
    return found if isinstance(found, list) else []


class Choices:
    """See `Dialect`."""

    ends_with_done = True

    def replies(self, body: Mapping[str, Any]) -> int:
        """See `Dialect`."""
        return asked_for(body)

    def deal(self, value: Any, replies: int, reading: Reading) -> Iterable[tuple[int, Any]]:
        """See `Dialect`. Whatever belongs to no choice that was asked for goes with the first."""
        if replies == 1:
            return ((0, value),)
        shares: dict[int, list[Any]] = {}
        for choice in choices_of(value):
            shares.setdefault(_number(choice, replies), []).append(choice)
        if not shares:
            found = strings(value, reading)
            return ((0 if found.leaves or found.unread else -1, value),)
        if len(shares) == 1 and reading.streamed:
            return ((next(iter(shares)), value),)
        return tuple(
            (number, {**(value if reading.streamed or not number else {}), "choices": some})
            for number, some in shares.items()
        )

    def is_answer(self, value: Any) -> bool:
        """See `Dialect`."""
        return bool(choices_of(value)) and all(isinstance(one, dict) for one in choices_of(value))

    def joined(self, value: Any, shares: Iterable[tuple[int, Any]]) -> Any:
        """See `Dialect`."""
        given = dict(shares)
        made = [choice for number in sorted(given) for choice in choices_of(given[number])]
        rest = given.get(0) or envelope(value, "")
        return {**rest, "choices": made}

    def failure_in(self, event: Any) -> Any:
        """See `Dialect`."""
        if not isinstance(event, Mapping) or choices_of(event):
            return None
        return event.get("error")

    def failure(self, code: str, message: str) -> Any:
        """See `Dialect`."""
        kind = "invalid_request_error" if code == FILTERED else "server_error"
        return {"error": {"message": message, "type": kind, "param": None, "code": code}}

    def again(self, body: Mapping[str, Any], number: int, seed_step: int) -> dict[str, Any]:
        """See `Dialect`."""
        del number
        return {**body, **({"n": 1} if "n" in body else {}), **_seed(body, seed_step)}


def _seed(body: Mapping[str, Any], step: int) -> dict[str, int]:
    seed = body.get("seed")
    return {"seed": (seed + step) % 2**31} if type(seed) is int else {}


def asked_for(body: Mapping[str, Any]) -> int:
    """How many choices each prompt gets."""
    count = body.get("n")
    if count is None:
        return 1
    if type(count) is not int or not 1 <= count <= MOST_REPLIES:
        raise RefusedRequest(
            400, "bad_value", f"n must be a whole number from 1 to {MOST_REPLIES}", param="n"
        )
    return count


def _number(choice: Any, replies: int) -> int:
    index = choice.get("index") if isinstance(choice, Mapping) else None
    return index if type(index) is int and 0 <= index < replies else 0
