"""The keys of `defaults` and `use_cases` in guard.yaml: policy, hold-back, shadow requests."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    JsonValue,
    PlainSerializer,
    PlainValidator,
    Strict,
    create_model,
    field_validator,
    model_validator,
)

from guard.counterfactual import Signal
from guard.fairness import CATALOGUE, CaseFlag, MetricCatalogue
from guard.policy import (
    AllowEntry,
    Hold,
    OnUnscored,
    PromptMode,
    allow_pattern,
    allow_phrase,
)
from guard.settings.sections import Label, Section, Share, not_a_switch
from guard.shadow.budget import BudgetLimits
from guard.shadow.options import (
    DEFAULT_CONFIRMATIONS,
    FEWEST_CONFIRMATIONS,
    MOST_CONFIRMATIONS,
)

LIMITS = BudgetLimits()
MOST_REPLIES = 25
NAME_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,63}\Z"


def use_case_name(name: str) -> str:
    """`name`, if it can be one: it becomes a label of metrics. Raises ValueError."""
    if not re.match(NAME_PATTERN, name):
        raise ValueError(
            "a use case is named with 1 to 64 of a-z, 0-9, dot, dash and underscore, the first"
            " one a letter or digit"
        )
    return name


def _threshold(value: object) -> object:
    if value == "shipped":
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1:
        return float(value)
    raise ValueError("must be `shipped` or a number above 0 and at most 1")


def _confirmations(value: int) -> int:
    if value and not FEWEST_CONFIRMATIONS <= value <= MOST_CONFIRMATIONS:
        raise ValueError(
            f"must be 0 for none, or {FEWEST_CONFIRMATIONS} to {MOST_CONFIRMATIONS}: with fewer"
            " replies of each side no difference can be told from chance"
        )
    return value


Name = Annotated[str, AfterValidator(use_case_name)]
Threshold = Annotated[Literal["shipped"] | float, PlainValidator(_threshold)]
Enforced = Literal["flag", "redact", "regenerate", "block"]
Mode = Annotated[Literal["off", "observe", "enforce"], BeforeValidator(not_a_switch)]
Groups = Annotated[list[Label], Field(min_length=2)]
Material = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Gap = Annotated[float, Strict(), Field(gt=0, le=1, allow_inf_nan=False)]
Rules = dict[str, dict[Enforced, Threshold]]


BUILT_IN: Rules = {
    "toxicity": {"flag": "shipped", "block": 0.9},
    "stereotype": {"flag": "shipped"},
}
"""Rules of every use case, as far as the classifier has these scores."""


class Budget(Section):
    """What shadow calls may cost; what is over it is skipped and counted."""

    calls_per_minute: Annotated[int, Strict(), Field(ge=1, le=1_000_000)] = LIMITS.calls_per_minute
    """Replies asked for this use case, in each process that asks. A sampled call takes 4 to 8 of
    them with two `generations` and a `control`: by default about 7 to 15 are compared a minute."""
    tokens_per_day: Annotated[int, Strict(), Field(ge=1)] = LIMITS.tokens_per_day
    """Tokens of prompts and replies: estimated before a job begins, then what the model's server
    says they were. Counted by each process since its start."""
    concurrency: Annotated[int, Strict(), Field(ge=1, le=1000)] = LIMITS.concurrency
    """Jobs under way at once."""


def flags_section(catalogue: MetricCatalogue) -> type[Section]:
    """The section of all flags: a threshold for each, or whether it is on."""
    fields: dict[str, Any] = {flag.key: _flag_field(flag) for flag in catalogue.flags}
    fields["p_value"] = (
        Gap | None,
        Field(
            default=0.01,
            description="Of the permutation test, after correction for the pairs of a call; needs"
            " four generations.",
        ),
    )
    return create_model(
        "Flags",
        __base__=Section,
        __doc__="From where on a pair is flagged; null switches one off.",
        **fields,
    )


def _flag_field(flag: CaseFlag) -> tuple[Any, Any]:
    if flag.switch:
        return Annotated[bool, Strict()], Field(default=True, description=flag.help)
    return Gap | None, Field(default=flag.threshold, description=flag.help)


if TYPE_CHECKING:

    class Flags(Section):
        """Its fields follow from the live metrics."""

else:
    Flags = flags_section(CATALOGUE)


class ShadowSettings(Section):
    """Counterfactual calls off the request path. Off while `share` is 0."""

    share: Share = 0.0
    """Share of calls that are sampled, in [0, 1], by a keyed hash of the call's id."""
    attributes: list[Label] = Field(default_factory=list)
    """Protected attributes looked for in prompts; empty is all. Each one shares the alarms of the
    use case with all others, so naming those you mean finds differences sooner."""
    by: dict[Label, Annotated[list[Signal], Field(min_length=1)]] = Field(default_factory=dict)
    """Attribute, then by what it is told: `words` ("a Black engineer"), `names` ("DeShawn"). Left
    out: race by both, every other attribute by words. Names are compared and counted apart, as
    `race_by_name` and `religion_by_name`."""
    groups: dict[Label, Groups] = Field(default_factory=dict)
    """By attribute, the groups that are compared, at least two; left out: all of it."""
    max_groups: Annotated[int, Strict(), Field(ge=1, le=100)] = 12
    """Groups of an attribute that have tests of their own: the first ones that prompts are about.
    The others are tested together, as `other`."""
    max_variants: Annotated[int, Strict(), Field(ge=1, le=20)] = 2
    """Other groups a prompt is asked about, for each attribute."""
    generations: Annotated[int, Strict(), Field(ge=1, le=MOST_REPLIES)] = 2
    """Replies generated for each side. 2 tells differences between groups from those between two
    replies to one prompt, and finds them with half as many calls sampled; 4 adds the permutation
    test. With `deterministic` it is 1."""
    resamples: Annotated[int, Strict(), Field(ge=0, le=MOST_REPLIES)] = 0
    """Replies to the unchanged prompt for expected maxima (EMT, TP, EMS, SP); 0 is none."""
    control: Annotated[bool, Strict()] = True
    """Ask about other people of the same group as well, `generations` times: how far replies are
    apart is compared with that, and not tested without. It is a half to a third more replies."""
    rewrite_system: Annotated[bool, Strict()] = True
    """Search system prompts for people and rewrite them, as texts of users are: for data about the
    user there. false leaves them as they are: for instructions that name groups (`Address men as
    Mr.`), with which no call can be compared, and an assistant with a name, of which each call
    would be about a group. Switching it off begins new evidence."""
    claims: Annotated[bool, Strict()] = False
    """Compare replies by what they claim as well, sentence by sentence; needs a classifier of pairs
    (`scoring.nli`). Switching it on begins new evidence."""
    upstream: Label | None = None
    """Which of `upstreams` is asked, by `guard shadow`; left out: the callable given to `wrap`, or
    for calls through the gateway the model that was asked."""
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    """What goes along with each call (model, temperature, ...), as the live calls have it."""
    deterministic: Annotated[bool, Strict()] | None = None
    """Replies do not vary (temperature 0, a fixed seed): one of each side is enough then, and no
    permutation test, FairPair or expected maximum is made. Evidence adds up over prompts, not over
    calls: the same one with the same replies counts once. null: calls with `temperature: 0` are
    done so; false: none, for models that vary all the same."""
    reply_seconds: Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)] = 120.0
    """How long the callable given to `wrap` may take for one reply."""
    attempts: Annotated[int, Strict(), Field(ge=1, le=100)] = 5
    """How often a job is tried before it becomes a dead letter."""
    tolerance: Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)] = 0.0
    """Differences up to this are none for the sequential tests. Above 0 they need more calls."""
    material: dict[str, Material] = Field(default_factory=dict)
    """By metric, the size of a difference from which on evidence raises an alarm, in the unit of
    the metric; left out: the metric's own."""
    confirmations: Annotated[int, Strict(), AfterValidator(_confirmations)] = DEFAULT_CONFIRMATIONS
    """Further replies of each side of a flagged pair: it becomes a case if the difference persists
    in these; 5 to 8, and 0 makes a case of every flagged pair."""
    cases_per_day: Annotated[int, Strict(), Field(ge=0, le=1_000_000)] = 20
    """Cases that shadow requests put before people each day (UTC), over all processes; more are
    counted."""
    reviewers: Annotated[int, Strict(), Field(ge=1, le=9)] = 1
    """Votes wanted on each case."""
    budget: Budget = Budget()
    flags: Flags = Flags()

    @field_validator("material")
    @classmethod
    def _is_tested(cls, material: dict[str, float]) -> dict[str, float]:
        known = [metric.name for metric in CATALOGUE.tested]
        if unknown := sorted(set(material) - set(known)):
            raise ValueError(f"no test of {unknown[0]!r}; there are tests of {', '.join(known)}")
        return material

    @field_validator("parameters")
    @classmethod
    def _is_sendable(cls, parameters: dict[str, JsonValue]) -> dict[str, JsonValue]:
        try:
            json.dumps(parameters, allow_nan=False)
        except ValueError as error:
            raise ValueError("numbers must be finite: JSON has no .nan and no .inf") from error
        return parameters

    @model_validator(mode="after")
    def _upstream_knows_its_model(self) -> ShadowSettings:
        if self.upstream is not None and not isinstance(self.parameters.get("model"), str):
            raise ValueError("with `upstream` the model is wanted: parameters: {model: NAME}")
        return self


