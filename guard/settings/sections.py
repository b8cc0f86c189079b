"""What all sections of guard.yaml have in common, and the sections that are short."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict, StringConstraints

Label = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Seconds = Annotated[float, Strict(), Field(gt=0, le=3600, allow_inf_nan=False)]
Share = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
"""The name of an environment variable."""


class Section(BaseModel):
    """A part of guard.yaml: keys it does not know are errors, numbers are numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


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


class StoreSettings(Section):
    """Where jobs, sums and cases are kept. Without this section, and without a use case that is
    shadowed, nothing is."""

    url: Annotated[str, Field(min_length=1, max_length=2000)] = "sqlite:///evenguard.db"
    """`sqlite:///relative.db`, `sqlite:////absolute.db`, `redis://host:port/db` or `memory:`."""
    spool: Annotated[str, Field(min_length=1, max_length=2000)] = "evenguard-spool"
    """Folder on a local disk in which what the store has not got yet waits."""
    spool_mb: Annotated[float, Strict(), Field(gt=0, le=100_000, allow_inf_nan=False)] = 64
    """Megabytes that may wait there; beyond it new ones are dropped and counted."""
    readings: Literal["embedded", "exporter"] | None = None
    """Who shows the readings of all processes: `embedded`, this one's own /metrics; `exporter`,
    only `guard exporter`. Left out: the exporter for Redis, which several processes share."""
    max_jobs: Annotated[int, Strict(), Field(ge=1, le=100_000_000)] = 100_000
    """Shadow jobs that may wait in the store; beyond it new ones are dropped and counted."""


class UpstreamSettings(Section):
    """A language model behind an OpenAI-compatible address."""

    base_url: Annotated[str, StringConstraints(pattern=r"^https?://[^\s/?#]+[^\s?#]*$")]
    """Everything before `/chat/completions`, as in `https://api.openai.com/v1`."""
    api_key_env: Variable | None = None
    """The environment variable that holds the key; left out: no key is sent."""
    pass_key: Annotated[bool, Strict()] = False
    """Send the Authorization header of whoever asks the gateway instead of a key of our own. The
    gateway's own key then comes in `x-guard-key`, and such calls are never shadowed."""
    connect_seconds: Seconds = 5.0
    """How long a connection may take."""
    first_byte_seconds: Seconds = 60.0
    """How long a streamed answer may take to begin."""
    idle_seconds: Seconds = 30.0
    """How long an answer may be silent once it has begun."""
    reply_seconds: Seconds = 120.0
    """How long a whole reply may take; beyond it the call has timed out."""
    connections: Annotated[int, Strict(), Field(ge=1, le=100_000)] = 1000
    """Connections to it that each process may have open at once."""
    answer_mb: Annotated[float, Strict(), Field(gt=0, le=1024, allow_inf_nan=False)] = 32
    """Megabytes that an answer may have where it is read whole."""


class ReviewSettings(Section):
    """What cases keep."""

    redact: Annotated[bool, Strict()] = True
    """Make e-mail addresses, phone and card numbers unreadable before a case is stored."""
    scores_only: Annotated[bool, Strict()] = False
    """Keep no text of a call in a case, only its scores: then people have little to judge by."""
    retention_days: Annotated[int, Strict(), Field(ge=1, le=36_500)] | None = 90
    """Age at which cases are erased, decided or not; null is never."""
    lease_minutes: Annotated[float, Field(gt=0, le=1440, allow_inf_nan=False)] = 15.0
    """How long a case stays with the person who opened it."""
