"""Alarms reach an address over HTTP: once, again where it is away, and never at a worker's cost."""

from __future__ import annotations

from typing import Any

import pytest

from guard.bootstrap.alarms import (
    AlarmSender,
    AlarmWatch,
    alarm_webhook,
    noted_posts,
    still_to_send,
)
from guard.errors import SettingsError
from guard.settings import parse_settings
from guard.shadow.posted_alarms import HELD_SECONDS, PostedAlarms
from guard.telemetry.webhook import AlarmEnd, Webhook, WebhookCounts, WebhookTarget
from tests.servers import PATIENCE_SECONDS, free_port
from tests.servers_endless import HEAD, endless
from tests.servers_webhook import receiving
from tests.unit.shadow.test_monitor import PLACE, observed, post, store, watch

ALARM = {"use_case": "chat", "metric": "length"}


def test_whoever_wants_is_told_what_became_of_each_alarm() -> None:
    noted: list[tuple[object, AlarmEnd]] = []
    with receiving(200, 404, 200) as receiver:
        target = WebhookTarget(url=receiver.url, pauses_seconds=())
        webhook = Webhook(target, lambda alarm, end: noted.append((alarm["use_case"], end)))
        for name in ("a", "b", "c"):
            webhook.send({"use_case": name})
        webhook.close(timeout_seconds=PATIENCE_SECONDS)
    assert noted == [("a", AlarmEnd.SENT), ("b", AlarmEnd.FAILED), ("c", AlarmEnd.SENT)]


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine it takes longer to note what is left."""
    monkeypatch.setattr("guard.telemetry.webhook.LEAVING_SECONDS", PATIENCE_SECONDS)


@pytest.mark.usefixtures("patient")
def test_alarms_that_are_not_sent_at_the_end_are_left_and_not_given_up() -> None:
    with receiving(500) as receiver:
        webhook = Webhook(WebhookTarget(url=receiver.url, pauses_seconds=(PATIENCE_SECONDS,)))
        webhook.send(ALARM)
        webhook.send(ALARM)
        webhook.close(timeout_seconds=0.0)
        assert webhook.counts == WebhookCounts(left=2)


def test_an_alarm_that_another_process_has_by_now_is_told_to_nobody() -> None:
    with receiving(200) as receiver:
        theirs = {"use_case": "theirs"}
        target = WebhookTarget(url=receiver.url)
        webhook = Webhook(target, wanted=lambda alarm: alarm is not theirs)
        webhook.send(theirs)
        webhook.send(ALARM)
        webhook.close(timeout_seconds=PATIENCE_SECONDS)
        assert (receiver.bodies, webhook.counts) == ([ALARM], WebhookCounts(sent=1))


@pytest.mark.usefixtures("patient")
def test_an_alarm_that_was_under_way_when_its_worker_was_stopped_is_sent_by_the_next() -> None:
    facts = store()
    watching = watch(facts)
    post(facts, watching, observed(50, 0.3))
    with receiving(500, 204) as receiver:
        for patience in (0.0, PATIENCE_SECONDS):
            posts = PostedAlarms(facts, ("chat",), lambda: 1e9)
            target = WebhookTarget(url=receiver.url, pauses_seconds=(PATIENCE_SECONDS,))
            webhook = Webhook(
                target, noted_posts(posts, lambda *_: None), wanted=still_to_send(posts)
            )
            looking = AlarmWatch(
                watch(facts), clock=lambda: 0.0, sender=AlarmSender(webhook, posts)
            )
            looking.look()
            assert receiver.came.wait(PATIENCE_SECONDS)
            looking.close(timeout_seconds=patience)
    assert [body["group"] for body in receiver.bodies[-2:]] == ["", "female"]


def test_who_cannot_count_stops_no_alarm() -> None:
    def fails(*_: object) -> None:
        raise OSError("no")

    with receiving(200) as receiver:
        webhook = Webhook(WebhookTarget(url=receiver.url), fails)
        webhook.send(ALARM)
        webhook.send(ALARM)
        webhook.close(timeout_seconds=PATIENCE_SECONDS)
        assert webhook.counts == WebhookCounts(sent=2)


def test_an_alarm_whose_process_was_killed_before_it_was_sent_is_sent_by_another() -> None:
    facts, now = store(), [1e9]
    posts, killed = PostedAlarms(facts, ("chat",), lambda: now[0]), watch(facts)
    posts.begin()
    post(facts, killed, observed(50, 0.3))
    killed.check()
    posts.take(PLACE, 1)
    sent_by = []
    with receiving(204) as receiver:
        for _ in range(3):
            webhook = Webhook(WebhookTarget(url=receiver.url), noted_posts(posts, lambda *_: None))
            sender = AlarmSender(webhook, posts)
            watching = AlarmWatch(watch(facts), clock=lambda: 0.0, sender=sender)
            watching.look()
            watching.close(timeout_seconds=PATIENCE_SECONDS)
            sent_by.append([body["group"] for body in receiver.bodies])
            now[0] += HELD_SECONDS
    assert sent_by == [[""], ["", "female"], ["", "female"]]


def sent(url: str, *alarms: dict[str, str], **options: Any) -> WebhookCounts:
    webhook = Webhook(WebhookTarget(url=url, **{"pauses_seconds": (0.0, 0.0), **options}))
    for alarm in alarms or (ALARM,):
        webhook.send(alarm)
    webhook.close(timeout_seconds=PATIENCE_SECONDS)
    return webhook.counts


def test_each_alarm_arrives_once_as_json_in_order() -> None:
    alarms = [{"use_case": name} for name in ("a", "b", "c")]
    with receiving(204) as receiver:
        assert sent(receiver.url, *alarms) == WebhookCounts(sent=3)
        assert receiver.bodies == alarms
        assert receiver.headers[0]["content-type"] == "application/json"


@pytest.mark.parametrize("answer", [500, 503, 429])
def test_a_busy_address_is_tried_again(answer: int) -> None:
    with receiving(answer, answer, 200) as receiver:
        assert sent(receiver.url) == WebhookCounts(sent=1)
        assert receiver.bodies == [ALARM] * 3


@pytest.mark.parametrize(("answer", "attempts"), [(500, 3), (404, 1), (401, 1), (302, 1)])
def test_what_is_refused_is_given_up_counted_and_logged(
    answer: int, attempts: int, caplog: pytest.LogCaptureFixture
) -> None:
    with receiving(answer) as receiver:
        assert sent(receiver.url) == WebhookCounts(failed=1)
        assert len(receiver.bodies) == attempts
    assert f"alarm_webhook.url: an alarm was not sent: it answered {answer}" in caplog.text


def test_an_answer_that_is_not_http_is_not_logged_as_it_came(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with endless(b"\x1b[2J you posted to /hook?token=secret\r\n", b"") as address:
        assert sent(address.url) == WebhookCounts(failed=1)
    assert "an alarm was not sent: it answered what is not HTTP: BadStatusLine" in caplog.text
    assert "secret" not in caplog.text


def test_an_address_that_is_away_costs_nothing_but_the_alarm() -> None:
    assert sent(f"http://127.0.0.1:{free_port()}/") == WebhookCounts(failed=1)


def test_who_raises_alarms_does_not_wait_for_a_slow_address() -> None:
    with receiving(200, held=True) as receiver:
        webhook = Webhook(WebhookTarget(url=receiver.url))
        webhook.send(ALARM)
        webhook.send(ALARM)
        assert webhook.counts == WebhookCounts()
        webhook.close(timeout_seconds=0.0)
        receiver.hold.set()


def test_an_answer_that_does_not_come_is_a_failure() -> None:
    with receiving(200, held=True) as receiver:
        counts = sent(receiver.url, timeout_seconds=0.05, pauses_seconds=())
        assert counts == WebhookCounts(failed=1)


@pytest.mark.parametrize(
    ("begin", "again"),
    [(HEAD + b"x-a: ", b"y"), (HEAD, b"x-a: b\r\n"), (b"", b"HTTP/1.1 100 Continue\r\n\r\n")],
)
def test_an_answer_that_drips_holds_up_no_other_alarm(begin: bytes, again: bytes) -> None:
    with endless(begin, again, pause_seconds=0.02) as address:
        counts = sent(address.url, ALARM, ALARM, timeout_seconds=0.3, pauses_seconds=())
        assert counts == WebhookCounts(failed=2)
        assert address.wait_until_left()
        assert address.wait_until_left()


def test_the_body_of_an_answer_is_not_read() -> None:
    with endless(HEAD + b"\r\n", b"x" * 2**16) as address:
        assert sent(address.url) == WebhookCounts(sent=1)
        assert address.wait_until_left()


def test_headers_with_secrets_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALARM_AUTHORIZATION", "Bearer secret")
    with receiving(200) as receiver:
        secret = "headers_env: {authorization: ALARM_AUTHORIZATION}"
        text = f"alarm_webhook: {{url: '{receiver.url}', {secret}}}"
        webhook = alarm_webhook(parse_settings(text))
        assert webhook is not None
        webhook.send(ALARM)
        webhook.close(timeout_seconds=PATIENCE_SECONDS)
        assert receiver.headers[0]["authorization"] == "Bearer secret"


def test_a_secret_that_is_missing_is_told_at_the_start() -> None:
    text = "alarm_webhook: {url: 'http://localhost/', headers_env: {authorization: NOT_SET_HERE}}"
    with pytest.raises(SettingsError, match=r"headers_env\.authorization: .*NOT_SET_HERE"):
        alarm_webhook(parse_settings(text))


@pytest.mark.parametrize("url", ["ftp://example.org", "file:///etc/passwd", "example.org"])
def test_only_web_addresses_are_told(url: str) -> None:
    with pytest.raises(SettingsError, match=r"alarm_webhook\.url"):
        parse_settings(f"alarm_webhook: {{url: '{url}'}}")
