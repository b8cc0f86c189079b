"""An address or a key that cannot be is an error that names the setting and keeps the secret."""

from __future__ import annotations

import pytest

from guard.errors import SettingsError
from guard.upstream import Endpoint


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("api.example.com/v1", "must begin with http"),
        ("ftp://api.example.com", "must begin with http"),
        ("https://", "must begin with http"),
        ("https://me:secret@api.example.com/v1", "must not hold a password"),
        ("https://api.example.com/v1?key=1", "without \\? and #"),
        ("https://api.example.com:port/v1", "is no address"),
    ],
)
def test_an_address_that_cannot_be(url: str, said: str) -> None:
    with pytest.raises(SettingsError, match=f"upstreams.main.base_url: .*{said}") as caught:
        Endpoint(name="main", base_url=url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["secret\n", "secret key", "sécret", "\x00secret"])
def test_a_key_that_cannot_be(key: str) -> None:
    with pytest.raises(SettingsError, match=r"upstreams\.main\.api_key_env") as caught:
        Endpoint(name="main", base_url="https://api.example.com/v1", api_key=key)
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize("base_url", ["https://a.example/v1", "https://a.example/v1/"])
def test_operations_lie_below_the_address(base_url: str) -> None:
    endpoint = Endpoint(name="main", base_url=base_url, api_key="secret")
    assert endpoint.at("/models") == "https://a.example/v1/models"
    assert "secret" not in repr(endpoint)
