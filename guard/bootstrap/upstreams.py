"""The language models that settings name, as things that can be asked."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from guard.bootstrap.shadowing import http_lane
from guard.errors import SettingsError
from guard.ports import Upstream
from guard.settings import Settings, UpstreamSettings

try:
    from guard.upstream import Endpoint, HttpClient, HttpUpstream, Limits
except ModuleNotFoundError as error:
    raise SettingsError(
        f"upstreams: {error.name} is missing; it comes with pip install 'fairguard[gateway]'"
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
async def open_upstreams(
    settings: Settings, names: Iterable[str]
) -> AsyncIterator[Mapping[str, Upstream]]:
    """By lane, the upstreams with these names, for the running event loop. SettingsError."""
    found: dict[str, Upstream] = {}
    async with AsyncExitStack() as opened:
        for name in sorted(set(names)):
            declared = settings.upstreams[name]
            client = HttpClient(endpoint_of(name, declared), _limits(declared))
            opened.push_async_callback(client.close)
            found[http_lane(name)] = HttpUpstream(client, clock=time.time)
        yield found


def _limits(settings: UpstreamSettings) -> Limits:
    return Limits(
        connect_seconds=settings.connect_seconds,
        first_byte_seconds=settings.reply_seconds,
        total_seconds=settings.reply_seconds,
    )
