"""A proxy of the environment is used where it applies, and refused where it cannot be used."""

from __future__ import annotations

import pytest

from guard.errors import SettingsError
from guard.upstream import Endpoint
from guard.upstream.client import proxy_of

HTTPS = Endpoint(name="main", base_url="https://api.example.com:8443/v1")
HTTP = Endpoint(name="main", base_url="http://models.internal/v1")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    ("variables", "https", "http"),
    [
        ({}, None, None),
        ({"HTTPS_PROXY": "http://proxy:3128"}, "http://proxy:3128", None),
        ({"http_proxy": "proxy:3128"}, None, "http://proxy:3128"),
        ({"ALL_PROXY": "http://me:pw@proxy"}, "http://me:pw@proxy", "http://me:pw@proxy"),
        ({"ALL_PROXY": "http://a", "HTTP_PROXY": "http://b"}, "http://a", "http://b"),
        ({"ALL_PROXY": "http://a", "NO_PROXY": "example.com"}, None, "http://a"),
        ({"ALL_PROXY": "http://a", "NO_PROXY": "models.internal, x"}, "http://a", None),
        ({"ALL_PROXY": "http://a", "NO_PROXY": "*"}, None, None),
        ({"HTTPS_PROXY": ""}, None, None),
    ],
)
def test_which_proxy(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], https: str | None, http: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (proxy_of(HTTPS), proxy_of(HTTP)) == (https, http)


def test_a_proxy_that_does_not_speak_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://me:secret@proxy:1080")
    with pytest.raises(SettingsError, match=r"upstreams\.main: .*socks5.*NO_PROXY") as caught:
        proxy_of(HTTPS)
    assert "secret" not in str(caught.value)
