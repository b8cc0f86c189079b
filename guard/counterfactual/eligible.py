"""Which calls may be asked again as a shadow, and with which of their parameters.

A shadow call must do nothing but answer: no search, no stored conversation, nothing in the user's
name. And both sides must be asked alike: a parameter that is not known here is neither sent to a
model again (it could name the user) nor left out (the replies would differ for it).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum


class NeverShadowed(StrEnum):
    """Why a call gets no shadow, as a label of what is counted."""

    SERVER_TOOLS = "server_tools"
    BACKGROUND = "background"
    STORED = "stored"
    CONVERSATION = "conversation"
    UNKNOWN_PARAMETER = "unknown_parameter"


_REASONS = {
    "background": NeverShadowed.BACKGROUND,
    "store": NeverShadowed.STORED,
    "conversation": NeverShadowed.CONVERSATION,
    "previous_response_id": NeverShadowed.CONVERSATION,
    "web_search_options": NeverShadowed.SERVER_TOOLS,
    "plugins": NeverShadowed.SERVER_TOOLS,
    "mcp_servers": NeverShadowed.SERVER_TOOLS,
    "container": NeverShadowed.SERVER_TOOLS,
}
_CLIENT_TOOLS = {"function", "custom"}  # the caller runs these, and nobody calls for a shadow

_ANSWERING = """
    model temperature top_p max_tokens max_completion_tokens frequency_penalty presence_penalty
    stop logit_bias response_format reasoning_effort verbosity tools tool_choice
    parallel_tool_calls functions function_call service_tier modalities
"""
_ANSWERING_OF_OPEN_MODELS = """
    top_k min_p top_a typical_p repetition_penalty length_penalty min_tokens stop_token_ids
    bad_words ignore_eos chat_template_kwargs include_stop_str_in_output skip_special_tokens
    guided_json guided_regex guided_choice guided_grammar structured_outputs reasoning thinking
    enable_thinking safe_prompt prompt_mode provider
"""
_ASKED_AND_RETURNED = """
    messages prompt input instructions stream stream_options n best_of echo logprobs top_logprobs
    seed random_seed suffix prediction include
"""
_WHOSE = """
    user safety_identifier metadata prompt_cache_key prompt_cache_retention request_id
    session_id trace
"""
_PASSED = {*_ANSWERING.split(), *_ANSWERING_OF_OPEN_MODELS.split()}
_LEFT_OUT = {*_ASKED_AND_RETURNED.split(), *_WHOSE.split()}


def never_shadowed(body: Mapping[str, object], *, also: Collection[str] = ()) -> str | None:
    """Why the call with this JSON body may not be asked again; None where it may.

    body: of a request in the words of the OpenAI API. also: further parameters that may be passed
    on, because they name nobody and do nothing. A parameter that is null or false counts as absent.
    """
    for name, reason in _REASONS.items():
        if _given(body.get(name)):
            return reason
    if _server_tools(body.get("tools")):
        return NeverShadowed.SERVER_TOOLS
    if _lies_with_the_provider(body):
        return NeverShadowed.STORED
    known = {*_PASSED, *_LEFT_OUT, *_REASONS, *also}
    unknown = any(_given(value) for name, value in body.items() if name not in known)
    return NeverShadowed.UNKNOWN_PARAMETER if unknown else None


def shadow_parameters(
    body: Mapping[str, object], *, also: Collection[str] = ()
) -> dict[str, object]:
    """What goes along when a call is asked again: the model and how it is to answer.

    The seed does not (each draw has its own), nor does anything that names the user. A call that is
    `never_shadowed` has no parameters to ask with; see there for body and also.
    """
    passed = {*_PASSED, *also}
    return {name: value for name, value in body.items() if name in passed and value is not None}


def _given(value: object) -> bool:
    return value is not None and value is not False


def _lies_with_the_provider(body: Mapping[str, object]) -> bool:
    """A prompt by its id, which cannot be rewritten; a response that is stored unless refused."""
    stored_unless_refused = "input" in body and body.get("store") is not False
    return stored_unless_refused or isinstance(body.get("prompt"), Mapping)


def _server_tools(tools: object) -> bool:
    if not tools:
        return False
    if not isinstance(tools, list):
        return True
    return not all(isinstance(one, Mapping) and one.get("type") in _CLIENT_TOOLS for one in tools)
