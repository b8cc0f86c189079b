"""The one text of a JSON value that answers, where it has such a one. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from guard.text.json_numbers import whole_number

_DEEPEST: Final = 6
_FEWEST_WORDS: Final = 3
_ANSWERS: Final = frozenset(
    {
        *("answer", "final_answer", "response", "reply", "output", "result", "completion"),
        *("message", "content", "text", "refusal", "error", "summary"),
    }
)
_NO_ANSWERS: Final = frozenset(
    {
        *("thought", "thoughts", "thinking", "reasoning", "analysis", "rationale", "title", "name"),
        *("headline", "subject", "quote", "line", "lyrics", "phrase", "example", "prompt"),
        *("question", "query", "input", "request", "instruction"),
        *(
            "translation",
            "translated_text",
            "translated",
            "draft",
            "email",
            "mail",
            "letter",
            "body",
        ),
    }
)
_STATUSES: Final = frozenset(
    {
        *("status", "status_code", "statuscode", "http_status", "httpstatus"),
        *("code", "error_code", "errorcode"),
    }
)
_FAILURES: Final = range(400, 600)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonAnswer:
    """is_named: whether its key says that it is an answer."""

    text: str
    is_named: bool


def answer_in_json(text: str) -> JsonAnswer | None:
    """The text that is the answer in a JSON value: the first under a key that says so, or the only
    one of several words. None where `text` is no JSON, has none, or has an HTTP status of
    failure, which is what a program says."""
    try:
        value = json.loads(text, parse_int=whole_number)
    except (ValueError, RecursionError):
        return None
    said = list(_said(value, "", _DEEPEST))
    if any(isinstance(one, int) and one in _FAILURES and key in _STATUSES for key, one in said):
        return None
    texts = [
        JsonAnswer(text=one, is_named=key in _ANSWERS)
        for key, one in said
        if isinstance(one, str) and len(one.split()) >= _FEWEST_WORDS and key not in _NO_ANSWERS
    ]
    answers = texts if len(texts) == 1 else [one for one in texts if one.is_named]
    return answers[0] if answers else None


def _said(value: object, key: str, deepest: int) -> Iterator[tuple[str, object]]:
    """What is not made of other values, with its key; without one in a list of several."""
    if isinstance(value, dict) and deepest:
        for name, one in value.items():
            yield from _said(one, name.lower(), deepest - 1)
    elif isinstance(value, list) and deepest:
        for one in value:
            found = _said(one, key, deepest - 1)
            yield from found if len(value) == 1 else (("", part) for _, part in found)
    else:
        yield key, value
