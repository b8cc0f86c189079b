"""When evidence is looked at, and who is told of the alarms."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import inf
from typing import Protocol, TypeAlias

from guard.bootstrap.use_cases import shadowed
from guard.errors import StoreError
from guard.fairness.catalogue import ALARM_POSTS, result_tally
from guard.ports import Clock, Store, Windows
from guard.records import Posting
from guard.settings import Settings, unset_variable
from guard.settings.sections import AlarmWebhook
from guard.shadow.alarm_message import alarm_message, alarm_of
from guard.shadow.monitor import AlarmCheck, TestKey
from guard.shadow.posted_alarms import PostedAlarms, PostState
from guard.telemetry.webhook import Alarm, AlarmEnd, Webhook, WebhookTarget

LOOK_SECONDS = 1.0
LOOK_AGAIN_SECONDS = 60.0
"""How soon alarms are looked at again that another process has, or left."""
NotedPost: TypeAlias = Callable[[Alarm, AlarmEnd], None]
"""Told what became of an alarm."""

_log = logging.getLogger("guard.shadow")


class ChecksEvidence(Protocol):
    """An `EvidenceMonitor`, as far as it is asked here."""

    def check(self) -> AlarmCheck:
        """The state of all tests. Raises StoreError."""


class AlarmWatch:
    """Looks at evidence when there is more of it, and tells of the alarms that this raises.

    The first look is due at once: whoever added the evidence that is there may have ended without
    one. clock: seconds that only go forward. sender: None where nobody is told. Thread-safe as far
    as the monitor is.
    """

    def __init__(
        self, monitor: ChecksEvidence, *, clock: Clock, sender: AlarmSender | None = None
    ) -> None:
        self._monitor = monitor
        self._clock = clock
        self._sender = sender
        self._due = True
        self._looked_at = -inf
        self._again_at = inf

    def evidence_added(self) -> None:
        """There is more evidence: look at it, now or when `look` is called next."""
        self._due = True
        self.look()

    def look(self) -> None:
        """Look at evidence that nobody has looked at, not oftener than is of use to anybody."""
        now = self._clock()
        is_due = self._due or now >= self._again_at
        if not is_due or now - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at, self._due = now, False
        try:
            self._tell(now)
        except StoreError:
            self._due = True

    def close(self, *, timeout_seconds: float) -> None:
        """Wait for alarms that are not sent yet, so long at most."""
        if self._sender is not None:
            self._sender.close(timeout_seconds=timeout_seconds)

    def _tell(self, now: float) -> None:
        """Log the alarms that were raised here, and have those sent that nobody has sent."""
        if self._sender is not None:
            self._sender.begin()
        check = self._monitor.check()
        for use_case, test in check.alarms:
            _log.warning("evidence of a difference: %s in %s", test, use_case)
        waits = self._sender is not None and self._sender.send(check)
        self._again_at = now + LOOK_AGAIN_SECONDS if waits else inf


class AlarmSender:
    """Sends each alarm that stands and was not sent: that of a process that was killed, too.

    webhook: tells `posts` what became of an alarm (`noted_posts`). findings_url: of the page of
    findings; empty where it has no public address.
    """

    def __init__(self, webhook: Webhook, posts: PostedAlarms, *, findings_url: str = "") -> None:
        self._webhook = webhook
        self._posts = posts
        self._findings_url = findings_url
        self._has_begun = False

    def begin(self) -> None:
        """Call it before any alarm is raised. Raises StoreError."""
        if not self._has_begun:
            self._posts.begin()
            self._has_begun = True

    def send(self, check: AlarmCheck) -> bool:
        """Send what is not sent; whether anything is still on its way. Raises StoreError."""
        states = [
            self._send(check, alarm)
            for alarm, epoch in check.epochs.items()
            if epoch.alarmed and alarm in check.published
        ]
        return any(state is not PostState.SENT for state in states)

    def close(self, *, timeout_seconds: float) -> None:
        """Wait for alarms that are not sent yet, so long at most."""
        self._webhook.close(timeout_seconds=timeout_seconds)

    def _send(self, check: AlarmCheck, alarm: TestKey) -> PostState:
        state = self._posts.take(alarm, check.epochs[alarm].alarms)
        if state is PostState.TAKEN:
            self._webhook.send(alarm_message(check, alarm, findings_url=self._findings_url))
        return state


def open_alarm_sender(settings: Settings, store: Store) -> AlarmSender | None:
    """None where nobody is told. Raises SettingsError as `alarm_webhook` does."""
    posts = PostedAlarms(store, tuple(shadowed(settings)), time.time)
    noted = noted_posts(posts, count_posts(store, time.time))
    webhook = alarm_webhook(settings, noted, wanted=still_to_send(posts))
    if webhook is None:
        return None
    return AlarmSender(webhook, posts, findings_url=findings_url(settings))


def noted_posts(posts: PostedAlarms, count: NotedPost) -> NotedPost:
    """Ticks alarms off that were sent or given up, and counts them; the others are released."""

    def noted(alarm: Alarm, end: AlarmEnd) -> None:
        is_over = end is not AlarmEnd.LEFT
        with suppress(StoreError):  # then it is sent again, rather than not at all
            (posts.tick_off if is_over else posts.release)(*alarm_of(alarm))
        if is_over:
            count(alarm, end)

    return noted


def still_to_send(posts: PostedAlarms) -> Callable[[Alarm], bool]:
    """Whether an alarm that was taken is still this process's: others before it may take long."""

    def wanted(alarm: Alarm) -> bool:
        try:
            return posts.renew(*alarm_of(alarm))
        except StoreError:  # rather twice than not at all
            return True

    return wanted


def count_posts(store: Windows, clock: Clock) -> NotedPost:
    """Counts in the store what became of alarms: workers have no /metrics of their own.

    clock: Unix seconds.
    """

    def posted(alarm: Alarm, end: AlarmEnd) -> None:
        counts = result_tally({(str(alarm["attribute"]), str(end)): 1})
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
    settings: Settings,
    posted: NotedPost = lambda *_: None,
    *,
    wanted: Callable[[Alarm], bool] = lambda _: True,
) -> Webhook | None:
    """What sends alarms; None where nobody is told.

    posted, wanted: as for `Webhook`. Raises SettingsError where the environment variable of a
    header is missing.
    """
    place = settings.alarm_webhook
    if place is None:
        return None
    target = WebhookTarget(
        url=place.url,
        headers=dict(_headers(place)),
        timeout_seconds=place.timeout_seconds,
    )
    return Webhook(target, posted, wanted=wanted)


def findings_url(settings: Settings) -> str:
    """The public address of the page of findings; empty where it has none."""
    webhook = settings.alarm_webhook
    return (webhook.findings_url or "") if webhook else ""


def _headers(wanted: AlarmWebhook) -> Iterator[tuple[str, str]]:
    for header, variable in wanted.headers_env.items():
        if not (value := os.environ.get(variable)):
            raise unset_variable(f"alarm_webhook.headers_env.{header}", variable)
        yield header, value
