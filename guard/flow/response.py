"""The response path: what happens to one call, decided here, carried out by a driver."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from guard.flow.steps import (
    Answer,
    CallModel,
    Finish,
    Left,
    Piece,
    Pull,
    Redact,
    Release,
    Say,
    ScoreText,
    Step,
    Steps,
)
from guard.flow.unreleased import Spans, Unreleased
from guard.holdback import Held
from guard.policy import (
    Decision,
    Hold,
    OnUnscored,
    Policy,
    Rescoring,
    compare_candidate,
    decide,
    missing_score,
    redacted,
    rescoring,
    strongest,
)
from guard.ports import Clock
from guard.records import (
    Action,
    Assessment,
    Call,
    CandidateDecision,
    Fired,
    Outcome,
    Span,
    Unread,
    Unscored,
    Verdict,
)

T = TypeVar("T")
Doing = Generator[Step, Answer, T]

_MILD = frozenset({Action.RELEASE, Action.FLAG})


class _WithheldObjectError(Exception):
    """A reply that is not text must not be released."""


@dataclass(kw_only=True, eq=False)
class Response:
    """One exchange. `steps()` is used once.

    Invariant under enforcement and sentence or full hold: `Release(end)` and `Redact(end)` are only
    yielded when every character that the caller has by then was part of a text that was checked
    and passed, the marker in place of what is redacted.

    window_characters: how much text the scorer reads at once. awaited: the caller waits for the
    record, so the deadline counts for all of it.
    """

    call: Call
    policy: Policy
    clock: Clock
    window_characters: int
    awaited: bool

    def __post_init__(self) -> None:
        self._begin()
        self._attempts = 0
        self._added_seconds = 0.0
        self._candidate: CandidateDecision | None = None

    def _begin(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._released = 0
        self._said: str | None = None
        self._is_text = True
        self._structured = False
        self._unread: set[Unread] = set()
        self._action = Action.RELEASE
        self._fired: tuple[Fired, ...] = ()
        self._withheld: tuple[Span, ...] = ()
        self._allowed: set[str] = set()
        self._unscored: Unscored | None = None
        self._known: dict[str, Assessment] = {}

    def steps(self) -> Steps:
        """The path from the first call of the model to the record of what happened."""
        try:
            yield from self._exchange()
        except Left as left:
            if self._said is None:
                return (yield from self._ended_early(left))
        owed = self._action is Action.BLOCK and self._said is None
        yield Finish(owes_exception=owed, action=self._action, verdict=self._decided())
        return (yield from self._record("".join(self._parts), waiting=owed or self.awaited))

    def _exchange(self) -> Doing[None]:
        try:
            while (yield from self._asks_again()):
                pass
        except _WithheldObjectError:
            yield from self._block()

    def _asks_again(self) -> Doing[bool]:
        self._begin()
        self._attempts += 1
        yield CallModel()
        if self._passes_through():
            yield from self._pass_through()
            return False
        if self.policy.hold is Hold.FULL:
            return (yield from self._judge_whole())
        return (yield from self._judge_sentences())

    def _passes_through(self) -> bool:
        return not self.policy.may_withhold or self.policy.hold is Hold.NONE

    def _pass_through(self) -> Doing[None]:
        while (yield from self._pull()) is not None:
            yield from self._release(self._length)

    def _judge_whole(self) -> Doing[bool]:
        """Hold everything."""
        while (yield from self._pull()) is not None:
            pass
        text = "".join(self._parts)
        assessment = yield from self._check(text)
        decision = self._decide_on(assessment)
        if decision.action in _MILD:
            yield from self._release(self._length)
            return False
        end = Unreleased(text=text, start=0, offset=0)
        offending = end.offending(decision, assessment)
        if (yield from self._redact(end, decision.action, [offending])) is not None:
            self._known = {text: assessment}
            return False
        return (yield from self._regenerate_or_block(decision.action))

    def _judge_sentences(self) -> Doing[bool]:
        held, ended = Held(window_characters=self.window_characters), False
        while not ended:
            piece = yield from self._pull()
            ended = piece is None
            held = held.grown(piece or "")
            if count := len(held.pending) if ended else held.ready():
                action, held = yield from self._judge_next(held, count)
                if action not in _MILD:
                    return (yield from self._regenerate_or_block(action))
        yield from self._release(self._length)
        return False

    def _judge_next(self, held: Held, count: int) -> Doing[tuple[Action, Held]]:
        """Judge the next stretch and release it, redacted if need be.

        Returns the action by which it must not be released; then it has not been.
        """
        window, at = held.window(count), self._length - len(held.pending)
        assessment = yield from self._check(window)
        decision = self._decide_on(assessment)
        if decision.action in _MILD:
            yield from self._release(at + count)
            return decision.action, held.checked(count)
        end = Unreleased(text=window, start=len(window) - count, offset=at)
        choices = [end.offending(decision, assessment), end.everything]
        said = yield from self._redact(end, decision.action, choices)
        if said is None:
            return decision.action, held
        return Action.RELEASE, held.checked(count, said)

    def _redact(
        self, end: Unreleased, action: Action, choices: Iterable[Spans]
    ) -> Doing[str | None]:
        """Release the stretch with a marker for the first of these ranges that helps.

        Returns what the caller got; None where something else has to be done about it.
        """
        for spans in dict.fromkeys(filter(None, choices)):
            if action is not Action.REDACT or self._structured:
                break
            said = end.redacted(spans, self.policy.redaction)
            again = yield from self._check(end.text[: end.start] + said)
            action = self._decide_on(again).action
            if action in _MILD:
                yield from self._release_redacted(end, spans)
                return said
        return None

    def _release_redacted(self, end: Unreleased, spans: Spans) -> Doing[None]:
        self._action = Action.REDACT
        moved = tuple(span.moved(end.offset - end.start) for span in spans)
        self._withheld += moved
        self._released = end.offset + len(end.text) - end.start
        yield Redact(self._released, moved, self.policy.redaction)

    def _regenerate_or_block(self, action: Action) -> Doing[bool]:
        left = self.policy.regenerations - (self._attempts - 1)
        if action is Action.REGENERATE and not self._released and left > 0:
            return True
        yield from self._block()
        return False

    def _block(self) -> Doing[None]:
        self._action = Action.BLOCK
        self._withheld += (Span(start=self._released, end=self._length),)
        if self._is_text and not self.policy.raises:
            last = self._received()[-1:]
            ends_in_word = last and not last.isspace()
            yield from self._say((" " if ends_in_word else "") + self.policy.fallback)

    def _pull(self) -> Doing[str | None]:
        piece = cast("Piece | None", (yield Pull()))
        if piece is None:
            return None
        self._structured = self._structured or piece.structured
        self._unread |= piece.unread
        if piece.text is None:
            self._is_text = False
            if self.policy.may_withhold and self.policy.on_unscored is OnUnscored.WITHHOLD:
                raise _WithheldObjectError
        text = piece.text or ""
        self._parts.append(text)
        self._length += len(text)
        return text

    def _release(self, end: int) -> Doing[None]:
        self._released = end
        yield Release(end)

    def _say(self, text: str) -> Doing[None]:
        self._said = text
        yield Say(text)

    def _check(self, text: str, *, waiting: bool = True) -> Doing[Assessment]:
        began = self.clock()
        assessment = cast("Assessment", (yield ScoreText(text, waiting)))
        if again := rescoring(self.policy, text, assessment):
            assessment = yield from self._score_again(again, began, waiting=waiting)
        if waiting:
            self._added_seconds += self.clock() - began
        self._known = {text: assessment}
        return assessment

    def _score_again(self, again: Rescoring, began: float, *, waiting: bool) -> Doing[Assessment]:
        answers: list[Assessment] = []
        for text in again.texts:
            step = ScoreText(text, waiting, spent_seconds=self.clock() - began)
            answers.append(cast("Assessment", (yield step)))
        return again.result(answers)

    def _decide_on(self, assessment: Assessment) -> Decision:
        """Decide, and keep for the record what fired, what was allowed and what had no score."""
        decision = decide(self.policy, assessment)
        self._allowed |= {*decision.allowed}
        if self._attempts == 1:
            self._candidate = compare_candidate(self.policy, assessment, decision, self._candidate)
        self._fired = strongest([*self._fired, *decision.fired])
        if missing_score(assessment):
            self._unscored = self._unscored or assessment.reason
        return decision

    def _ended_early(self, left: Left) -> Doing[Outcome | None]:
        self._withheld += (Span(start=self._released, end=self._length),) * (
            self._released < self._length
        )
        if self._released:
            yield Finish()
            return (yield from self._record(self._received(), waiting=self.awaited))
        if left.failed:
            return None
        return self._outcome(Assessment(reason=Unscored.ABANDONED))

    def _record(self, text: str, *, waiting: bool) -> Doing[Outcome]:
        """The outcome, with the scores of the whole reply.

        What was decided on is what is recorded; what nobody has looked at is scored now.
        """
        assessment = self._known.get(text)
        if assessment is None and self.policy.off:
            assessment = Assessment(reason=Unscored.OFF)
        elif assessment is None:
            assessment = yield from self._check(text, waiting=waiting)
        if not self._is_text:
            assessment = replace(assessment, reason=Unscored.NOT_TEXT)
        self._decide_on(assessment)
        return self._outcome(assessment)

    def _received(self) -> str:
        """What the caller got of the model's own reply."""
        spans = [span for span in self._withheld if span.end <= self._released]
        return redacted("".join(self._parts)[: self._released], spans, self.policy.redaction)

    def _outcome(self, assessment: Assessment) -> Outcome:
        regenerated = self._attempts > 1 and self._action is Action.RELEASE
        return Outcome(
            call=self.call,
            verdict=self._verdict(assessment),
            text=self._received() + (self._said or ""),
            reply="".join(self._parts),
            assessment=assessment,
            action=Action.REGENERATE if regenerated else self._action,
            fired=self._fired,
            withheld=self._withheld,
            attempts=self._attempts,
            partial=self._action is Action.BLOCK and self._released > 0,
            observed_only=not self.policy.enforce,
            unscored=self._unscored or assessment.reason,
            structured=self._structured,
            unread=frozenset(self._unread),
            added_seconds=self._added_seconds,
            allowed=tuple(sorted(self._allowed)),
            candidate=self._candidate,
        )

    def _decided(self) -> Verdict | None:
        """The verdict, where somebody looked before the caller got the reply."""
        if self._passes_through() and self._is_text:
            return None
        return self._verdict(Assessment(reason=None if self._is_text else Unscored.NOT_TEXT))

    def _verdict(self, assessment: Assessment) -> Verdict:
        if self._action is Action.BLOCK:
            return Verdict.BLOCKED
        if self._fired:
            return Verdict.FLAGGED
        unscored = self._unscored is not None or assessment.reason is not None
        return Verdict.UNSCORED if unscored else Verdict.RELEASED
