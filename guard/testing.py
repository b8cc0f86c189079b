"""Fakes and conformance checks for those who test an application, or add a classifier."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from guard.assessment import AssessmentResults
from guard.assessment.gate import RuleVerdict
from guard.assessment.run_folder import judge_run
from guard.bootstrap.assess import Rows
from guard.bootstrap.assess import assess as assess_use_case
from guard.flow import Codec, Flow
from guard.policy import Policy
from guard.ports import Clock, Observer, Scorer
from guard.records import Assessment, Head, Outcome, Passage, Score, Span, Unscored
from guard.wrap.callables import WrapOptions, wrap_function

F = TypeVar("F", bound=Callable[..., Any])

HEADS: Mapping[str, Head] = {
    "toxicity": Head(key="toxicity", threshold=0.5, harm=True),
    "stereotype": Head(key="stereotype", threshold=0.5, harm=True),
    "sentiment": Head(key="sentiment", threshold=None, harm=False),
}

_WORD = re.compile(r"\w+")
WINDOW_CHARACTERS = 480


class WordScorer:
    """A scorer that knows some words: the score of a text is that of its worst word.

    words: word to score, per flat key; every other word scores 0. Answers at once. `texts` keeps
    what was submitted, in order.
    """

    heads: Mapping[str, Head] = HEADS
    window_characters: int = WINDOW_CHARACTERS

    def __init__(self, words: Mapping[str, Mapping[str, float]]) -> None:
        self._words = words
        self.texts: list[str] = []

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """See `ports.Scorer`. The deadline never runs out."""
        del deadline_seconds
        self.texts.append(text)
        return answered(self.assess(text))

    def assess(self, text: str) -> Assessment:
        """The assessment of `text`; every scored word is a passage."""
        if not text.strip():
            empty = Score(value=None, reason=Unscored.EMPTY)
            return Assessment(scores=dict.fromkeys(HEADS, empty), reason=Unscored.EMPTY)
        passages = tuple(passage for passage in map(self._passage, _WORD.finditer(text)) if passage)
        whole = Span(start=0, end=len(text))
        scores = {
            key: Score(
                value=max((one.values.get(key, 0.0) for one in passages), default=0.0), span=whole
            )
            for key in HEADS
        }
        return Assessment(scores=scores, passages=passages)

    def _passage(self, match: re.Match[str]) -> Passage | None:
        word = match.group().lower()
        values = {key: known[word] for key, known in self._words.items() if word in known}
        return (
            Passage(span=Span(start=match.start(), end=match.end()), values=values)
            if values
            else None
        )


class HeldScorer:
    """A scorer that answers nothing until it is told to: for tests of waiting and leaving."""

    heads: Mapping[str, Head] = HEADS
    window_characters: int = WINDOW_CHARACTERS

    def __init__(self) -> None:
        self.waiting: list[tuple[str, float | None, Future[Assessment]]] = []

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """See `ports.Scorer`. Waits for `answer`."""
        future: Future[Assessment] = Future()
        self.waiting.append((text, deadline_seconds, future))
        return future

    def answer(self, assessment: Assessment) -> str:
        """Answer the oldest open submission; returns its text."""
        text, _, future = self.waiting.pop(0)
        future.set_result(assessment)
        return text


@dataclass
class Recorder:
    """An observer that keeps what it hears."""

    outcomes: list[Outcome] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def outcome(self, outcome: Outcome) -> None:
        """Keep the outcome."""
        self.outcomes.append(outcome)

    def upstream_error(self, use_case: str) -> None:
        """Keep the use case."""
        self.errors.append(use_case)


def answered(assessment: Assessment) -> Future[Assessment]:
    """A future that already has its result."""
    future: Future[Assessment] = Future()
    future.set_result(assessment)
    return future


HOSTILE_TEXTS: tuple[str, ...] = (
    "",
    " \n\t ",
    "\x00",
    "a\x00b",
    "\ud800 lone",
    "\u202eright to left override\u202c",
    "\u200b\u200d\ufeff",
    "👩‍👩‍👧‍👦🏳️‍🌈" * 50,
    "مرحبا بالعالم שלום",
    "漢字かな交じり文。" * 100,
    "x" * 30_000,
    "\u0301" * 1000,
    "word " * 3000,
)
"""Texts that break careless code."""


def check_scorer(
    scorer: Scorer, *, timeout_seconds: float = 60.0, texts: Iterable[str] = HOSTILE_TEXTS
) -> None:
    """Assert that `scorer` keeps the promises of `ports.Scorer` on hostile texts.

    Every submission is answered in time and without an exception; each score is either a number
    in [0, 1] or has a reason; spans lie inside the text.
    texts: which ones; the longest has 30,000 characters, which a paid model may be spared.
    Raises AssertionError that says which text broke which promise.
    """
    for text in texts:
        _check(text, scorer.submit(text).result(timeout_seconds), scorer.heads)


def check_second_look(
    scorer: Scorer,
    *,
    timeout_seconds: float = 60.0,
    late_seconds: float = 0.5,
    clock: Clock = time.monotonic,
    texts: Iterable[str] = HOSTILE_TEXTS,
) -> None:
    """Assert that `scorer` can take second looks: what `check_scorer` asserts, and more.

    It makes a harm score; submissions return at once, whatever waits; a deadline is kept, also one
    that has passed, and by many texts at once: each is answered in time by a score or a reason.
    `late_seconds` is how long after its deadline an answer may come, and how long the submissions
    may take: a machine that others keep busy needs more. `texts` are those of `check_scorer`.
    Raises AssertionError that says which promise was broken.
    """
    check_scorer(scorer, timeout_seconds=timeout_seconds, texts=texts)
    harms = [head for head in scorer.heads.values() if head.harm]
    _require(bool(harms), "it makes a harm score")
    for deadline in (0.0, 0.05, 1.0):
        began = clock()
        futures = [
            scorer.submit(f"{text} {number}", deadline_seconds=deadline)
            for number in range(32)
            for text in HOSTILE_TEXTS[:4]
        ]
        _require(clock() - began <= late_seconds, "submissions return at once")
        found = [future.result(timeout_seconds) for future in futures]
        late = clock() - began > deadline + late_seconds
        _require(not late, f"a deadline of {deadline} seconds is kept by all of {len(found)} texts")
        for one in found:
            made = all(score.value is not None for score in one.scores.values())
            _require(made or one.reason is not None, "a text without a score has a reason")


def _check(text: str, assessment: Assessment, heads: Mapping[str, Head]) -> None:
    shown = f"{text[:40]!r} ({len(text)} characters)"
    _require(set(assessment.scores) == set(heads), f"{shown}: a score for every head")
    for key, score in assessment.scores.items():
        made = score.value is not None and 0.0 <= score.value <= 1.0
        why = score.value is None and score.reason is not None
        _require(made or why, f"{shown}: {key} is in [0, 1] or has a reason")
    spans = [*assessment.uncovered, *(passage.span for passage in assessment.passages)]
    inside: Callable[[Span], bool] = lambda span: 0 <= span.start <= span.end <= len(text)  # noqa: E731
    _require(all(map(inside, spans)), f"{shown}: spans lie inside the text")


def _require(holds: bool, promise: str) -> None:
    if not holds:
        raise AssertionError(promise)


def wrap_with(
    fn: F,
    *,
    policy: Policy,
    scorer: Scorer,
    observer: Observer,
    codec: Codec[Any] | None = None,
    clock: Clock = lambda: 0.0,
    second: Scorer | None = None,
) -> F:
    """`fn` guarded as `Guard.wrap` does it, without a classifier, settings or a real clock.

    second: takes the second looks that `policy.second` asks for.
    """
    flow = Flow(
        scorer=scorer,
        observer=observer,
        policy_of=lambda _: policy,
        clock=clock,
        new_id=lambda: "call",
        second=second,
    )
    return wrap_function(fn, WrapOptions(flow=flow, use_case="test", codec=codec))


def assess(
    prompts: str | Path | Rows,
    *,
    rules: Path | str,
    out: Path | str,
    against: Path | str | None = None,
    **options: Any,
) -> AssessmentResults:
    """Assess a use case and fail the test with the reasons unless every rule of a gate is kept.

    As the fixture `assess` of pytest it needs no `out`. rules: a TOML file. out: the folder of the
    run. against: that of a baseline. prompts, options: as `guard.assess` takes them. Raises what
    that raises, and AssertionError.
    """
    __tracebackhide__ = True
    results = assess_use_case(prompts, out=out, **options)
    baseline = None if against is None else Path(against)
    assert_rules_kept(Path(out), Path(rules), against=baseline)
    return results


def assert_rules_kept(run: Path, rules: Path, *, against: Path | None = None) -> None:
    """Fails a test with the reasons unless a run of `guard assess` keeps every rule of a gate.

    A rule that the data cannot decide fails as well: it is no pass. run, against: folders. Raises
    AssessmentInputError for input that cannot be used.
    """
    __tracebackhide__ = True
    found = judge_run(run, rules, against=against).rules
    told = [
        f"{one.verdict}: {one.rule.name}: {one.reason}"
        for one in found
        if one.verdict is not RuleVerdict.KEPT
    ]
    if told:
        raise AssertionError("\n".join(told))
