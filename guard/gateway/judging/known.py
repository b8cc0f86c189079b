"""Which keys of an answer are known, and what stands under them.

A string under a key that is not named here is judged like the reply itself.
"""

from __future__ import annotations

import re
from enum import Enum

from guard.records import Unread

_NAME = re.compile(r"[\w.:/@+=-]{1,200}", re.ASCII)
_OPAQUE = re.compile(r"(?:data:[\w/+.-]{1,100};base64,)?[\w+/=\r\n-]*", re.ASCII)


class Kind(Enum):
    """What a string of an answer is."""

    TEXT = "text"
    TOOL = "tool_calls"
    REASONING = "reasoning"
    OTHER = "other"


_NAMES = """
    id object type role model status finish_reason native_finish_reason system_fingerprint
    service_tier provider created created_at completed_at expires_at call_id item_id response_id
    file_id container_id approval_request_id obfuscation reason effort format phase mime_type
    media_type severity code size quality output_format voice encoding finish_details
"""
NAMES = frozenset(_NAMES.split())
"""Keys of strings that are no text, where they look like it (`is_name`)."""

OPAQUE = {
    "data": frozenset({Unread.AUDIO}),
    "b64_json": frozenset({Unread.IMAGE}),
    "partial_image_b64": frozenset({Unread.IMAGE}),
    "result": frozenset({Unread.IMAGE}),
    "url": frozenset({Unread.IMAGE}),
    "encrypted_content": frozenset(),
    "signature": frozenset(),
    "thought_signature": frozenset(),
}
"""Keys of strings that are bytes in base64, and what of the reply is not read there."""

_CONTAINERS = """
    choices delta message content parts tool_calls function function_call custom audio image_url
    images annotations url_citation file_citation usage prompt_tokens_details
    completion_tokens_details input_tokens_details output_tokens_details response output item part
    summary annotation incomplete_details reasoning_details content_filter_result
    content_filter_results prompt_filter_results content_filter_offsets hate self_harm sexual
    prompt_logprobs violence profanity jailbreak
    indirect_attack protected_material_text protected_material_code action error logprobs
"""
CONTAINERS = frozenset(_CONTAINERS.split())
"""Keys under which other known keys stand; under any other key, none does."""

KINDS = {
    "content": Kind.TEXT,
    "delta": Kind.TEXT,
    "text": Kind.TEXT,
    "refusal": Kind.TEXT,
    "transcript": Kind.TEXT,
    "reasoning": Kind.REASONING,
    "reasoning_content": Kind.REASONING,
    "reasoning_details": Kind.REASONING,
    "reasoning_text": Kind.REASONING,
    "thinking": Kind.REASONING,
    "thought": Kind.REASONING,
    "tool_calls": Kind.TOOL,
    "function_call": Kind.TOOL,
}
"""What stands under a key, wherever it is found."""

_GROWING = """
    content delta text refusal transcript reasoning reasoning_content reasoning_text thinking
    thought arguments input summary
"""
GROWING = frozenset(_GROWING.split())
"""Keys of strings that a client joins over the events of a stream."""


def is_name(text: str) -> bool:
    """Whether `text` looks like a name or a number for programs, not like something said."""
    return _NAME.fullmatch(text) is not None


def is_opaque(text: str) -> bool:
    """Whether `text` looks like bytes in base64."""
    return _OPAQUE.fullmatch(text) is not None


def kind_of_type(name: object) -> Kind | None:
    """What an object of this `type` is; None where that says nothing."""
    if not isinstance(name, str):
        return None
    if "reasoning" in name or "thinking" in name:
        return Kind.REASONING
    if name == "function" or "_call" in name or "tool_" in name:
        return Kind.TOOL
    return None
