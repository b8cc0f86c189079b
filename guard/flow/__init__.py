"""The response path: one call from the model's first word to the record of what happened."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

from guard.errors import may_be_signal
from guard.flow.abandoned import note_collections
from guard.flow.blocking import drive as drive
from guard.flow.drivers import Exchange as Exchange
from guard.flow.drivers import ModelRaisedError as ModelRaisedError
from guard.flow.drivers import Threads, assessed
from guard.flow.drivers import call_ids as call_ids
from guard.flow.drivers import drive_async as drive_async
from guard.flow.drivers import worst_verdict as worst_verdict
from guard.flow.judgement import Judgement, Stretch, judge
from guard.flow.prompts import Refusal as Refusal
from guard.flow.prompts import judge_text as judge_text
from guard.flow.prompts import refusal_of
from guard.flow.reading_threads import ReadingThreads
from guard.flow.response import Response
from guard.flow.steps import STRINGS as STRINGS
from guard.flow.steps import Codec as Codec
from guard.flow.steps import Given as Given
from guard.flow.steps import Piece as Piece
from guard.flow.steps import Pieces as Pieces
from guard.flow.steps import Redact as Redact
from guard.flow.steps import Release as Release
from guard.flow.steps import Say as Say
from guard.flow.steps import ScoreText
from guard.flow.untraced import Untraced as Untraced
from guard.flow.waiting import Wait
from guard.flow.waiting import wait_on_loop as wait_on_loop
from guard.forks import PerProcess
from guard.policy import Hold, Policy
from guard.ports import CallSpan, CallTracer, Clock, NewId, Observer, Scorer
from guard.records import Assessment, Call, Outcome, TextKind, Unscored, Verdict


@dataclass(kw_only=True, eq=False)
class Flow:
    """Begins guarded exchanges and sees that each one is recorded. Thread-safe.

    policy_of: the policy of a use case; raises UnknownUseCase. second: the scorer that looks where
    a policy has a second opinion. tracer: begins the span of each call.
    """

    scorer: Scorer
    observer: Observer
    policy_of: Callable[[str], Policy]
    clock: Clock
    new_id: NewId
    second: Scorer | None = None
    tracer: CallTracer = field(default_factory=Untraced)

    def __post_init__(self) -> None:
        note_collections()
        self._open = 0
        # Taken in one step: no signal comes between. A finalizer may record within a record.
        self._lock = threading.RLock()
        self._idle = threading.Condition(self._lock)
        self._threads: Threads = PerProcess(ReadingThreads)

    def policy(self, use_case: str, *, streamed: bool = True) -> Policy:
        """The policy of `use_case`; a reply that is not streamed is held whole.

        Raises UnknownUseCase.
        """
        policy = self.policy_of(use_case)
        return policy if streamed else replace(policy, hold=Hold.FULL)

    def begin(
        self, call: Call, *, streamed: bool, once: bool = False, span: CallSpan | None = None
    ) -> Exchange:
        """A new exchange. call: its id is given here. streamed: the reply is taken piecemeal. once:
        nobody can ask for it again, so that a reply to regenerate is blocked. span: of the call,
        where it has begun already."""
        policy = self.policy(call.use_case, streamed=streamed)
        if once:
            policy = replace(policy, regenerations=0)
        return self._exchange(replace(call, id=self.new_id()), policy, span=span)

    def begin_check(self, use_case: str, kind: TextKind = TextKind.REPLY) -> Exchange:
        """An exchange for a text that already exists: it cannot be asked for again."""
        policy = self.policy(use_case, streamed=False)
        if kind is TextKind.PROMPT:
            policy = policy.prompt or replace(policy, off=True)
        policy = replace(policy, regenerations=0, raises=False)
        call = Call(id=self.new_id(), use_case=use_case, kind=kind)
        return self._exchange(call, policy, awaited=True)

    def judges_prompts(self, use_case: str) -> bool:
        """Whether `refuses` does anything for a use case. Raises UnknownUseCase."""
        return self.policy_of(use_case).prompt is not None

    async def refuses(self, call: Call, wait: Wait = wait_on_loop) -> Refusal | None:
        """Judge what the user says in `call`, before the model is asked; None where it may be.

        It is recorded as a call of its own, which is no reply. wait: for scores, see `drive_async`.
        """
        owner = self.policy_of(call.use_case)
        if owner.prompt is None or not (call.user_text.strip() or call.user_unread):
            return None
        asked = Call(
            id=self.new_id(),
            use_case=call.use_case,
            kind=TextKind.PROMPT,
            requested=call.requested,
        )
        exchange = self._exchange(asked, owner.prompt)
        return await refusal_of(exchange, call, wait, owner=owner)

    def pass_unread(self, call: Call, span: CallSpan | None = None) -> str:
        """Record a call whose reply nobody looks at, because its use case is off; gives its id.

        span: of the call, where it has begun already.
        """
        span = span or self.tracer.begin(call)
        call = replace(call, id=self.new_id(), trace_parent=span.trace_parent)
        outcome = Outcome(
            call=call,
            verdict=Verdict.UNSCORED,
            text="",
            reply="",
            assessment=Assessment(reason=Unscored.OFF),
            unscored=Unscored.OFF,
        )
        self.observer.outcome(outcome)
        span.end(outcome)
        return call.id

    async def passes(self, use_case: str, text: str, wait: Wait = wait_on_loop) -> bool:
        """Whether a text that is no reply, but may quote one, can be shown. Nothing is recorded.

        wait: for scores, see `drive_async`.
        """
        policy = self.policy_of(use_case)
        if not policy.may_withhold or not text.strip():
            return True
        steps = judge(Stretch(text=text, began=self.clock()), policy, self.clock)
        answer: Assessment | None = None
        try:
            while True:
                check = cast("ScoreText", steps.send(answer))
                answer = await assessed(check, self._submit, wait, self._threads)
        except StopIteration as stop:
            judgement: Judgement = stop.value
        return judgement.decision.action.lets_pass

    def upstream_failed(self, use_case: str) -> None:
        """The model raised before an exchange had begun."""
        self.observer.upstream_error(use_case)

    def drain(self, timeout_seconds: float) -> bool:
        """Wait until every exchange has its outcome; False if the time ran out."""
        with self._lock:
            return self._idle.wait_for(lambda: self._open == 0, timeout_seconds)

    def _exchange(
        self, call: Call, policy: Policy, *, awaited: bool = False, span: CallSpan | None = None
    ) -> Exchange:
        span = span or self.tracer.begin(call)
        call = replace(call, trace_parent=span.trace_parent)
        response = Response(
            call=call,
            policy=policy,
            clock=self.clock,
            window_characters=self.scorer.window_characters,
            awaited=awaited,
        )
        with self._lock:
            self._open += 1
        return Exchange(
            call_id=call.id,
            steps=response.steps(),
            leave=response.leave,
            submit=self._submit,
            record=partial(self._record, call.use_case, span),
            threads=self._threads,
            current=span.current,
        )

    def _submit(self, check: ScoreText) -> Future[Assessment]:
        scorer = self.second if check.second else self.scorer
        try:
            if scorer is not None:
                return scorer.submit(check.text, deadline_seconds=check.deadline_seconds)
        except BaseException as error:  # a scorer that fails must not fail the caller
            if may_be_signal(error):
                raise
        answered: Future[Assessment] = Future()
        answered.set_result(Assessment(reason=Unscored.ENGINE_ERROR))
        return answered

    def _record(self, use_case: str, span: CallSpan, outcome: Outcome | None, failure: str) -> None:
        try:
            if failure:
                self.observer.upstream_error(use_case)
            if outcome is not None:
                self.observer.outcome(outcome)
        finally:
            span.end(outcome, error=failure)
            with self._lock:
                self._open -= 1
                self._idle.notify_all()
