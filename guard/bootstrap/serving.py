"""Whom the gateway asks for each use case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from guard.bootstrap.shadowing import http_lane, shadowed
from guard.errors import SettingsError
from guard.settings import Settings, UseCase

UNDECLARED = "default"
"""The use case of a request that names none, where none is declared."""


def use_cases(settings: Settings) -> Mapping[str, UseCase]:
    """The declared use cases, or the one there is without."""
    return settings.use_cases or {UNDECLARED: settings.defaults}


def upstreams_of(settings: Settings) -> Mapping[str, str]:
    """Use case to the name of the upstream that is asked for it. Raises SettingsError."""
    declared = bool(settings.use_cases)
    return {
        name: _chosen(settings, f"use_cases.{name}" if declared else "defaults", one)
        for name, one in use_cases(settings).items()
    }


def shadow_lane(settings: Settings, use_case: str, upstream: str) -> str:
    """Who asks again about calls that came through the gateway; empty is nobody.

    Whoever the settings name for shadow calls, or else the model that was asked itself; the key of
    a client is never kept, so a model that is asked with that is nobody.
    """
    shadow = shadowed(settings).get(use_case)
    if shadow is None:
        return ""
    if shadow.upstream is not None:
        return http_lane(shadow.upstream)
    return http_lane(upstream) if _can_ask(settings, upstream) else ""


def shadow_upstreams(settings: Settings) -> Mapping[str, str]:
    """By shadowed use case, the upstream behind an address that is asked again. SettingsError.

    A use case whose own upstream cannot be decided is one that is wrapped with a callable.
    """
    found: dict[str, str] = {}
    for name, shadow in shadowed(settings).items():
        upstream = shadow.upstream or _own(settings, settings.use_cases[name])
        if upstream is not None and (shadow.upstream or _can_ask(settings, upstream)):
            found[name] = upstream
    return found


def _can_ask(settings: Settings, upstream: str) -> bool:
    return not settings.upstreams[upstream].pass_key


def _own(settings: Settings, use_case: UseCase) -> str | None:
    name = use_case.upstream or settings.gateway.upstream or _only(settings.upstreams)
    return name if name in settings.upstreams else None


def _chosen(settings: Settings, path: str, use_case: UseCase) -> str:
    known = ", ".join(sorted(settings.upstreams))
    if not known:
        raise SettingsError(
            "upstreams: the gateway has nobody to ask: declare one, as in"
            " upstreams: {main: {base_url: https://api.example.com/v1, api_key_env: MAIN_KEY}}"
        )
    setting = f"{path}.upstream" if use_case.upstream else "gateway.upstream"
    name = use_case.upstream or settings.gateway.upstream or _only(settings.upstreams)
    if name is None:
        raise SettingsError(
            f"{path}.upstream: several are declared ({known}); say here, or for all under"
            " gateway.upstream, which one is asked"
        )
    if name not in settings.upstreams:
        raise SettingsError(
            f"{setting}: {name!r} is not declared under `upstreams` (declared: {known})"
        )
    return name


def _only(names: Iterable[str]) -> str | None:
    found = list(names)
    return found[0] if len(found) == 1 else None
