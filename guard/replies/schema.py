"""The vocabulary of the model APIs: what stands under which key of a reply or a request.

Chat completions, completions and the Responses API of OpenAI and of servers that speak like them;
messages of Anthropic, candidates of Google; content blocks of LangChain. A string under a key that
is not named here is judged like the reply itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache

from guard.records import Unread
from guard.text.language import function_words

_LONGEST_NAME = 200
_NAME = re.compile(rf"[\w.:/@+=-]{{1,{_LONGEST_NAME}}}", re.ASCII)
_WORDS = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]+(?![A-Za-z0-9])")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ONE_WORD = re.compile(r"(?:[^\W\d_](?:[^\W\dA-Z_]|['’]){0,23}|[A-Z'’]{1,24})[.,!?]?")
_FEWEST_WORDS = 4
_FEWEST_SMALL = 2
_MOST_KEYS = 1000
_OPAQUE = re.compile(r"(?:data:[\w/+.-]{1,100};base64,)?[\w+/=\r\n-]*", re.ASCII)
_LONGEST_RUN = 500
_SHORTEST_LINE = 40


class ReplyKind(StrEnum):
    """The kind of a text in a reply."""

    TEXT = "text"
    REASONING = "reasoning"
    TOOL = "tool"
    MEDIA = "media"
    OTHER = "other"


UNREAD_KIND = {ReplyKind.REASONING: Unread.REASONING, ReplyKind.TOOL: Unread.TOOL_CALLS}
"""The label of a kind that is not read, by policy."""

_NAMES = """
    id object type role model status finish_reason native_finish_reason system_fingerprint
    service_tier provider created created_at completed_at expires_at call_id item_id response_id
    file_id container_id approval_request_id obfuscation reason effort format phase mime_type
    media_type severity code size quality output_format voice encoding finish_details
    index tool_call_id source_type
    stop_reason done_reason finishReason mimeType
    model_name model_provider model_version modelVersion output_version response_id responseId
    category probability modality block_reason blockReason
"""
NAMES = frozenset(_NAMES.split())
"""Keys of strings that are no text, where they look like it (`is_name`)."""

_NOTHING: frozenset[Unread] = frozenset()
OPAQUE: Mapping[str, frozenset[Unread]] = {
    "data": frozenset({Unread.AUDIO}),
    "b64_json": frozenset({Unread.IMAGE}),
    "partial_image_b64": frozenset({Unread.IMAGE}),
    "result": frozenset({Unread.IMAGE}),
    "url": frozenset({Unread.IMAGE}),
    "base64": frozenset({Unread.FILE}),
    "encrypted_content": _NOTHING,
    "encrypted_index": _NOTHING,
    "signature": _NOTHING,
    "thought_signature": _NOTHING,
    "thoughtSignature": _NOTHING,
}
"""Keys of strings that are bytes in base64, and what is not read there."""

MEDIA: Mapping[str, Unread] = {
    **dict.fromkeys(["image", "image_url", "input_image", "image_generation_call"], Unread.IMAGE),
    **dict.fromkeys(["audio", "input_audio"], Unread.AUDIO),
    **dict.fromkeys(["file", "input_file", "document", "media"], Unread.FILE),
    "video": Unread.VIDEO,
}
"""Types of media objects."""

MEDIA_KEYS: Mapping[str, Unread] = dict.fromkeys(
    ["inline_data", "inlineData", "file_data", "fileData"], Unread.FILE
)
"""Keys of media objects that have no type."""

_CONTAINERS = """
    choices delta message content parts tool_calls function function_call custom audio image_url
    images annotations url_citation file_citation usage prompt_tokens_details
    completion_tokens_details input_tokens_details output_tokens_details response output item part
    summary annotation incomplete_details reasoning_details content_filter_result
    content_filter_results prompt_filter_results content_filter_offsets hate self_harm sexual
    prompt_logprobs violence profanity jailbreak
    indirect_attack protected_material_text protected_material_code action error logprobs
    additional_kwargs response_metadata generation_info
    tool_call_chunks invalid_tool_calls source caller reasoning_content
    content_block candidates functionCall inline_data inlineData file_data fileData
    usage_metadata usageMetadata
    safety_ratings safetyRatings prompt_feedback promptFeedback candidates_tokens_details
    candidatesTokensDetails promptTokensDetails
"""
CONTAINERS = frozenset(_CONTAINERS.split())
"""Keys under which other known keys stand; under any other key, none does."""

_TEXT = "content delta text refusal transcript"
_REASONING = "reasoning reasoning_content reasoning_details reasoning_text thinking thought"
_TOOL_CALLS = "tool_calls function_call functionCall tool_call_chunks invalid_tool_calls"
KINDS: Mapping[str, ReplyKind] = {
    **dict.fromkeys(_TEXT.split(), ReplyKind.TEXT),
    **dict.fromkeys(_REASONING.split(), ReplyKind.REASONING),
    **dict.fromkeys(_TOOL_CALLS.split(), ReplyKind.TOOL),
}
"""What stands under a key, wherever it is found."""

_GROWING = """
    content delta text refusal transcript reasoning reasoning_content reasoning_text thinking
    thought arguments args partial_json input summary
