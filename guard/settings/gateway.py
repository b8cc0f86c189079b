"""The `gateway` section of guard.yaml: who may ask what through `guard serve`, and how much."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, Field, Strict, StringConstraints, model_validator

from guard.settings.sections import Label, Seconds, Section, Variable

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Port = Annotated[int, Strict(), Field(ge=0, le=65_535)]
_UNGUARDED = """
    assistants audio batches chat completions containers conversations embeddings evals files
    fine_tuning images messages moderations organization realtime responses threads uploads
    vector_stores videos
"""
UNGUARDED: Final = frozenset(_UNGUARDED.split())
"""First segments of paths where something is generated, kept or administered: never passed on."""


def _harmless(read: str) -> str:
    segments = read.split("/")[1:]
    if segments[0] in UNGUARDED:
        raise ValueError(
            "cannot be read through the gateway: what was generated would come back unguarded, or"
            " an account would be administered"
        )
    if "{" in segments[0] or {"", ".", ".."} & set(segments):
        raise ValueError("must be a path like /models or /models/{model}, that begins with a word")
    return read


Read = Annotated[
    str,
    StringConstraints(pattern=r"^(/([A-Za-z0-9._-]+|\{[a-z_]+\})){1,8}$"),
    AfterValidator(_harmless),
]
Size = Annotated[float, Strict(), Field(gt=0, le=1024, allow_inf_nan=False)]


class GatewayKey(Section):
    """A key with which applications ask the gateway."""

    name: Label
    """How logs and errors call it."""
    key_env: Variable | None = None
    """The environment variable that holds the key."""
    sha256: Digest | None = None
    """Or the SHA-256 of the key, in hexadecimal; then the key itself is nowhere."""
    use_cases: list[str] = Field(default_factory=list)
    """The use cases it is good for; empty is all."""

    @model_validator(mode="after")
    def _says_where_the_key_is(self) -> GatewayKey:
        if (self.key_env is None) == (self.sha256 is None):
            raise ValueError("give either key_env or sha256")
        return self


class Listener(Section):
    """An address of its own for something beside the gateway."""

    host: Annotated[str, Field(min_length=1, max_length=255)] = "127.0.0.1"
    port: Port
    """0 is any free one."""


class GatewaySettings(Section):
    """How `guard serve` listens and what it accepts."""

    host: Annotated[str, Field(min_length=1, max_length=255)] = "127.0.0.1"
    """Where to listen; beyond this machine only with keys."""
    port: Port = 8080
    """0 is any free one."""
    upstream: Label | None = None
    """Which of `upstreams` is asked where a use case names none; left out: the only one."""
    keys: list[GatewayKey] = Field(default_factory=list)
    """Who may ask; empty: whoever reaches it, which is allowed on this machine only."""
    reads: list[Read] = Field(default_factory=lambda: ["/models", "/models/{model}"])
    """What may be read (GET) from the upstream beside the three generating operations."""
    body_mb: Size = 10
    """Megabytes a request may have; more is answered 413."""
    concurrency: Annotated[int, Strict(), Field(ge=1, le=100_000)] = 512
    """Requests under way at once in one worker; more are answered 429."""
    connections: Annotated[int, Strict(), Field(ge=1, le=100_000)] = 4096
    """Open connections in one worker; more are closed."""
    request_seconds: Seconds = 30.0
    """How long a request may take to arrive; beyond it the answer is 408."""
    drain_seconds: Seconds = 30.0
    """How long, after SIGTERM, requests under way may take to end."""
    workers: Annotated[int, Strict(), Field(ge=1, le=256)] = 1
    """Processes that answer."""
    metrics: Listener | None = None
    """Where /metrics answers; left out: nowhere."""
    review: Listener | None = None
    """Where the review page answers; left out: nowhere."""
