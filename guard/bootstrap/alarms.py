"""Who is told of alarms, from the settings."""

from __future__ import annotations

import os
from collections.abc import Iterator

from guard.errors import SettingsError
from guard.settings import Settings
from guard.settings.sections import AlarmWebhook
from guard.telemetry.webhook import Webhook, WebhookTarget


def alarm_webhook(settings: Settings) -> Webhook | None:
    """What sends alarms; None where nobody is told.

    Raises SettingsError where the environment variable of a header is missing.
    """
    wanted = settings.alarm_webhook
    if wanted is None:
        return None
    target = WebhookTarget(
        url=wanted.url,
        headers=dict(_headers(wanted)),
        timeout_seconds=wanted.timeout_seconds,
    )
    return Webhook(target)


def findings_url(settings: Settings) -> str:
    """The public address of the page of findings; empty where it has none."""
    webhook = settings.alarm_webhook
    return (webhook.findings_url or "") if webhook else ""


def _headers(wanted: AlarmWebhook) -> Iterator[tuple[str, str]]:
    for header, variable in wanted.headers_env.items():
        if not (value := os.environ.get(variable)):
            raise SettingsError(
                f"alarm_webhook.headers_env.{header}: the environment variable {variable} is not"
                " set"
            )
        yield header, value
