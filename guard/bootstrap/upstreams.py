"""The language models that settings name, as things that can be asked."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from guard.bootstrap.shadowing import http_lane
from guard.errors import SettingsError
from guard.ports import Upstream
from guard.settings import Settings, UpstreamSettings

try:
    from guard.upstream import Endpoint, HttpClient, HttpUpstream, Limits
except ModuleNotFoundError as error:
    raise SettingsError(
        f"upstreams: {error.name} is missing; it comes with pip install 'evenguard[gateway]'"
    ) from error


def endpoint_of(name: str, settings: UpstreamSettings) -> Endpoint:
    """Where a model listens, with its key. Raises SettingsError where the key is not set."""
    variable = settings.api_key_env
    key = "" if variable is None else os.environ.get(variable, "")
    if variable is not None and not key:
        raise SettingsError(
            f"upstreams.{name}.api_key_env: the environment variable {variable} is not set"
        )
    return Endpoint(name=name, base_url=settings.base_url, api_key=key)


@asynccontextmanager
async def open_clients(
    settings: Settings, names: Iterable[str]
) -> AsyncIterator[Mapping[str, HttpClient]]:
    """By name, one pool of connections to each upstream, for the running event loop.

    An upstream that is asked with the keys of clients gets none of ours. Raises SettingsError.
    """
    found: dict[str, HttpClient] = {}
    async with AsyncExitStack() as opened:
        for name in sorted(set(names)):
            declared = settings.upstreams[name]
            client = HttpClient(live_endpoint(name, declared), limits_of(declared))
            opened.push_async_callback(client.close)
            found[name] = client
        yield found


def live_endpoint(name: str, settings: UpstreamSettings) -> Endpoint:
    """Where a model listens for calls of clients. Raises SettingsError."""
    if settings.pass_key:
        settings = settings.model_copy(update={"api_key_env": None})
    return endpoint_of(name, settings)


def limits_of(settings: UpstreamSettings) -> Limits:
    """What a call of a client may take."""
    return Limits(
        connect_seconds=settings.connect_seconds,
        first_byte_seconds=min(settings.first_byte_seconds, settings.reply_seconds),
        idle_seconds=settings.idle_seconds,
        total_seconds=settings.reply_seconds,
        connections=settings.connections,
        body_bytes=int(settings.answer_mb * 1_000_000),
    )


@asynccontextmanager
async def open_upstreams(
    settings: Settings, names: Iterable[str]
) -> AsyncIterator[Mapping[str, Upstream]]:
    """By lane, the upstreams with these names, for the running event loop. SettingsError."""
    found: dict[str, Upstream] = {}
    async with AsyncExitStack() as opened:
        for name in sorted(set(names)):
            declared = settings.upstreams[name]
            client = HttpClient(endpoint_of(name, declared), _patient(limits_of(declared)))
            opened.push_async_callback(client.close)
            found[http_lane(name)] = HttpUpstream(client, clock=time.time)
        yield found


def _patient(limits: Limits) -> Limits:
    """An answer that is read whole may take its time to begin."""
    return replace(limits, first_byte_seconds=limits.total_seconds)