"""
GROWING = frozenset(_GROWING.split())
"""Keys of strings that a client joins over the events of a stream."""

ARGUMENTS = frozenset({"arguments", "args", "partial_json"})
"""Keys of the arguments of a tool's call, as a source of JSON."""

CLIENT_CALLS = frozenset(
    {"tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "custom_tool_call"}
    | {"function_call", "tool_calls"}
)
"""Types and keys of the calls of tools that the caller runs."""

LATER = frozenset({"finish_reason", "native_finish_reason", "stop_reason"})
"""Keys that only the last piece of a reply may have."""

KNOWN_KEYS = frozenset({*NAMES, *OPAQUE, *CONTAINERS, *KINDS, *GROWING, *ARGUMENTS})
"""All keys above. Any other key may itself be text."""

SERVER_TOOL_PARAMETERS = frozenset({"web_search_options", "plugins", "mcp_servers", "container"})
CONVERSATION_PARAMETERS = frozenset({"conversation", "previous_response_id"})
CLIENT_TOOLS = frozenset({"function", "custom"})
"""Types of tools that the caller runs."""

_ANSWERING = """
    model temperature top_p max_tokens max_completion_tokens frequency_penalty presence_penalty
    stop logit_bias response_format reasoning_effort verbosity tools tool_choice
    parallel_tool_calls functions function_call service_tier modalities
    top_k min_p top_a typical_p repetition_penalty length_penalty min_tokens stop_token_ids
    bad_words ignore_eos chat_template_kwargs include_stop_str_in_output skip_special_tokens
    guided_json guided_regex guided_choice guided_grammar structured_outputs reasoning thinking
    enable_thinking safe_prompt prompt_mode provider
"""
ANSWERING_PARAMETERS = frozenset(_ANSWERING.split())
"""Parameters that control generation; from `top_k` on those of open models."""

_OTHER_PARAMETERS = """
    messages prompt input instructions stream stream_options n best_of echo logprobs top_logprobs
    seed random_seed suffix prediction include
    user safety_identifier metadata prompt_cache_key prompt_cache_retention request_id
    session_id trace
"""
OTHER_PARAMETERS = frozenset(_OTHER_PARAMETERS.split())
"""Other known parameters: the prompt, what is returned, and the user."""


def is_name(text: str) -> bool:
    """Whether `text` looks like an identifier or a number, not like prose: words of a sentence may
    be joined by the signs of a name, but names have hardly any of the small words of English."""
    return _NAME.fullmatch(text) is not None and not is_prose(text)


@lru_cache(maxsize=4096)  # each event of a stream has the same names
def is_prose(name: str) -> bool:
    """Whether an identifier is words of a sentence, joined by the signs of a name."""
    words = [word for run in _WORDS.findall(name) for word in _WORD.findall(run)]
    small = sum(len(word) > 1 and word.lower() in function_words()["en"] for word in words)
    return len(words) >= _FEWEST_WORDS and small >= _FEWEST_SMALL


def read_as_sentence(keys: Sequence[str]) -> str:
    """What keys that stand beside each other may say: a text where four or more are words and one
    of them is a small word of English, which names of fields are not; else nothing."""
    words = [key for key in keys[:_MOST_KEYS] if _ONE_WORD.fullmatch(key)]
    has_small = any(word.lower() in function_words()["en"] for word in words)
    return " ".join(words) if has_small and len(words) >= _FEWEST_WORDS else ""


def is_opaque(text: str) -> bool:
    """Whether `text` looks like bytes in base64, in long lines if in several; a short one that
    reads as prose does not."""
    if _OPAQUE.fullmatch(text) is None:
        return False
    if len(text) <= _LONGEST_NAME:
        return not is_prose(text)
    return all(len(line) >= _SHORTEST_LINE for line in text.split()[:-1])


def is_data(text: str) -> bool:
    """Whether `text` is a long run of ASCII without white space."""
    return len(text) > _LONGEST_RUN and text.isascii() and len(text.split(maxsplit=1)) == 1


def kind_of_type(name: object) -> ReplyKind | None:
    """What an object of this `type` is; None where that says nothing."""
    if not isinstance(name, str):
        return None
    if name in MEDIA:
        return ReplyKind.MEDIA
    if "reasoning" in name or "thinking" in name:
        return ReplyKind.REASONING
    if name in {"function", "input_json_delta"} or "_call" in name or "tool_" in name:
        return ReplyKind.TOOL
    return None
