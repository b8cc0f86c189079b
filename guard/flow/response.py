"""The response path: what happens to one call, decided here, carried out by a driver."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from guard.flow.judgement import Judgement, Stretch, judge
from guard.flow.redaction import Redaction, redactions
from guard.flow.steps import (
    Answer,
    CallModel,
    Finish,
    Piece,
    Pull,
    Redact,
    Release,
    Say,
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
    compare_candidate,
    missing_score,
    redacted,
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
    SecondLook,
    Span,
    Unread,
    Unscored,
    Verdict,
)

T = TypeVar("T")
Doing = Generator[Step, Answer, T]


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
        self._looks: list[SecondLook] = []
        self._begin()
        self._attempts = 0
        self._added_seconds = 0.0
        self._candidate: CandidateDecision | None = None
        self._rejected: Outcome | None = None

    def _begin(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._released = 0
        self._said: str | None = None
        self._is_text = True
        self._structured = False
        self._unread: set[Unread] = set()
        self._finish_reason = ""
        self._action = Action.RELEASE
        self._fired: tuple[Fired, ...] = ()
        self._withheld: tuple[Span, ...] = ()
        self._allowed: set[str] = set()
        self._unscored: Unscored | None = None
        self._known: dict[str, Judgement] = {}
        self._looks = [replace(look, spans=()) for look in self._looks]  # of an earlier reply

    def steps(self) -> Steps:
        """The path from the first call of the model to the record of what happened."""
        yield from self._exchange()
        owed = self._action is Action.BLOCK and self._said is None
        yield Finish(owes_exception=owed, action=self._action, verdict=self._decided())
        return (yield from self._record("".join(self._parts), waiting=owed or self.awaited))

    def leave(self, failure: str) -> Steps:
        """In place of the rest of `steps`, which garbage collection may have closed: the caller
        left, or the model failed. failure: empty where it did not."""
        if self._said is not None:
            return (yield from self._record("".join(self._parts), waiting=self.awaited))
        return (yield from self._ended_early(failed=bool(failure)))

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
        found = yield from self._judge(text)
        self._keep(found)
        action = found.decision.action
        if action.lets_pass:
            yield from self._release(self._length)
            return False
        end = Unreleased(text=text, start=0, offset=0)
        if (yield from self._redact(end, action, redactions(end, found))) is not None:
            self._known = {text: found}
            return False
        return (yield from self._regenerate_or_block(found))

    def _judge_sentences(self) -> Doing[bool]:
        """Release sentence by sentence. One that would end the reply waits for the next one: it is
        judged again with what stands on both sides of it."""
        held, doubted, ended = Held(window_characters=self.window_characters), 0, False
        while not ended:
            piece = yield from self._pull()
            ended = piece is None
            held = held.grown(piece or "")
            count = len(held.pending) if ended else held.ready()
            if count == 0 or (count <= doubted and not ended):
                continue
            found = yield from self._judge_next(held, count)
            if not (doubted or ended) and self._waits(found):
                doubted = count
                continue
            action, held = yield from self._release_next(found, held, count)
            if not action.lets_pass:
                return (yield from self._regenerate_or_block(found))
            doubted = 0
        yield from self._release(self._length)
        return False

    def _waits(self, found: Judgement) -> bool:
        """Whether the reply would end here, and what follows may still change that."""
        action = found.decision.action
        goes_on = action.lets_pass or (action is Action.REDACT and not self._structured)
        return found.may_change and not goes_on

    def _judge_next(self, held: Held, count: int) -> Doing[Judgement]:
        window = held.window(count)
        start = self._length - len(held.pending) + count - len(window)
        return (yield from self._judge(window, start=start, since=held.settled(count)))

    def _release_next(self, found: Judgement, held: Held, count: int) -> Doing[tuple[Action, Held]]:
        """Release the stretch that was judged, redacted if need be.

        Returns the action by which it must not be released; then it has not been.
        """
        self._keep(found)
        action, at = found.decision.action, self._length - len(held.pending)
        if action.lets_pass:
            yield from self._release(at + count)
            return action, held.checked(count)
        end = Unreleased(text=found.text, start=len(found.text) - count, offset=at)
        choices = [*redactions(end, found), Redaction(end.everything)]
        said = yield from self._redact(end, action, choices, since=found.since)
        if said is None:
            return action, held
        return Action.RELEASE, held.checked(count, said)

    def _redact(
        self, end: Unreleased, action: Action, choices: Iterable[Redaction], *, since: int = 0
    ) -> Doing[str | None]:
        """Release the stretch with a marker for the first of these that helps.

        Returns what the caller got; None where something else has to be done about it.
        """
        for spans, beside in ((one.spans, one.beside) for one in choices if one.spans):
            if action is not Action.REDACT or self._structured:
                break
            if not (yield from self._pass_alone(beside)):
                continue
            said = end.redacted(spans, self.policy.redaction)
            again = yield from self._read(end.text[: end.start] + said, since=since)
            self._keep(again)
            action = again.decision.action
            if action.lets_pass:
                yield from self._release_redacted(end, spans)
                return said
        return None

    def _pass_alone(self, texts: Iterable[str]) -> Doing[bool]:
        """Whether no rule fires for any of these."""
        for text in texts:
            found = yield from self._read(text)
            if not found.decision.action.lets_pass:
                return False
        return True

    def _release_redacted(self, end: Unreleased, spans: Spans) -> Doing[None]:
        self._action = Action.REDACT
        moved = tuple(span.moved(end.offset - end.start) for span in spans)
        self._withheld += moved
        self._released = end.offset + len(end.text) - end.start
        yield Redact(self._released, moved, self.policy.redaction)

    def _regenerate_or_block(self, found: Judgement) -> Doing[bool]:
        left = self.policy.regenerations - (self._attempts - 1)
        again = found.decision.action is Action.REGENERATE
        if again and not self._released and left > 0:
            self._action, self._withheld = Action.BLOCK, self._unreleased()
            self._rejected = self._outcome(found.assessment)
            return True
        yield from self._block()
        return False

    def _block(self) -> Doing[None]:
        self._action = Action.BLOCK
        self._withheld += self._unreleased()
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
        self._finish_reason = piece.finish_reason or self._finish_reason
        if piece.text is None or piece.mixed:
            self._is_text = False
            if self.policy.may_withhold and self.policy.on_unscored is OnUnscored.WITHHOLD:
                raise _WithheldObjectError
        text = piece.text or ""
        self._parts.append(text)
        self._length += len(text)
        return text

    def _unreleased(self) -> Spans:
        """What has come and not gone out; none where all has."""
        rest = Span(start=self._released, end=self._length)
        return (rest,) if rest.start < rest.end else ()

    def _release(self, end: int) -> Doing[None]:
        self._released = end
        yield Release(end)

    def _say(self, text: str) -> Doing[None]:
        self._said = text
        yield Say(text)

    def _judge(
        self, text: str, *, start: int = 0, since: int = 0, waiting: bool = True
    ) -> Doing[Judgement]:
        """Judge a stretch of the reply that begins about at character `start`."""
        found = yield from self._read(text, since=since, waiting=waiting)
        if found.look is not None:
            spans = tuple(span.moved(max(0, start)) for span in found.look.spans)
            self._looks.append(replace(found.look, spans=spans))
        return found

    def _read(self, text: str, *, since: int = 0, waiting: bool = True) -> Doing[Judgement]:
        began = self.clock()
        stretch = Stretch(text=text, began=began, waiting=waiting, since=since)
        found = yield from judge(stretch, self.policy, self.clock)
        if waiting:
            self._added_seconds += self.clock() - began
        self._known = {text: found}
        return found

    def _keep(self, found: Judgement) -> None:
        """For the record: what fired, what was allowed and what had no score."""
        decision = found.decision
        self._allowed |= {*decision.allowed}
        if self._attempts == 1:
            self._candidate = compare_candidate(
                self.policy, found.assessment, found.fast_decision, self._candidate
            )
        self._fired = strongest([*self._fired, *decision.fired])
        if missing_score(found.assessment):
            self._unscored = self._unscored or found.assessment.reason

    def _ended_early(self, *, failed: bool) -> Doing[Outcome | None]:
        self._withheld += self._unreleased()
        if self._released:
            return (yield from self._record(self._received(), waiting=self.awaited))
        if self._rejected is not None:  # the only reply there was
            return replace(self._rejected, attempts=self._attempts)
        if failed:
            return None
        return self._outcome(Assessment(reason=Unscored.ABANDONED))

    def _record(self, text: str, *, waiting: bool) -> Doing[Outcome]:
        """The outcome, with the scores of the whole reply.

        What was decided on is what is recorded; what nobody has looked at is scored now.
        """
        found = self._known.get(text)
        if found is None and self.policy.off:
            found = _unread(Unscored.OFF)
        elif found is None:
            found = yield from self._judge(text, waiting=waiting)
        if not self._is_text:
            found = replace(found, assessment=replace(found.assessment, reason=Unscored.NOT_TEXT))
        self._keep(found)
        return self._outcome(found.assessment)

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
            second_looks=tuple(self._looks),
            finish_reason=self._finish_reason,
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


def _unread(reason: Unscored) -> Judgement:
    """Of a reply that nobody looks at."""
    assessment = Assessment(reason=reason)
    return Judgement(text="", assessment=assessment, decision=Decision(action=Action.RELEASE))
