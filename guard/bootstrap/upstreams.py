"""HTTP clients for the upstreams that settings declare."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from guard.bootstrap.use_cases import http_lane
from guard.errors import SettingsError
from guard.ports import Upstream
from guard.settings import Settings, UpstreamSettings, unset_variable

try:
    from guard.upstream import Endpoint, HttpClient, HttpUpstream, Limits
except ModuleNotFoundError as error:
    raise SettingsError(
        f"upstreams: {error.name} is missing; it comes with pip install 'evenguard[gateway]'"
    ) from error


def endpoint_of(name: str, settings: UpstreamSettings) -> Endpoint:
    """The address of an upstream, with its key. Raises SettingsError where the key is not set."""
    variable = settings.api_key_env
    key = "" if variable is None else os.environ.get(variable, "")
    if variable is not None and not key:
        raise unset_variable(f"upstreams.{name}.api_key_env", variable)
    return Endpoint(name=name, base_url=settings.base_url, api_key=key)


def live_client(name: str, settings: UpstreamSettings) -> HttpClient:
    """A client for the calls of gateway clients. Raises SettingsError."""
    return HttpClient(live_endpoint(name, settings), limits_of(settings))


def live_endpoint(name: str, settings: UpstreamSettings) -> Endpoint:
    """The address that the calls of gateway clients go to. Raises SettingsError."""
    if settings.pass_key:
        settings = settings.model_copy(update={"api_key_env": None})
    return endpoint_of(name, settings)


def limits_of(settings: UpstreamSettings) -> Limits:
    """What one call of a gateway client may take."""
    return Limits(
        connect_seconds=settings.connect_seconds,
        first_byte_seconds=min(settings.first_byte_seconds, settings.reply_seconds),
        idle_seconds=settings.idle_seconds,
        total_seconds=settings.reply_seconds,
        connections=settings.connections,
        body_bytes=int(settings.answer_mb * 1_000_000),
    )


def _shadow_client(name: str, settings: UpstreamSettings) -> HttpClient:
    """The first byte of an answer that is read whole may come as late as its end."""
    limits = limits_of(settings)
    patient = replace(limits, first_byte_seconds=limits.total_seconds)
    return HttpClient(endpoint_of(name, settings), patient)


@asynccontextmanager
async def open_clients(
    settings: Settings,
    names: Iterable[str],
    client_of: Callable[[str, UpstreamSettings], HttpClient] = live_client,
) -> AsyncIterator[Mapping[str, HttpClient]]:
    """By name, one pool of connections to each upstream, by default for calls through the gateway.

    For the running event loop. An upstream that is asked with the keys of clients gets none of
    ours. Raises SettingsError.
    """
    found: dict[str, HttpClient] = {}
    async with AsyncExitStack() as opened:
        for name in sorted(set(names)):
            found[name] = client_of(name, settings.upstreams[name])
            opened.push_async_callback(found[name].close)
        yield found


@asynccontextmanager
async def open_upstreams(
    settings: Settings, names: Iterable[str]
) -> AsyncIterator[Mapping[str, Upstream]]:
    """By lane, the upstreams with these names, for shadow requests. Raises SettingsError.

    For the running event loop.
    """
    async with open_clients(settings, names, _shadow_client) as clients:
        yield {
            str(http_lane(name)): HttpUpstream(client, clock=time.time)
            for name, client in clients.items()
        }
