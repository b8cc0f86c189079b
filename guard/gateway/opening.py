"""From settings to the application that answers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from guard.bootstrap import Runtime
from guard.bootstrap.use_cases import UNDECLARED, shadow_lane, upstreams_of
from guard.gateway.admission import Admission
from guard.gateway.app import Gateway, Parts, ReplyTo
from guard.gateway.entrance import Entrance
from guard.gateway.health import Health
from guard.gateway.journal import Journal
from guard.gateway.keys import keys_of
from guard.gateway.lateness import Lateness
from guard.gateway.routes import Routes
from guard.gateway.targets import Target, Targets
from guard.settings import Settings
from guard.telemetry import GatewayMetrics
from guard.upstream import HttpClient

MEGABYTE: Final = 1_000_000
HERE: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


def open_gateway(
    runtime: Runtime, clients: Mapping[str, HttpClient], health: Health, reply_to: ReplyTo
) -> Gateway:
    """The application of one worker. clients: by the name of the upstream. SettingsError."""
    section = runtime.settings.gateway
    body_bytes = int(section.body_mb * MEGABYTE)
    admission = Admission(
        requests=section.concurrency,
        body_bytes=body_bytes,
        is_late=Lateness(time.monotonic).is_grave,
    )
    metrics = GatewayMetrics(runtime.metrics.registry, open_requests=lambda: admission.open)
    return Gateway(
        Parts(
            routes=Routes(section.reads),
            entrance=_entrance(runtime.settings, clients),
            admission=admission,
            flow=runtime.flow,
            reply_to=reply_to,
            health=health,
            journal=Journal(metrics, time.monotonic),
            body_bytes=body_bytes,
            request_seconds=section.request_seconds,
        )
    )


def _entrance(settings: Settings, clients: Mapping[str, HttpClient]) -> Entrance:
    targets = {
        use_case: Target(
            use_case=use_case,
            upstream=clients[name],
            lane=shadow_lane(settings, use_case, name),
            passes_key=settings.upstreams[name].pass_key,
        )
        for use_case, name in upstreams_of(settings).items()
    }
    other = None if settings.use_cases else targets[UNDECLARED]
    host = settings.gateway.host
    return Entrance(
        keys_of(settings), Targets(targets, other), {*HERE, f"[{host}]" if ":" in host else host}
    )