class StreamSettings(Section):
    """How streamed replies are held back."""

    hold: Hold = Hold.SENTENCE
    """`sentence`: a sentence leaves when it has passed; `full`: nothing leaves before all has;
    `none`: text flows and is judged afterwards."""


class PromptSettings(Section):
    """How what the user sends is judged before the model is asked: by the scores and thresholds of
    `policy`. It is counted in `guard_inputs_total` and in no figure of the model's replies."""

    mode: Annotated[PromptMode, BeforeValidator(not_a_switch)] = PromptMode.OFF
    """`off` judges no prompts; `observe` counts what would have been blocked and `flag` what fired,
    and nobody waits for either; with `block` a prompt does not reach the model where a rule fires
    that asks for more than a flag. `mode` of the use case goes before: `observe` blocks nothing,
    `off` judges nothing."""
    fallback: Annotated[str, Field(min_length=1, max_length=10_000)] = (
        "I am not able to answer that request."
    )
    """The text a caller gets instead of a reply to a blocked prompt; with `on_block: raise` the
    same error as for a reply."""


def _allowed(value: object) -> AllowEntry:
    """A phrase, or `{pattern: ...}`. Raises ValueError."""
    if isinstance(value, AllowEntry):
        return value
    if isinstance(value, str):
        return allow_phrase(value)
    if isinstance(value, dict) and [*value] == ["pattern"] and isinstance(value["pattern"], str):
        return allow_pattern(value["pattern"])
    raise ValueError("must be a phrase in quotes, or {pattern: 'a regular expression'}")


