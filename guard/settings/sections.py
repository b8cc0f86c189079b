"""What all sections of guard.yaml have in common, and those for servers, store and review."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    StringConstraints,
    model_validator,
)

Family = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""Of scores: what stands before the dot, as in `toxicity`."""
Label = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Seconds = Annotated[float, Strict(), Field(gt=0, le=3600, allow_inf_nan=False)]
Share = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
"""The name of an environment variable."""


def _network(text: str) -> str:
    try:
        return str(ip_network(text))
    except ValueError as error:
        raise ValueError(f"must be an address or a network, as in 10.0.0.0/8: {error}") from None


Network = Annotated[str, AfterValidator(_network)]


def not_a_switch(value: object) -> object:
    """YAML takes a bare `off` for `false`."""
    return "off" if value is False else value


class Section(BaseModel):
    """A part of guard.yaml: keys it does not know are errors, numbers are numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ModelSettings(Section):
    """The classifier and the resources it may use."""

    model: Annotated[str, Field(min_length=1)] = "bundled"
    """`bundled`, the name of an installed model, or the folder of one."""
    heads: dict[Family, Annotated[str, Field(min_length=1)]] = Field(default_factory=dict)
    """Families of scores that other models make, as in `{toxicity: mine, stereotype: other}`, each
    in a pass of its own; all others are those of `model`. `workers` and memory are for each."""
    embedder: Annotated[str, Field(min_length=1)] = "sentence-minilm"
    """What tells how alike the meaning of replies is, in shadow comparisons and assessments: the
    name of an installed embedder, or the folder of one. Another one begins new evidence."""
    nli: Annotated[str, Field(min_length=1)] | None = None
    """What checks claims, where they are compared (`shadow.claims`, `guard assess fisco --form
    claims`): the name of an installed classifier of pairs, or the folder of one. Left out: the
    shipped one, where there is one."""
    workers: Annotated[int, Strict(), Field(ge=1, le=256)] | None = None
    """Scoring threads; by default as many as this process has cores."""
    max_open_tokens: Annotated[int, Strict(), Field(ge=1024)] = 1_000_000
    """Tokens (estimated) that may be waiting or in the model; beyond it new texts are unscored
    for `overload`. Half is for long texts, half for others; of each, half for texts that nobody
    waits for (mode `observe`) where somebody waits as well."""
    max_text_characters: Annotated[int, Strict(), Field(ge=1)] = 2_000_000
    """Longer texts are unscored for `too_large`."""
    cache_mb: Annotated[float, Strict(), Field(ge=0, le=4096, allow_inf_nan=False)] = 16
    """Memory for the scores of recent texts; 0 switches it off."""
    second_look: Annotated[str, BeforeValidator(not_a_switch), Field(min_length=1)] | None = None
    """A classifier that decides where the scores of `model` would lead to anything but release: the
    name of an installed model, the folder of one, or `off`. Left out: the model of
    `evenguard-models-large` where that is installed, else none."""
    second_look_margin: Share = 0.1
    """It also looks where a score lies less than this below the lowest threshold of its rules; 0 is
    never."""
    second_look_threads: Annotated[int, Strict(), Field(ge=1, le=256)] = 1
    """Threads of its own that run it, beside `workers`."""


class StoreSettings(Section):
    """Where jobs, sums and cases are kept. Without this section, and without a use case that is
    shadowed, nothing is."""

    url: Annotated[str, Field(min_length=1, max_length=2000)] = "sqlite:///evenguard.db"
    """`sqlite:///relative.db`, `sqlite:////absolute.db`, `redis://host:port/db` or `memory:`."""
    spool: Annotated[str, Field(min_length=1, max_length=2000, pattern=r"^[^\x00]+$")] = (
        "evenguard-spool"
    )
    """Folder on a local disk in which what the store has not got yet waits."""
    spool_mb: Annotated[float, Strict(), Field(gt=0, le=100_000, allow_inf_nan=False)] = 64
    """Megabytes that may wait there; beyond it new ones are dropped and counted."""
    readings: Literal["embedded", "exporter"] | None = None
    """Who shows the readings of all processes: `embedded`, this one's own /metrics; `exporter`,
    only `guard exporter`. Left out: the exporter for Redis, which several processes share."""
    max_jobs: Annotated[int, Strict(), Field(ge=1, le=100_000_000)] = 100_000
    """Shadow jobs that may wait in the store; beyond it new ones are dropped and counted."""


class MetricsSettings(Section):
    """What /metrics shows of the store, whoever serves it."""

    pairs: Annotated[bool, Strict()] = False
    """Show readings of every pair of groups as well, beside those of each group against all others:
    ten groups are 45 pairs, with some hundred series each."""
    max_series: Annotated[int, Strict(), Field(ge=1, le=10_000_000)] | None = None
    """Series of readings and tests of each use case; what is above is left out and counted. Left
    out: 400, and 20,000 with `pairs`."""
    max_use_cases: Annotated[int, Strict(), Field(ge=1, le=100_000)] = 200
    """The same for use cases."""


def _address(url: str) -> str:
    """Raises ValueError for a host or a port that cannot be, and for what should be secret."""
    parts = urlsplit(url)
    if not parts.hostname or parts.port == 0:
        raise ValueError("must name a host, and a port from 1 on where it names one")
    if "@" in parts.netloc:
        raise ValueError(
            "must not hold a user or password; name the variable that holds it in `api_key_env` of"
            " an upstream, or in `headers_env` of a webhook"
        )
    return url


WebAddress = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[^\s/?#]+[^\s#]*$", max_length=2000),
    AfterValidator(_address),
]


class UpstreamSettings(Section):
    """A language model behind an OpenAI-compatible address."""

    base_url: Annotated[
        str,
        StringConstraints(pattern=r"^https?://[^\s/?#]+[^\s?#]*$"),
        AfterValidator(_address),
    ]
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
    """Megabytes that an answer may have: a whole one, or a stream for each reply that was asked
    for, decompressed. Of a stream, an event or a comment counts as 256 bytes at least."""


class ReviewSettings(Section):
    """What cases keep."""

    redact: Annotated[bool, Strict()] = True
    """Make e-mail addresses, phone and card numbers unreadable before a case is stored."""
    scores_only: Annotated[bool, Strict()] = False
    """Keep no text of a call in a case, only its scores: then people have little to judge by."""
    texts_mb_per_day: Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)] = 32
    """Megabytes of cases of single replies that each process keeps with whole texts for a use case
    each day (UTC); of later ones the first 4,000 characters of the reply, and 1,000 of the prompt.
    At most half of `store.spool_mb`, or one client can fill the spool."""
    retention_days: Annotated[int, Strict(), Field(ge=1, le=36_500)] | None = 90
    """Age at which cases are erased, decided or not; null is never."""
    lease_minutes: Annotated[float, Field(gt=0, le=1440, allow_inf_nan=False)] = 15.0
    """How long a case stays with the person who opened it."""
    trusted_proxies: list[Network] = Field(default_factory=list)
    """Addresses or networks of the proxies before the page, whose X-Forwarded-For says who signs
    in, so that attempts are limited for each client address, as in `10.0.0.0/8`. Left out: a page
    behind TLS limits them by name only."""


HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,100}$")]


class AlarmWebhook(Section):
    """An address that is told of every alarm, as JSON."""

    url: WebAddress
    """Where each alarm is posted to, by one process."""
    headers_env: dict[HeaderName, Variable] = Field(default_factory=dict)
    """Header, then the environment variable that holds its value, as in
    `authorization: ALARM_AUTHORIZATION`."""
    timeout_seconds: Annotated[float, Strict(), Field(gt=0, le=60, allow_inf_nan=False)] = 10.0
    """For a connection and for each answer; an address that is away or busy is tried three more
    times within half a minute."""
    findings_url: WebAddress | None = None
    """The public address of the page `Findings`, which is sent along, as in
    `https://review.example.org/findings`."""


Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Port = Annotated[int, Strict(), Field(ge=0, le=65_535)]
_UNGUARDED = """
    assistants audio batches chat chatkit completions containers conversations embeddings evals
    files fine_tuning images messages moderations organization realtime responses threads uploads
    vector_stores videos
