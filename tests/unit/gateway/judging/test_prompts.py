"""A prompt that is blocked does not reach the upstream, and the client hears why in its dialect."""

from __future__ import annotations

from dataclasses import replace
from threading import get_ident
from typing import Any

import pytest

from guard.gateway.errors import RefusedRequest
from guard.gateway.judging import context
from guard.gateway.request import Operation
from guard.policy import OnUnscored, Policy, PromptMode, prompt_policy
from guard.records import TextKind, Unread, Unscored, Verdict
from tests.unit.gateway.judging.fake import BLOCK, ask, completion, whole

NO_PROMPT = "No prompt like that."
CHAT = {"model": "m", "messages": [{"role": "user", "content": "So nasty."}]}


def judging(policy: Policy, mode: PromptMode = PromptMode.BLOCK) -> Policy:
    return replace(policy, prompt=prompt_policy(policy, mode, NO_PROMPT))


REQUESTS: list[tuple[Operation, dict[str, Any]]] = [
    (Operation.CHAT, CHAT),
    (Operation.COMPLETIONS, {"model": "m", "prompt": "So nasty."}),
    (Operation.COMPLETIONS, {"model": "m", "prompt": "Hi.", "suffix": "So nasty."}),
    (Operation.COMPLETIONS, {"model": "m", "prompt": ["Hi.", ["So nasty."]]}),
    (Operation.COMPLETIONS, {"model": "m", "prompt": ["So nasty.", [1, 2]]}),
    (Operation.RESPONSES, {"model": "m", "input": "So nasty."}),
    (Operation.RESPONSES, {"prompt": {"id": "p", "variables": {"who": "So nasty."}}}),
    (
        Operation.RESPONSES,
        {
            "input": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hi."}],
            "prompt": {"variables": {"who": {"type": "input_text", "text": "So nasty."}}},
        },
    ),
]


@pytest.mark.parametrize(("operation", "body"), REQUESTS)
@pytest.mark.parametrize("streamed", [False, True])
async def test_the_client_gets_a_reply_of_its_dialect(
    operation: Operation, body: dict[str, Any], streamed: bool
) -> None:
    asked = {**body, "stream": True} if streamed else body
    seen = await ask(asked, policy=judging(BLOCK), operation=operation)
    assert seen.client.sent == []
    assert NO_PROMPT.encode() in seen.body
    assert b"nasty" not in seen.body
    assert seen.headers["x-guard-verdict"] == "blocked"
    assert seen.headers["x-guard-blocked"] == "prompt"
    [outcome] = seen.recorder.outcomes
    assert (outcome.call.kind, outcome.verdict) == (TextKind.PROMPT, Verdict.BLOCKED)
    assert outcome.call.id == seen.headers["x-guard-call-id"]


@pytest.mark.parametrize(("count", "beside"), [(1, False), (20_000, True)])
async def test_what_many_messages_say_is_read_beside_the_event_loop(
    count: int, *, beside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty thousand take a second of it, in which nobody else would be answered."""
    threads: list[int] = []

    def told(read: Any) -> Any:
        def reads(*args: Any) -> Any:
            threads.append(get_ident())
            return read(*args)

        return reads

    for name in ("user_text", "conversation_turns"):
        monkeypatch.setattr(context, name, told(getattr(context, name)))
    body = {"model": "m", "messages": [{"role": "user", "content": "So nasty."}] * count}
    seen = await ask(body, policy=judging(BLOCK))
    assert seen.headers["x-guard-blocked"] == "prompt"
    assert len(threads) == 2
    assert (get_ident() not in threads) is beside


TOKENS: list[dict[str, Any]] = [
    {"model": "m", "prompt": [1, 2, 3]},
    {"model": "m", "prompt": [[1, 2], [3]]},
    {"model": "m", "prompt": ["Hi.", [3]]},
    {"model": "m", "prompt": "Hi.", "prompt_embeds": "AAAA"},
]


@pytest.mark.parametrize("body", TOKENS)
async def test_a_prompt_of_tokens_is_counted_as_unscored(body: dict[str, Any]) -> None:
    replies = [{"index": index, "text": "Fine."} for index in range(2)]
    told = {
        "object": "text_completion",
        "choices": replies[: 1 + isinstance(body["prompt"][0], list)],
    }
    seen = await ask(body, whole(told), policy=judging(BLOCK), operation=Operation.COMPLETIONS)
    outcome = seen.recorder.outcomes[0]
    assert (outcome.call.kind, outcome.verdict) == (TextKind.PROMPT, Verdict.UNSCORED)
    assert (outcome.unscored, outcome.unread) == (Unscored.NOT_TEXT, {Unread.NOT_TEXT})
    assert len(seen.client.sent) == 1


@pytest.mark.parametrize("body", TOKENS)
async def test_a_prompt_of_tokens_is_withheld_where_nothing_unscored_passes(
    body: dict[str, Any],
) -> None:
    policy = judging(replace(BLOCK, on_unscored=OnUnscored.WITHHOLD))
    seen = await ask(body, policy=policy, operation=Operation.COMPLETIONS)
    assert seen.client.sent == []
    assert seen.json["choices"][0]["text"] == NO_PROMPT
    raising = replace(policy, raises=True)
    with pytest.raises(RefusedRequest, match="the prompt was withheld"):
        await ask(body, policy=raising, operation=Operation.COMPLETIONS)


async def test_an_error_where_policy_wants_one() -> None:
    with pytest.raises(RefusedRequest, match="the prompt was withheld") as raised:
        await ask(CHAT, policy=judging(replace(BLOCK, raises=True)))
    assert (raised.value.status, raised.value.code) == (400, "content_filter")


@pytest.mark.parametrize("mode", [PromptMode.OBSERVE, PromptMode.FLAG])
async def test_a_prompt_that_is_only_counted_reaches_the_upstream(mode: PromptMode) -> None:
    seen = await ask(CHAT, whole(completion("Fine.")), policy=judging(BLOCK, mode))
    assert seen.json["choices"][0]["message"]["content"] == "Fine."
    kinds = [(one.call.kind, one.verdict) for one in seen.recorder.outcomes]
    assert kinds == [(TextKind.PROMPT, Verdict.FLAGGED), (TextKind.REPLY, Verdict.RELEASED)]
