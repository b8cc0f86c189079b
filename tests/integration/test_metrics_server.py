import urllib.request

import pytest

from guard.errors import SettingsError
from guard.telemetry import serve
from guard.telemetry.metrics import Metrics


@pytest.fixture
def server():
    served = serve(Metrics(use_cases=("chat",)))
    yield served
    served.close()


def scrape(url, accept="*/*"):
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=5) as reply:
        return reply.headers["Content-Type"], reply.read().decode()


def test_a_free_port_is_taken_on_localhost_and_told(server):
    assert server.url == f"http://127.0.0.1:{server.port}/metrics"
    kind, body = scrape(server.url)
    assert kind.startswith("text/plain")
    assert 'guard_calls_total{use_case="chat",verdict="released"} 0.0' in body


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
