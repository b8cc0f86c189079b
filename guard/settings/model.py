"""The keys of guard.yaml and what is allowed in them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from guard.policy import Hold, OnUnscored
from guard.records import Action

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
Threshold = Literal["shipped"] | Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
Enforced = Literal[Action.FLAG, Action.REDACT, Action.REGENERATE, Action.BLOCK]
Rules = dict[str, dict[Enforced, Threshold]]


class Section(BaseModel):
    """A part of guard.yaml: keys it does not know are errors, values are not converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Stream(Section):
    """How streamed replies are held back."""

    hold: Hold = Hold.SENTENCE
    """`sentence`: a sentence leaves when it has passed; `full`: nothing leaves before all has;
    `none`: text flows and is judged afterwards."""


def _shipped_rules() -> Rules:
    return {
        "toxicity": {Action.FLAG: "shipped", Action.BLOCK: 0.9},
        "stereotype": {Action.FLAG: "shipped"},
    }


class UseCase(Section):
    """How the replies of one use case are judged."""

    mode: Literal["observe", "enforce"] = "enforce"
    """`observe` releases everything at once and records what would have been done."""
    policy: Rules = Field(default_factory=_shipped_rules)
    """Score, then action, then the threshold in (0, 1] or `shipped`."""
    deadline_ms: Annotated[int, Field(gt=0, le=600_000)] = 1000
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
    regenerate: Annotated[int, Field(ge=0, le=10)] = 1
    """How often the model is asked again after a `regenerate` rule fired."""
    stream: Stream = Stream()


class ModelSettings(Section):
    """The classifier and the resources it may use."""

    model: Annotated[str, Field(min_length=1)] = "bundled"
    """`bundled`, the name of an installed model, or the folder of one."""
    workers: Annotated[int, Field(ge=1, le=256)] | None = None
    """Scoring threads; by default as many as this process has cores."""
    max_open_tokens: Annotated[int, Field(ge=1024)] = 1_000_000
    """Tokens (estimated) that may be waiting or in the model; beyond it new texts are unscored
    for `overload`."""
    max_text_characters: Annotated[int, Field(ge=1)] = 2_000_000
    """Longer texts are unscored for `too_large`."""
    cache_mb: Annotated[float, Field(ge=0, le=4096, allow_inf_nan=False)] = 16
    """Memory for the scores of recent texts; 0 switches it off."""


class Settings(Section):
    """The whole of guard.yaml.

    With no use case declared, every use case is accepted and judged by `defaults`; once one is
    declared, only declared ones are. A declared use case starts from `defaults`.
    """

    version: Literal[1] = 1
    defaults: UseCase = Field(default_factory=UseCase)
    use_cases: dict[Name, UseCase] = Field(default_factory=dict)
    scoring: ModelSettings = Field(default_factory=ModelSettings)
