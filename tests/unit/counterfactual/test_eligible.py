"""A shadow call does nothing but answer, and both sides are asked alike."""

from __future__ import annotations

import pytest

from guard.counterfactual import NeverShadowed, never_shadowed, shadow_parameters

PLAIN = {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}
FUNCTION = {"type": "function", "function": {"name": "look_up"}}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"temperature": 0.2, "max_tokens": 100, "stop": ["\n"], "seed": 7},
        {"stream": True, "stream_options": {"include_usage": True}, "n": 2},
        {"user": "u-17", "metadata": {"team": "a"}, "safety_identifier": "s"},
        {"tools": [FUNCTION, {"type": "custom", "custom": {"name": "run"}}]},
        {"tools": [], "store": False, "background": None, "previous_response_id": None},
        {"top_k": 40, "repetition_penalty": 1.1, "chat_template_kwargs": {"thinking": False}},
        {"something_new": None},
        {"input": "Hello", "instructions": "Be brief.", "store": False},
    ],
)
def test_a_plain_call_may_be_shadowed(more: dict[str, object]) -> None:
    assert never_shadowed(PLAIN | more) is None


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"tools": [FUNCTION, {"type": "web_search"}]}, NeverShadowed.SERVER_TOOLS),
        ({"tools": [{"type": "mcp", "server_url": "x"}]}, NeverShadowed.SERVER_TOOLS),
        ({"tools": [{"type": "code_interpreter"}]}, NeverShadowed.SERVER_TOOLS),
        ({"tools": [{"name": "no type"}]}, NeverShadowed.SERVER_TOOLS),
        ({"tools": ["web_search"]}, NeverShadowed.SERVER_TOOLS),
        ({"tools": {"type": "function"}}, NeverShadowed.SERVER_TOOLS),
        ({"web_search_options": {}}, NeverShadowed.SERVER_TOOLS),
        ({"plugins": [{"id": "web"}]}, NeverShadowed.SERVER_TOOLS),
        ({"background": True}, NeverShadowed.BACKGROUND),
        ({"background": "yes"}, NeverShadowed.BACKGROUND),
        ({"store": True}, NeverShadowed.STORED),
        ({"prompt": {"id": "pmpt_1"}}, NeverShadowed.STORED),
        ({"input": "Hello"}, NeverShadowed.STORED),
        ({"conversation": "conv_1"}, NeverShadowed.CONVERSATION),
        ({"previous_response_id": "resp_1"}, NeverShadowed.CONVERSATION),
        ({"something_new": 1}, NeverShadowed.UNKNOWN_PARAMETER),
    ],
)
def test_what_acts_or_is_stored_or_unknown_is_not(
    more: dict[str, object], reason: NeverShadowed
) -> None:
    assert never_shadowed(PLAIN | more) == reason


def test_a_parameter_can_be_allowed() -> None:
    body = PLAIN | {"something_new": 1}
    assert never_shadowed(body, also=["something_new"]) is None
    assert shadow_parameters(body, also=["something_new"]) == {"model": "m", "something_new": 1}


def test_how_to_answer_goes_along_and_who_asked_does_not() -> None:
    body = PLAIN | {
        "temperature": 0.0,
        "tools": [FUNCTION],
        "stop": None,
        "seed": 7,
        "n": 3,
        "stream": True,
        "user": "u-17",
        "metadata": {"customer": "c"},
        "prompt_cache_key": "u-17",
    }
    assert shadow_parameters(body) == {"model": "m", "temperature": 0.0, "tools": [FUNCTION]}


def test_the_call_stays_as_it_was() -> None:
    body = dict(PLAIN)
    shadow_parameters(body)
    assert body == PLAIN
