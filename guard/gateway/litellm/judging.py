"""Judges the texts that LiteLLM's proxy asks about, by the policy of their use case."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Final

from guard.errors import Blocked
from guard.flow import Exchange, Flow, drive_async, worst_verdict
from guard.gateway.judging.whole import Headers, WholeBuffer
from guard.gateway.litellm.messages import (
    WITHHELD_PROMPT,
    GuardrailAction,
    GuardrailAnswer,
    GuardrailFormat,
    GuardrailRequest,
    InputType,
    all_complete,
    answer_with,
    answer_without_ends,
    completion_of,
    held_of_each,
    text_of_call,
)
from guard.gateway.litellm.stream_records import ReplySoFar, StreamRecords
from guard.gateway.monitoring import WholeResponse
from guard.policy import Policy
from guard.records import Call, RequestedModel, Verdict
from guard.replies.fields import ReadOptions
from guard.replies.large import run_beside
from guard.telemetry import GatewayMetrics

DRAIN_SECONDS: Final = 5.0
_JSON: Final = ("content-type", "application/json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Guardrail:
    """Answers for one worker. flow: tells `records` of every outcome."""

    flow: Flow
    records: StreamRecords
    metrics: GatewayMetrics

    async def answer(self, asked: GuardrailRequest, use_case: str) -> WholeResponse:
        """What the proxy gets. Raises UnknownUseCase.

        What takes long for a large request is done in a thread, as for answers of upstreams.
        """
        if asked.input_type is InputType.REQUEST:
            return await self._judge_prompt(asked, use_case)
        began = perf_counter()
        answer, told = await self._judge_reply(asked, use_case)
        self.metrics.litellm_answered(use_case, answer.action.lower())
        timing = ("server-timing", f"guard;dur={(perf_counter() - began) * 1000:.2f}")
        return 200, answer.encode(), (_JSON, *told, timing)

    def close(self) -> None:
        """Hand on the records that wait. Blocks for a few seconds at most."""
        self.flow.drain(DRAIN_SECONDS)
        self.records.flush()

    async def _judge_prompt(self, asked: GuardrailRequest, use_case: str) -> WholeResponse:
        """Prompts that use cases do not judge are counted."""
        if not self.flow.judges_prompts(use_case):
            self.metrics.litellm_answered(use_case, "not_judged")
            return 200, GuardrailAnswer().encode(), (_JSON, _verdict(Verdict.UNSCORED))
        said = await run_beside(asked.size_bytes, asked.said)
        call = replace(_call(asked, use_case), user_text=said)
        refusal = await self.flow.refuses(call)
        answer = GuardrailAnswer()
        told: Headers = (_verdict(Verdict.UNSCORED),)
        if refusal is not None:
            reason = WITHHELD_PROMPT if refusal.raises else refusal.text
            answer = GuardrailAnswer(action=GuardrailAction.BLOCKED, reason=reason)
            told = _headers(refusal.outcome.call.id, Verdict.BLOCKED)
        self.metrics.litellm_answered(use_case, answer.action.lower())
        return 200, answer.encode(), (_JSON, *told)

    async def _judge_reply(
        self, asked: GuardrailRequest, use_case: str
    ) -> tuple[GuardrailAnswer, Headers]:
        policy = self.flow.policy(use_case)
        call = _call(asked, use_case)
        if policy.off:
            call_id = self.flow.pass_unread(call)
            return GuardrailAnswer(), _headers(call_id, Verdict.UNSCORED)
        exchange = self.flow.begin(call, streamed=False, once=True)
        stream = (use_case, asked.litellm_call_id) if asked.litellm_call_id else None
        if stream is not None:
            self.records.begin(exchange.call_id, stream, _said_in(asked))
        blocks = False
        try:
            answer = await _judged(exchange, asked, policy)
            blocks = answer.action is GuardrailAction.BLOCKED
            if blocks and asked.applies_texts:
                answer = await self._wait_for_more(asked, use_case, answer)
                blocks = answer.action is GuardrailAction.BLOCKED
        finally:
            if stream is not None:
                self.records.answered(stream, exchange.call_id, ends=blocks)
        return answer, _headers(exchange.call_id, worst_verdict([exchange]))

    async def _wait_for_more(
        self, asked: GuardrailRequest, use_case: str, blocked: GuardrailAnswer
    ) -> GuardrailAnswer:
        """A milder answer than BLOCKED where all sentences may stand but those that are cut off:
        the proxy asks in the middle of a stream, and more words may clear them."""
        policy = self.flow.policy(use_case)
        complete = await run_beside(asked.size_bytes, all_complete, asked.texts)
        has_more = asked.tool_calls or asked.images
        if policy.raises or has_more or complete == asked.texts:
            return blocked
        if not await self.flow.passes(use_case, "\n\n".join(complete)):
            return blocked
        return await run_beside(
            asked.size_bytes, answer_without_ends, asked, policy, blocked.reason
        )


def _said_in(asked: GuardrailRequest) -> ReplySoFar:
    calls = tuple(map(text_of_call, asked.tool_calls))
    return ReplySoFar(texts=asked.texts, calls=calls, images=asked.images)


async def _judged(exchange: Exchange, asked: GuardrailRequest, policy: Policy) -> GuardrailAnswer:
    completion = completion_of(asked)
    replaceable = len(asked.texts) if asked.applies_texts else 0
    buffer = WholeBuffer(GuardrailFormat(_read_options(policy), replaceable=replaceable))
    try:
        released = await _released(exchange, completion, buffer, asked.size_bytes)
    finally:
        exchange.discard()
    answer = answer_with(asked, completion, released)
    if answer.action is GuardrailAction.BLOCKED:
        return answer
    texts = asked.texts if answer.texts is None else answer.texts
    held = await run_beside(asked.size_bytes, held_of_each, texts, policy)
    return GuardrailAnswer(action=answer.action, texts=answer.texts, held=held)


async def _released(
    exchange: Exchange, completion: Any, buffer: WholeBuffer, size_bytes: int
) -> Any:
    """What may be released of the completion; None where nothing is said in its place."""

    async def reply() -> AsyncIterator[Any]:
        await run_beside(size_bytes, buffer.read, completion)
        yield completion

    try:
        return [one async for one in drive_async(exchange, buffer, reply)][-1]
    except Blocked:
        return None


def _read_options(policy: Policy) -> ReadOptions:
    return ReadOptions(
        reads_reasoning=policy.reads_reasoning, reads_tool_calls=policy.reads_tool_calls
    )


def _call(asked: GuardrailRequest, use_case: str) -> Call:
    requested = RequestedModel(model=asked.model, conversation_id=asked.trace_id)
    return Call(id="", use_case=use_case, requested=requested)


def _headers(call_id: str, verdict: Verdict) -> Headers:
    return ("x-guard-call-id", call_id), _verdict(verdict)


def _verdict(verdict: Verdict) -> tuple[str, str]:
    return "x-guard-verdict", verdict.value
