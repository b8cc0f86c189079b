"""What is said of a server that cannot be used."""

from __future__ import annotations

import pytest
from redis import exceptions

from guard.store.redis.server import describe_error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (exceptions.ConnectionError("[SSL: CERTIFICATE_VERIFY_FAILED] failed"), "over TLS"),
        (exceptions.ConnectionError("Error 2. No such file or directory."), "ssl_ca_certs"),
        (exceptions.ConnectionError("Connection refused"), "start it"),
        (exceptions.TimeoutError("Timeout"), "in time"),
        (RecursionError(), "what Redis does not"),
    ],
)
def test_the_fault_is_named(error: Exception, said: str) -> None:
    assert said in describe_error(error)
    assert "store.url" in describe_error(error)
