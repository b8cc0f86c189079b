"""What happens to one guarded call: what was asked, scored, decided and released; and the shadow
requests about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from guard.records.stored import Lane
from guard.records.tracing import RequestedModel


class Ending(StrEnum):
    """How a call ended."""

    ANSWERED = "answered"
    REFUSED = "refused"
    FILTERED = "filtered"
    TIMED_OUT = "timed_out"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a conversation. role: system, user or assistant."""

    role: str
    content: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question to a model.

    parameters: what goes along in the words of the API (model, temperature, max_tokens, ...);
    JSON values. seed: makes this draw another one than the last; None leaves it to the model.
    as_messages: a callable is given the turns as a list of messages and not as one text.
    """

    turns: tuple[Turn, ...] = field(repr=False)
    parameters: Mapping[str, object] = field(default_factory=dict, repr=False)
    seed: int | None = None
    as_messages: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """What came back.

    text: empty unless answered or refused. tokens: prompt and completion, as far as told.
    detail: what went wrong, in a few words.
    """

    text: str = field(repr=False)
    ending: Ending
    tokens: int = 0
    detail: str = field(default="", repr=False)


class Unscored(StrEnum):
    """Why a text, or a part of it, has no score. Never confused with a low score.

    LANGUAGE: in none that the classifier was made for. UNREADABLE: in letters that it does not
    know.
    """

    DEADLINE = "deadline"
    OVERLOAD = "overload"
    TOO_LARGE = "too_large"
    LANGUAGE = "language"
    UNREADABLE = "unreadable"
    ENGINE_ERROR = "engine_error"
    CLOSED = "closed"
    EMPTY = "empty"
    NOT_TEXT = "not_text"
    ABANDONED = "abandoned"
    OFF = "off"


class Unread(StrEnum):
    """What of a reply was not read, or why none of it could be: labels of one counter.

    The first seven are parts of a reply that passed; the others say why a body was not readable.
    """

    REASONING = "reasoning"
    TOOL_CALLS = "tool_calls"
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    FILE = "file"
    DATA = "data"
    COMPRESSED = "compressed"
    PARTIAL = "partial"
    MEDIA_TYPE = "media_type"
    CHARSET = "charset"
    NO_FIELD = "no_field"
    TOO_LARGE = "too_large"
    TOO_MANY_TEXTS = "too_many_texts"
    SEVERAL_TEXTS = "several_texts"
    NOT_JSON = "not_json"
    NOT_TEXT = "not_text"
    NOT_EVENTS = "not_events"


class Action(StrEnum):
    """What a policy asks for, mildest first. `RELEASE` is the absence of all others."""

    RELEASE = "release"
    FLAG = "flag"
    REDACT = "redact"
    REGENERATE = "regenerate"
    BLOCK = "block"

    @property
    def lets_pass(self) -> bool:
        """Whether the text goes out as it is."""
        return self in {Action.RELEASE, Action.FLAG}


class LookResult(StrEnum):
    """What a second look at a text changed.

    UPHELD: the same action. OVERTURNED: the fast scores asked for an action, the second scorer for
    none. LOWERED, RAISED: a milder one, a more severe one (or one where there was none). PASSED:
    there was none and there is none. LATE: not done by the deadline; OVERLOADED: refused, too much
    waits for the second scorer; FAILED: it could not score the text. In these three the decision of
    the fast scores stands.
    """

    UPHELD = "upheld"
    OVERTURNED = "overturned"
    LOWERED = "lowered"
    RAISED = "raised"
    PASSED = "passed"
    LATE = "late"
    OVERLOADED = "overloaded"
    FAILED = "failed"


class Verdict(StrEnum):
    """What became of a reply, as the caller and the metrics see it."""

    RELEASED = "released"
    FLAGGED = "flagged"
    BLOCKED = "blocked"
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A half-open range of characters, `text[start:end]`, in the text as the caller sees it."""

    start: int
    end: int

    def moved(self, by: int) -> Span:
        """The same range where `by` characters more stand before it."""
        return Span(start=self.start + by, end=self.end + by)

    def overlaps(self, other: Span) -> bool:
        """Whether a character is in both."""
        return self.start < other.end and other.start < self.end

    def contains(self, other: Span) -> bool:
        """Whether all of the other is in this one."""
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One number about one text.

    value: in [0, 1], or None when it could not be made, and then `reason` says why.
    span: the window of the text that gave the value.
    """

    value: float | None
    reason: Unscored | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A sentence scored on its own: where in the text a score comes from.

    values: flat score key to a number in [0, 1].
    """

    span: Span
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """The scores that rules look at instead, where allowed phrases are what reached a threshold.

    entries: those of the settings that made the difference, sorted. scores, passages: as those of
    the assessment, in the same text.
    """

    entries: tuple[str, ...]
    scores: Mapping[str, Score]
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Everything the classifiers say about one text.

    scores: flat key (`toxicity`, `toxicity.insult`, `stereotype`, `stereotype.gender`,
        `sentiment`) to score; each is the highest over windows of the model's own length
        (for `sentiment` the mean over windows, weighted by their tokens).
    passages: sentences of those windows in which a harm score came near its threshold; also
        where the text has no score since the classifier is not made for it.
    uncovered: ranges that were not scored. Empty together with `reason=None` means all was.
    reason: why some or all of the text is without a score.
    queued_seconds, scoring_seconds: waiting for, and being in, the model.
    allowance: what policy counts instead; None where it counts these.
    """

    scores: Mapping[str, Score] = field(default_factory=dict)
    passages: tuple[Passage, ...] = ()
    uncovered: tuple[Span, ...] = ()
    reason: Unscored | None = None
    queued_seconds: float = 0.0
    scoring_seconds: float = 0.0
    allowance: Allowance | None = None

    def value(self, key: str) -> float | None:
        """The number under `key`, or None when there is none."""
        score = self.scores.get(key)
        return None if score is None else score.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """One output of a classifier.

    key: flat score key. threshold: the shipped decision threshold in [0, 1], None for scores
    that are no harm (sentiment). harm: whether a high value is something to act on.
    """

    key: str
    threshold: float | None
    harm: bool


class TextKind(StrEnum):
    """What is judged: what a model said, what a tool brought in, or what the user sends."""

    REPLY = "reply"
    TOOL_RESULT = "tool_result"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request to a model, whatever framework it came through.

    prompt: all that was asked, as one text. turns: the same as a conversation, where it is one of
    texts. user_text: what the user said since the model last spoke. user_unread: what of that is no
    text, and not in `user_text`. lane: who can ask the model the like again, off the request path;
    None is nobody.
    parameters: what went along (model, temperature, ...), JSON values.
    as_messages: the callable that is asked again takes a list of messages and not a text.
    never_shadowed: why nobody must ask again; empty where nothing speaks against it.
    kind: of the text that is judged. requested: of the request to the model. trace_parent: the
    call's place in a trace, as a W3C `traceparent`; empty where it is in none.
    """

    id: str
    use_case: str
    prompt: str = field(default="", repr=False)
    turns: tuple[Turn, ...] = field(default=(), repr=False)
    user_text: str = field(default="", repr=False)
    user_unread: frozenset[Unread] = frozenset()
    lane: Lane | None = None
    parameters: Mapping[str, object] = field(default_factory=dict, repr=False)
    as_messages: bool = False
    never_shadowed: str = ""
    kind: TextKind = TextKind.REPLY
    requested: RequestedModel = field(default_factory=RequestedModel)
    trace_parent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fired:
    """A rule that was met: this score reached this threshold, which asks for this action."""

    score: str
    action: Action
    threshold: float
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateDecision:
    """What a policy that is only counted would have asked for, by the same scores.

    present: what the policy in force asked for, enforced or not.
    """

    present: Action = Action.RELEASE
    action: Action = Action.RELEASE
    fired: tuple[Fired, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether it would have done something else."""
        return self.present is not self.action

    @property
    def change(self) -> str:
        """Both actions in one word: `flag_to_release`."""
        return f"{self.present}_to_{self.action}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondLook:
    """One decision that a second scorer looked at.

    action: what the fast scores asked for. spans: the ranges of the reply that were read, in order;
    none where the model was asked again since. fast, second: flat score key to the highest
    value in those ranges; `second` is empty where there is none. seconds: until it was answered.
    """

    result: LookResult
    action: Action
    seconds: float = 0.0
    spans: tuple[Span, ...] = ()
    fast: Mapping[str, float] = field(default_factory=dict)
    second: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The whole record of one guarded call.

    text: what the caller received. reply: what the model said last, as far as it was read.
    action: the strongest action applied; in observe mode `fired` still lists what would have been.
    attempts: model calls made (more than one after `regenerate`).
    withheld: ranges of `reply` the caller did not get.
    partial: something had already been released when a rule fired.
    observed_only: the policy was not enforced; `fired` says what would have been done.
    unscored: why something was without a score when it was decided on. With a verdict other than
        `blocked` the text went out all the same (fail-open).
    structured: some of the reply has its place in something else than prose (arguments of tools).
    unread: what was in the reply and nobody read, or why it could not be read.
    added_seconds: time the caller waited for scores; the model's own time is not in it.
    allowed: entries of `allow` without which more rules would have fired, sorted.
    candidate: of the model's first reply; None where there is no candidate or nothing was judged.
    second_looks: in order, those that were taken on the way to `action` and `fired`.
    finish_reason: why the model stopped, in the words of its API; empty where it did not say.
    """

    call: Call
    verdict: Verdict
    text: str = field(repr=False)
    reply: str = field(repr=False)
    assessment: Assessment
    action: Action = Action.RELEASE
    fired: tuple[Fired, ...] = ()
    withheld: tuple[Span, ...] = ()
    attempts: int = 1
    partial: bool = False
    observed_only: bool = False
    unscored: Unscored | None = None
    structured: bool = False
    unread: frozenset[Unread] = frozenset()
    added_seconds: float = 0.0
    allowed: tuple[str, ...] = ()
    candidate: CandidateDecision | None = None
    second_looks: tuple[SecondLook, ...] = ()
    finish_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The present value of a metric.

    low, high: a pointwise interval of 95 %, fit for a plot and not for an alarm.
    n: observations it rests on.
    """

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Undefined:
    """A metric that has no value, and why. Absent, which is neither zero nor NaN."""

    reason: str
