"""What is said of a server that cannot be used."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from redis import exceptions

from guard.errors import SettingsError, StoreError
from guard.records import Posting
from guard.store.common import StoreOptions
from guard.store.redis import read_address
from guard.store.redis.server import describe_error
from guard.store.redis.store import RedisStore

OPTIONS = StoreOptions(clock=lambda: 0.0, bucket_seconds=60.0, max_jobs=9, new_token=lambda: "t")


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


@pytest.mark.parametrize("answer", ["OK", 1, 0, None, [1], [], [1, 2], [1, [], 3]])
def test_what_is_no_answer_of_a_script_says_nothing_about_records(answer: object) -> None:
    client: Any = SimpleNamespace(shown="redis://x", run=lambda *_, **__: answer)
    store = RedisStore(client, OPTIONS)
    with pytest.raises(StoreError, match=r"what Redis does not.*store\.url"):
        store.add([Posting(use_case="chat", at_seconds=0.0, sums={"n": 1.0})])
    assert store.left_out == 0


def test_options_of_tls_want_tls() -> None:
    with pytest.raises(SettingsError, match="rediss://"):
        read_address("redis://localhost:6379/0?ssl_ca_certs=x.pem")
    assert read_address("rediss://localhost:6379/0?ssl_ca_certs=x.pem").url.endswith("x.pem")
