"""From settings to the application of one worker."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from guard.bootstrap import Runtime
from guard.bootstrap.use_cases import UNDECLARED, shadow_lane, upstreams_of
from guard.gateway.app import Gateway, ReplyTo
from guard.gateway.auth import Authenticator, keys_of
from guard.gateway.litellm import Guardrail, StreamRecords
from guard.gateway.monitoring import Health, RequestLog
from guard.gateway.overload import LoadLimiter, LoopLag, call_on_this_loop
from guard.gateway.routes import Backend, Backends, Router
from guard.settings import Settings
from guard.telemetry import GatewayMetrics
from guard.upstream import HttpClient

MEGABYTE: Final = 1_000_000
LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


def open_gateway(
    runtime: Runtime, clients: Mapping[str, HttpClient], health: Health, reply_to: ReplyTo
) -> Gateway:
    """The application of one worker. clients: by the name of the upstream. SettingsError."""
    settings, section = runtime.settings, runtime.settings.gateway
    body_bytes = int(section.body_mb * MEGABYTE)
    limiter = LoadLimiter(
        requests=section.concurrency,
        of_a_key=section.requests_of_a_key,
        body_bytes=body_bytes,
        is_lagging=LoopLag(time.monotonic).is_high,
    )
    metrics = GatewayMetrics(runtime.metrics.registry, open_requests=lambda: limiter.open)
    host = f"[{section.host}]" if ":" in section.host else section.host
    return Gateway(
        router=Router(section.reads),
        authenticator=Authenticator(keys_of(settings), {*LOOPBACK_NAMES, host}),
        backends=_backends(settings, clients),
        limiter=limiter,
        flow=runtime.flow,
        reply_to=reply_to,
        guardrail=_guardrail(runtime, metrics),
        health=health,
        log=RequestLog(metrics, time.monotonic),
        body_bytes=body_bytes,
        request_seconds=section.request_seconds,
    )


def _guardrail(runtime: Runtime, metrics: GatewayMetrics) -> Guardrail:
    flow = runtime.flow
    records = StreamRecords(flow.observer, call_on_this_loop, runtime.drafts)
    return Guardrail(flow=replace(flow, observer=records), records=records, metrics=metrics)


def _backends(settings: Settings, clients: Mapping[str, HttpClient]) -> Backends:
    found = {
        use_case: Backend(
            use_case=use_case,
            upstream=clients[name],
            lane=shadow_lane(settings, use_case, name),
            passes_key=settings.upstreams[name].pass_key,
        )
        for use_case, name in upstreams_of(settings).items()
    }
    return Backends(found, None if settings.use_cases else found[UNDECLARED])
