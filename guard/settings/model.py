"""The keys of guard.yaml and what is allowed in them."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    Strict,
)

from guard.policy import Hold, OnUnscored
from guard.settings.counterfactual import Counterfactual
from guard.settings.gateway import GatewaySettings
from guard.settings.review import ReviewSettings
from guard.settings.section import Section
from guard.settings.shadow import Label, ShadowSettings
from guard.settings.stored import StoreSettings, UpstreamSettings, Variable

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


def _not_a_flag(value: object) -> object:
    """1 is a version, `true` is not, though they are equal."""
    return repr(value) if isinstance(value, bool) else value


def _not_a_switch(value: object) -> object:
    """YAML takes a bare `off` for `false`."""
    return "off" if value is False else value


Name = Annotated[str, AfterValidator(use_case_name)]
Threshold = Annotated[Literal["shipped"] | float, PlainValidator(_threshold)]
Enforced = Literal["flag", "redact", "regenerate", "block"]
Mode = Annotated[Literal["off", "observe", "enforce"], BeforeValidator(_not_a_switch)]
Rules = dict[str, dict[Enforced, Threshold]]


BUILT_IN: Rules = {
    "toxicity": {"flag": "shipped", "block": 0.9},
    "stereotype": {"flag": "shipped"},
}
"""Rules of every use case, as far as the classifier has these scores."""


class Stream(Section):
    """How streamed replies are held back."""

    hold: Hold = Hold.SENTENCE
    """`sentence`: a sentence leaves when it has passed; `full`: nothing leaves before all has;
    `none`: text flows and is judged afterwards."""


class UseCase(Section):
    """How the replies of one use case are judged."""

    mode: Mode = "enforce"
    """`observe` releases everything at once and records what would have been done; `off` passes
    replies on without reading them and counts them as unscored."""
    policy: Rules = Field(default_factory=dict)
    """Score, then action, then the threshold in (0, 1] or `shipped`. Laid over the built-in rules
    and those of `defaults`, score by score; a score with `{}` has none."""
    deadline_ms: Annotated[int, Strict(), Field(gt=0, le=600_000)] = 1000
    """Milliseconds a caller waits for one score."""
    on_unscored: OnUnscored = OnUnscored.RELEASE
    """What happens to text without a score (deadline, overload, fault)."""
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
    stream: Stream = Stream()
    reasoning: Literal["judge", "pass"] = "judge"
    """What a model thinks aloud, where its interface gives that: `judge` holds it to the policy
    with the reply; `pass` lets it through unread, and the record says so."""
    tool_calls: Literal["judge", "pass"] = "judge"
    """The same for the arguments of the tools that a model calls."""
    upstream: Label | None = None
    """Which of `upstreams` the gateway asks; left out: `gateway.upstream`."""
    shadow: ShadowSettings = ShadowSettings()


class ModelSettings(Section):
    """The classifier and the resources it may use."""

    model: Annotated[str, Field(min_length=1)] = "bundled"
    """`bundled`, the name of an installed model, or the folder of one."""
    workers: Annotated[int, Strict(), Field(ge=1, le=256)] | None = None
    """Scoring threads; by default as many as this process has cores."""
    max_open_tokens: Annotated[int, Strict(), Field(ge=1024)] = 1_000_000
    """Tokens (estimated) that may be waiting or in the model; beyond it new texts are unscored
    for `overload`."""
    max_text_characters: Annotated[int, Strict(), Field(ge=1)] = 2_000_000
    """Longer texts are unscored for `too_large`."""
    cache_mb: Annotated[float, Strict(), Field(ge=0, le=4096, allow_inf_nan=False)] = 16
    """Memory for the scores of recent texts; 0 switches it off."""


class Settings(Section):
    """The whole of guard.yaml.

    With no use case declared, every use case is accepted and judged by `defaults`; once one is
    declared, only declared ones are. A declared use case starts from `defaults`.
    """

    version: Annotated[Literal[1], BeforeValidator(_not_a_flag)] = 1
    defaults: UseCase = Field(default_factory=UseCase)
    use_cases: dict[Name, UseCase] = Field(default_factory=dict)
    scoring: ModelSettings = Field(default_factory=ModelSettings)
    store: StoreSettings | None = None
    review: ReviewSettings = Field(default_factory=ReviewSettings)
    upstreams: dict[Name, UpstreamSettings] = Field(default_factory=dict)
    gateway: GatewaySettings = Field(default_factory=GatewaySettings)
    deployment: Annotated[str, Field(max_length=200)] = ""
    """What is deployed (a version, a commit): a new one begins new epochs of evidence."""
    alarm_alpha: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.05
    """How likely an alarm is ever raised while no group is treated differently anywhere, over all
    tests of all use cases and however often they are looked at."""
    sampling_key_env: Variable | None = None
    """The environment variable with the secret that decides which calls are sampled; left out: one
    is made once and kept in the store."""
    counterfactual: Counterfactual = Field(default_factory=Counterfactual)
