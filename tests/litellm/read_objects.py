"""Run in the environment of LiteLLM: what its own objects say, as JSON on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from guard.replies.edit import drop_copies, replace_texts
from guard.replies.fields import ReadOptions
from guard.replies.known import known_reply
from guard.wrap.reply_objects import edited, plain_value
from litellm import ModelResponse
from litellm.types.utils import ModelResponseStream, TextCompletionResponse

SAID = sys.argv[1]
TOKEN = {"token": SAID, "bytes": [*SAID.encode()], "logprob": -0.1}
TOKENS = {"content": [{**TOKEN, "top_logprobs": [TOKEN]}]}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": json.dumps([SAID])}}


def objects() -> dict[str, Any]:
    """Replies of each kind that its users get, with the same text in each."""
    message = {"role": "assistant", "content": SAID, "reasoning_content": SAID}
    whole = {"index": 0, "finish_reason": "stop", "message": message, "logprobs": TOKENS}
    called = {**whole, "message": {**message, "tool_calls": [CALL]}}
    delta = {"index": 0, "delta": {"role": "assistant", "content": SAID}, "logprobs": TOKENS}
    return {
        "whole": ModelResponse(choices=[whole]),
        "call": ModelResponse(choices=[called]),
        "chunk": ModelResponseStream(choices=[delta]),
        "completion": TextCompletionResponse(choices=[{"index": 0, "text": SAID}]),
    }


def read(thing: Any) -> Mapping[str, Any]:
    """The texts in an object, and what an edited copy says."""
    value, options = plain_value(thing), ReadOptions()
    known = known_reply(value, options)
    fields = known.format.read(value).fields if known else ()
    new = drop_copies(replace_texts(value, {one.path: "[x]" for one in fields if not one.fixed}))
    copy = edited(thing, value, new)
    return {
        "texts": [one.text for one in fields],
        "same_type": type(copy) is type(thing),
        "edited": copy.model_dump_json(),
        "kept": thing.model_dump_json(),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps({name: read(thing) for name, thing in objects().items()}))
