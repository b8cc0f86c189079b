"""The `store` and `upstreams` sections of guard.yaml: what is kept where, and who can be asked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, Strict, StringConstraints

from guard.settings.section import Section

Seconds = Annotated[float, Strict(), Field(gt=0, le=3600, allow_inf_nan=False)]
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]


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
