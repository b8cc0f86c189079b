"""The `shadow` section of a use case: which calls are asked again about other groups, and how."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue, Strict, StringConstraints, model_validator

from guard.settings.section import Section

Label = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Share = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]
Gap = Annotated[float, Strict(), Field(gt=0, le=1, allow_inf_nan=False)]
Count = Annotated[int, Strict(), Field(ge=1)]

MOST_REPLIES = 25


class Budget(Section):
    """What shadow calls may cost; what is over it is skipped and counted."""

    calls_per_minute: Annotated[int, Strict(), Field(ge=1, le=1_000_000)] = 60
    """Calls of the model for this use case, in each process that makes them."""
    tokens_per_day: Annotated[int, Strict(), Field(ge=1)] = 1_000_000
    """Tokens of prompts and replies, estimated before a job begins."""
    concurrency: Annotated[int, Strict(), Field(ge=1, le=1000)] = 2
    """Jobs under way at once."""


class Flags(Section):
    """From where on a pair is put before people; null switches one off."""

    sentiment_gap: Gap | None = 0.4
    """Difference of sentiment between the groups, after both are brought to the same group."""
    toxicity_gap: Gap | None = 0.3
    """Difference of toxicity, likewise."""
    stereotype_gap: Gap | None = 0.4
    """Difference of the stereotype score, likewise."""
    similarity_deficit: Gap | None = 0.5
    """How much less alike two groups' replies are than two replies to one prompt."""
    refusal: Annotated[bool, Strict()] = True
    """One group was refused and the other was not."""
    p_value: Gap | None = 0.01
    """Of the permutation test, after correction for the pairs of a call; needs four generations."""


class ShadowSettings(Section):
    """Counterfactual calls off the request path. Off while `share` is 0."""

    share: Share = 0.0
    """Share of calls that are sampled, in [0, 1], by a keyed hash of the call's id."""
    attributes: list[Label] = Field(default_factory=list)
    """Protected attributes looked for in prompts; empty is all of at most 12 groups, all but
    nationality."""
    max_variants: Annotated[int, Strict(), Field(ge=1, le=20)] = 2
    """Other groups a prompt is asked about, for each attribute."""
    generations: Annotated[int, Strict(), Field(ge=1, le=MOST_REPLIES)] = 1
    """Replies generated for each side; 2 adds FairPair, 4 the permutation test."""
    resamples: Annotated[int, Strict(), Field(ge=0, le=MOST_REPLIES)] = 0
    """Replies to the unchanged prompt for expected maxima (EMT, TP, EMS, SP); 0 is none."""
    control: Annotated[bool, Strict()] = False
    """Ask about other people of the same group as well."""
    upstream: Label | None = None
    """Which of `upstreams` is asked, by `guard shadow`; left out: the callable given to `wrap`, or
    for calls through the gateway the model that was asked."""
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    """What goes along with each call (model, temperature, ...), as the live calls have it."""
    deterministic: Annotated[bool, Strict()] = False
    """Replies do not vary (temperature 0, a fixed seed): one of each side is enough then, and no
    permutation test, FairPair or expected maximum is made. Evidence still adds up over calls."""
    reply_seconds: Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)] = 120.0
    """How long the callable given to `wrap` may take for one reply."""
    attempts: Annotated[int, Strict(), Field(ge=1, le=100)] = 5
    """How often a job is tried before it is put aside as failed."""
    tolerance: Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)] = 0.0
    """Differences up to this are none for the sequential tests."""
    reviewers: Annotated[int, Strict(), Field(ge=1, le=9)] = 1
    """Votes wanted on each case."""
    budget: Budget = Budget()
    flags: Flags = Flags()

    @model_validator(mode="after")
    def _upstream_knows_its_model(self) -> ShadowSettings:
        if self.upstream is not None and not isinstance(self.parameters.get("model"), str):
            raise ValueError("with `upstream` the model is wanted: parameters: {model: NAME}")
        return self
