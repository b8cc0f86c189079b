import socket
import threading
import time
import urllib.error
import urllib.request

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import GaugeMetricFamily

from guard.errors import SettingsError
from guard.telemetry import serve, serving
from guard.telemetry.metrics import Metrics
from guard.telemetry.serving import MAX_CONNECTIONS
from tests.servers import PATIENCE_SECONDS


@pytest.fixture
def server():
    served = serve(Metrics(use_cases=("chat",)))
    yield served
    served.close()


def scrape(url, accept="*/*"):
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as reply:
        return reply.headers["Content-Type"], reply.read().decode()


def test_a_free_port_is_taken_on_localhost_and_told(server):
    assert server.url == f"http://127.0.0.1:{server.port}/metrics"
    kind, body = scrape(server.url)
    assert kind.startswith("text/plain")
    assert 'guard_calls_total{use_case="chat",verdict="released"} 0.0' in body


class Collected:
    """Metrics that nobody has described, as those collected from several processes."""

    def __init__(self):
        self.registry = CollectorRegistry()
        self.registry.register(self)

    def collect(self):
        yield GaugeMetricFamily("guard_things", "Things.", 3)


def test_a_query_hides_no_metric():
    served = serve(Collected())
    try:
        _, body = scrape(f"{served.url}?name[]=guard_things")
    finally:
        served.close()
    assert "guard_things 3.0" in body


def test_openmetrics_when_asked_for(server):
    kind, body = scrape(server.url, "application/openmetrics-text; version=1.0.0")
    assert kind.startswith("application/openmetrics-text")
    assert body.endswith("# EOF\n")


def test_a_taken_port_is_a_clear_error(server):
    with pytest.raises(SettingsError, match=rf"127\.0\.0\.1:{server.port}: Address already in use"):
        serve(Metrics(), port=server.port)


def test_nothing_listens_after_close():
    served = serve(Metrics())
    served.close()
    with pytest.raises(OSError, match="refused"):
        scrape(served.url)


def test_an_ipv6_host_is_bracketed():
    try:
        served = serve(Metrics(), host="::1")
    except SettingsError:
        pytest.skip("no IPv6 here")
    served.close()
    assert served.url.startswith("http://[::1]:")


@pytest.mark.parametrize("half", [b"", b"GET /met", b"GET /metrics HTTP/1.1\r\nhost: he"])
def test_requests_without_end_keep_no_scraper_out(server, half):
    threads, opened = threading.active_count(), []
    for _ in range(3 * MAX_CONNECTIONS):
        opened.append(socket.create_connection((server.host, server.port), PATIENCE_SECONDS))
        opened[-1].sendall(half)
    assert "guard_calls_total" in scrape(server.url)[1]
    for early in opened[: 2 * MAX_CONNECTIONS]:
        assert not early.recv(1)
    give_up = time.monotonic() + PATIENCE_SECONDS
    while threading.active_count() > threads + MAX_CONNECTIONS:
        assert time.monotonic() < give_up
        time.sleep(0.01)
    for one in opened:
        one.close()


def test_who_does_not_go_on_is_let_go(server, monkeypatch, capsys):
    monkeypatch.setattr(serving._MetricsHandler, "timeout", 0.05)
    with socket.create_connection((server.host, server.port), PATIENCE_SECONDS) as slow:
        slow.sendall(b"GET /metrics HTTP/1.1\r\n")
        assert not slow.recv(1)
    assert "guard_calls_total" in scrape(server.url)[1]
    assert capsys.readouterr().err == ""


class TooSlow:
    def collect(self):
        raise TimeoutError


def test_figures_that_are_not_there_in_time_are_a_status_and_no_traceback(capfd):
    metrics = Metrics()
    metrics.registry.register(TooSlow())
    served = serve(metrics)
    try:
        with pytest.raises(urllib.error.HTTPError) as caught:
            scrape(served.url)
        assert caught.value.code == 503
        assert b"scrape again" in caught.value.read()
    finally:
        served.close()
    assert "Traceback" not in capfd.readouterr().err
