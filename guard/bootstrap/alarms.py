"""When evidence is looked at, and who is told of the alarms."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import inf
from typing import Protocol

from guard.errors import SettingsError, StoreError
from guard.fairness.catalogue import ALARM_POSTS, result_tally
from guard.ports import Clock, Windows
from guard.records import Posting
from guard.settings import Settings
from guard.settings.sections import AlarmWebhook
from guard.shadow.alarm_message import alarm_message
from guard.shadow.monitor import AlarmCheck
from guard.telemetry.webhook import Alarm, Webhook, WebhookTarget

LOOK_SECONDS = 1.0

_log = logging.getLogger("guard.shadow")


class ChecksEvidence(Protocol):
    """An `EvidenceMonitor`, as far as it is asked here."""

    def check(self) -> AlarmCheck:
        """The state of all tests. Raises StoreError."""


class AlarmWatch:
    """Looks at evidence when there is more of it, and tells of the alarms that this raises.

    The first look is due at once: whoever added the evidence that is there may have ended without
    one. clock: seconds that only go forward. Thread-safe as far as the monitor is.
    """

    def __init__(
        self,
        monitor: ChecksEvidence,
        *,
        clock: Clock,
        webhook: Webhook | None = None,
        findings_url: str = "",
    ) -> None:
        self._monitor = monitor
        self._clock = clock
        self._webhook = webhook
        self._findings_url = findings_url
        self._due = True
        self._looked_at = -inf

    def evidence_added(self) -> None:
        """There is more evidence: look at it, now or when `look` is called next."""
        self._due = True
        self.look()

    def look(self) -> None:
        """Look at evidence that nobody has looked at, not oftener than is of use to anybody."""
        now = self._clock()
        if not self._due or now - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at, self._due = now, False
        try:
            self._tell(self._monitor.check())
        except StoreError:
            self._due = True

    def close(self, *, timeout_seconds: float) -> None:
        """Wait for alarms that are not sent yet, so long at most."""
        if self._webhook is not None:
            self._webhook.close(timeout_seconds=timeout_seconds)

    def _tell(self, check: AlarmCheck) -> None:
        """Log the alarms that were raised here, and send them where that is set."""
        for alarm in check.alarms:
            use_case, test = alarm
            _log.warning("evidence of a difference: %s in %s", test, use_case)
            if self._webhook is not None:
                self._webhook.send(alarm_message(check, alarm, findings_url=self._findings_url))


def count_posts(store: Windows, clock: Clock) -> Callable[[Alarm, bool], None]:
    """Counts in the store what became of alarms: workers have no /metrics of their own.

    clock: Unix seconds.
    """

    def posted(alarm: Alarm, arrived: bool) -> None:
        counts = result_tally({(str(alarm["attribute"]), "sent" if arrived else "failed"): 1})
        with suppress(StoreError):  # the log has it
            store.add(
                [
                    Posting(
                        use_case=str(alarm["use_case"]),
                        at_seconds=clock(),
                        evidence={ALARM_POSTS: counts},
                    )
                ]
            )

    return posted


def alarm_webhook(
    settings: Settings, posted: Callable[[Alarm, bool], None] = lambda *_: None
) -> Webhook | None:
    """What sends alarms; None where nobody is told.

    posted: as for `Webhook`. Raises SettingsError where the environment variable of a header is
    missing.
    """
    wanted = settings.alarm_webhook
    if wanted is None:
        return None
    target = WebhookTarget(
        url=wanted.url,
        headers=dict(_headers(wanted)),
        timeout_seconds=wanted.timeout_seconds,
    )
    return Webhook(target, posted)


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
