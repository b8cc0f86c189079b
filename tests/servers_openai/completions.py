"""`/v1/completions`: the older interface, whose chunks look like its whole answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from tests.servers_openai.replies import CREATED, Choice, Dialect, Saying, token_id, tokens, usage

Body = Mapping[str, Any]
Object = dict[str, Any]


def whole(saying: Saying, body: Body) -> Object:
    """The answer to a request that did not ask for a stream."""
    choices = [
        _choice(saying, body, index=i, said=tokens(one.text), finish=one.finish)
        for i, one in enumerate(saying.choices)
    ]
    return {**_top(saying, body), "choices": choices, "usage": usage(saying)} | dict(saying.extra)


def events(saying: Saying, body: Body) -> Iterator[Object]:
    """The chunks of a stream."""
    counted = (body.get("stream_options") or {}).get("include_usage")
    top = _top(saying, body) | dict(saying.extra) | ({"usage": None} if counted else {})
    parts = [list(_parts(i, one, saying, body)) for i, one in enumerate(saying.choices)]
    for together in zip_longest(*parts):
        for choice in together:
            if choice is not None:
                yield {**top, "choices": [choice]}
    if counted:
        yield {**top, "choices": [], "usage": usage(saying)}


def _top(saying: Saying, body: Body) -> Object:
    return {
        "id": "cmpl-uqkvlQyYK7bGYrRHQ0eXlWi7",
        "object": "text_completion",
        "created": CREATED,
        "model": body.get("model", "scripted"),
        "system_fingerprint": "fp_44709d6fcb",
    }


def _parts(index: int, choice: Choice, saying: Saying, body: Body) -> Iterator[Object]:
    for token in tokens(choice.text):
        yield _choice(saying, body, index=index, said=[token], finish=None)
    yield _choice(saying, body, index=index, said=[], finish=choice.finish)


def _choice(
    saying: Saying, body: Body, *, index: int, said: list[str], finish: str | None
) -> Object:
    found: Object = {
        "text": "".join(said),
        "index": index,
        "logprobs": _logprobs(said, body),
        "finish_reason": finish,
    }
    if saying.dialect is Dialect.VLLM:
        found |= {"stop_reason": None, "token_ids": [*map(token_id, said)]}
    return found


def _logprobs(said: list[str], body: Body) -> Object | None:
    if body.get("logprobs") is None:
        return None
    return {
        "tokens": said,
        "token_logprobs": [-0.3 for _ in said],
        "top_logprobs": [{token: -0.3} for token in said],
        "text_offset": [len("".join(said[:i])) for i in range(len(said))],
    }