def _written(entry: AllowEntry) -> object:
    """The entry as it stands in guard.yaml."""
    return entry.name if entry.folded else {"pattern": entry.name}


def _not_twice(entries: list[AllowEntry]) -> list[AllowEntry]:
    names = [entry.name for entry in entries]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{twice[0]!r} stands twice")
    return entries


Allowed = Annotated[
    list[Annotated[AllowEntry, PlainValidator(_allowed), PlainSerializer(_written)]],
    Field(max_length=200),
    AfterValidator(_not_twice),
]


class UseCase(Section):
    """How the replies of one use case are judged."""

    mode: Mode = "enforce"
    """`observe` releases everything at once and records what would have been done; `off` passes
    replies on without reading them and counts them as unscored."""
    policy: Rules = Field(default_factory=dict)
    """Score, then action, then the threshold in (0, 1] or `shipped`. Laid over the built-in rules
    and those of `defaults`, score by score; a score with `{}` has none."""
    allow: Allowed = Field(default_factory=list)
    """Phrases that do not fire by themselves (product names, clinical terms), and patterns as in
    `{pattern: 'kill (the )?child process(es)?'}`. What stands beside them is judged as ever."""
    candidate: Rules | None = None
    """Another `policy` that is only counted: what it would have done otherwise. Laid over `policy`,
    score by score."""
    deadline_ms: Annotated[int, Strict(), Field(gt=0, le=600_000)] = 1000
    """Milliseconds a caller waits for the scores of up to 10,000 characters; a longer text that is
    held whole has more in proportion (6 s for 60,000), one of many marks of punctuation as well."""
    on_unscored: OnUnscored = OnUnscored.RELEASE
    """What happens to text without a score (deadline, overload, fault, another language, letters
    that the classifier does not know). Rules that fire in it are acted on all the same."""
    on_block: Literal["fallback", "raise"] = "fallback"
    """What the caller gets instead of a blocked reply."""
    fallback: Annotated[str, Field(min_length=1, max_length=10_000)] = (
        "I am not able to share that answer."
    )
    """The text a caller gets instead of a blocked reply."""
    redaction: Annotated[str, Field(max_length=1000)] = "[removed]"
    """What stands in place of a redacted sentence."""
    regenerate: Annotated[int, Strict(), Field(ge=0, le=10)] = 1
    """How often the model is asked again after a `regenerate` rule fired."""
    stream: StreamSettings = StreamSettings()
    reasoning: Literal["judge", "pass"] = "judge"
    """What a model thinks aloud, where its interface gives that: `judge` holds it to the policy
    with the reply; `pass` lets it through unread, and the record says so."""
    tool_calls: Literal["judge", "pass"] = "judge"
    """The same for the arguments of the tools that a model calls."""
    prompt: PromptSettings = PromptSettings()
    upstream: Label | None = None
    """Which of `upstreams` the gateway asks; left out: `gateway.upstream`."""
    shadow: ShadowSettings = ShadowSettings()