"""
UNGUARDED: Final = frozenset(_UNGUARDED.split())
"""Segments of paths where something is generated, kept or administered: never passed on."""


def _harmless(read: str) -> str:
    segments = read.split("/")[1:]
    if UNGUARDED & {segment.lower() for segment in segments}:
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
    """Where to listen."""
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
    key_share: Annotated[float, Strict(), Field(gt=0, le=1, allow_inf_nan=False)] = 0.8
    """The share of `concurrency`, and of the memory for bodies, that one key may have, where there
    are several; more of its requests are answered 429."""
    connections: Annotated[int, Strict(), Field(ge=1, le=100_000)] = 4096
    """Open connections in one worker. One more closes the one that has not asked for longest, else
    the one whose request is still to arrive for longest; where all are being answered, it is closed
    itself."""
    request_seconds: Seconds = 30.0
    """How long a request may take to arrive; beyond it the answer is 408."""
    drain_seconds: Seconds = 30.0
    """How long, after SIGTERM, requests under way may take to end, and replies in observe mode to
    be judged."""
    workers: Annotated[int, Strict(), Field(ge=1, le=256)] = 1
    """Processes that answer."""
    metrics: Listener | None = None
    """Where /metrics answers; left out: nowhere."""
    review: Listener | None = None
    """Where the review page answers; left out: nowhere."""

    @property
    def requests_of_a_key(self) -> int | None:
        """How many requests of one key may be under way; None where there are none to leave room
        for."""
        if len(self.keys) < 2:
            return None
        return max(1, int(self.concurrency * self.key_share))
