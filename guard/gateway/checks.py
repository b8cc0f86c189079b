"""Checks the settings of a gateway before anything is opened; needs no extra to be imported."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from guard.bootstrap.storage import store_settings
from guard.bootstrap.use_cases import upstreams_of
from guard.errors import SettingsError
from guard.gateway.auth import keys_of
from guard.http.sockets import is_loopback
from guard.settings import Settings

NEEDED: Final = ("aiohttp", "httptools", "uvicorn", "uvloop")


def check_gateway(settings: Settings) -> None:
    """Raises SettingsError for settings that `guard serve` cannot start with."""
    for module in NEEDED:
        if find_spec(module) is None:
            raise SettingsError(f"{module} is missing: pip install 'evenguard[gateway]'")
    keys = keys_of(settings)
    host = settings.gateway.host
    if not keys and not is_loopback(host):
        raise SettingsError(
            f"gateway.host: {host} can be reached from other machines, so keys are wanted: declare"
            " them under gateway.keys, or listen on 127.0.0.1"
        )
    _check_upstreams(settings)
    _check_store(settings)


def _check_store(settings: Settings) -> None:
    where = store_settings(settings)
    if where is None and settings.gateway.review is not None:
        raise SettingsError("gateway.review: there is no store to review: set store.url")
    if where is not None and where.url.startswith("memory:"):
        raise SettingsError(
            f"store.url: {where.url} is known to one process alone, and the gateway has several;"
            " name another store, or leave `store` out"
        )


def _check_upstreams(settings: Settings) -> None:
    from guard.bootstrap.upstreams import live_endpoint  # noqa: PLC0415 - an extra

    for name in sorted(set(upstreams_of(settings).values())):
        live_endpoint(name, settings.upstreams[name])
