"""The response path: one call from the model's first word to the record of what happened."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial

from guard.flow.blocking import drive as drive
from guard.flow.drivers import Exchange as Exchange
from guard.flow.drivers import call_ids as call_ids
from guard.flow.drivers import drive_async as drive_async
from guard.flow.drivers import worst_verdict as worst_verdict
from guard.flow.response import Response
from guard.flow.steps import STRINGS as STRINGS
from guard.flow.steps import Codec as Codec
from guard.flow.steps import Piece as Piece
from guard.flow.steps import Pieces as Pieces
from guard.flow.steps import Release as Release
from guard.flow.steps import Say as Say
from guard.flow.steps import ScoreText
from guard.policy import Hold, Policy, decide
from guard.ports import Clock, NewId, Observer, Scorer
from guard.records import Action, Assessment, Call, Outcome, Unscored, Verdict


class Flow:
    """Begins guarded exchanges and sees that each one is recorded. Thread-safe."""

    def __init__(
        self,
        *,
        scorer: Scorer,
        observer: Observer,
        policy_of: Callable[[str], Policy],
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._scorer = scorer
        self._observer = observer
        self._policy_of = policy_of
        self._clock = clock
        self._new_id = new_id
        self._open = 0
        self._idle = threading.Condition()

    def policy(self, use_case: str) -> Policy:
        """The policy of `use_case`. Raises UnknownUseCase."""
        return self._policy_of(use_case)

    def begin(self, call: Call, *, streamed: bool, once: bool = False) -> Exchange:
        """A new exchange. call: its id is given here. streamed: the reply is taken piecemeal. once:
        nobody can ask for it again, so that a reply to regenerate is blocked."""
        policy = self._policy_of(call.use_case)
        if once:
            policy = replace(policy, regenerations=0)
        if not streamed:
            policy = replace(policy, hold=Hold.FULL)
        return self._exchange(replace(call, id=self._new_id()), policy)

    def begin_check(self, use_case: str) -> Exchange:
        """An exchange for a reply that already exists: it cannot be asked for again."""
        policy = self._policy_of(use_case)
        policy = replace(policy, hold=Hold.FULL, regenerations=0, raises=False)
        return self._exchange(Call(id=self._new_id(), use_case=use_case), policy, awaited=True)

    def pass_unread(self, call: Call) -> str:
        """Record a call whose reply nobody looks at, because its use case is off; gives its id."""
        call = replace(call, id=self._new_id())
        nothing = Assessment(reason=Unscored.OFF)
        self._observer.outcome(
            Outcome(
                call=call,
                verdict=Verdict.UNSCORED,
                text="",
                reply="",
                assessment=nothing,
                unscored=Unscored.OFF,
            )
        )
        return call.id

    async def passes(self, use_case: str, text: str) -> bool:
        """Whether a text that is no reply, but may quote one, can be shown. Nothing is recorded."""
        policy = self._policy_of(use_case)
        if not policy.may_withhold or not text.strip():
            return True
        found = await asyncio.wrap_future(self._submit(text, policy.deadline_seconds))
        return decide(policy, found).action in {Action.RELEASE, Action.FLAG}

    def upstream_failed(self, use_case: str) -> None:
        """The model raised before an exchange had begun."""
        self._observer.upstream_error(use_case)

    def drain(self, timeout_seconds: float) -> bool:
        """Wait until every exchange has its outcome; False if the time ran out."""
        with self._idle:
            return self._idle.wait_for(lambda: self._open == 0, timeout_seconds)

    def _exchange(self, call: Call, policy: Policy, *, awaited: bool = False) -> Exchange:
        def submit(check: ScoreText) -> Future[Assessment]:
            return self._submit(check.text, policy.deadline_seconds if check.waiting else None)

        response = Response(
            call,
            policy,
            self._clock,
            window_characters=self._scorer.window_characters,
            awaited=awaited,
        )
        with self._idle:
            self._open += 1
        record = partial(self._record, call.use_case)
        return Exchange(response.steps(), submit, record, call_id=call.id)

    def _submit(self, text: str, deadline_seconds: float | None) -> Future[Assessment]:
        try:
            return self._scorer.submit(text, deadline_seconds=deadline_seconds)
        except Exception:  # a scorer that fails must not fail the caller
            answered: Future[Assessment] = Future()
            answered.set_result(Assessment(reason=Unscored.ENGINE_ERROR))
            return answered

    def _record(self, use_case: str, outcome: Outcome | None, failed: bool) -> None:
        if failed:
            self._observer.upstream_error(use_case)
        if outcome is not None:
            self._observer.outcome(outcome)
        with self._idle:
            self._open -= 1
            self._idle.notify_all()
