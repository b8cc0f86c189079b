"""What holds for every test."""

from __future__ import annotations

import gc
import signal
import socket
import time
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings

from tests.repeats import QUICK, repeats
from tests.servers import RedisServer

ALONE = {"unit", "property"}
TRACED = [
    "integration/test_collector_answers.py",
    "integration/test_opentelemetry.py",
    "unit/gateway/judging/test_request_span.py",
    "unit/shadow/test_job_spans.py",
    "unit/telemetry/test_call_spans.py",
    "unit/telemetry/test_span_attributes.py",
    "unit/wrap/test_langchain_spans.py",
]
"""Tests of the extra `otel`: an environment without it runs all others."""


def _is_installed(*modules: str) -> bool:
    try:
        return all(find_spec(module) for module in modules)
    except ModuleNotFoundError:  # a package around it
        return False


EXPORTER = "opentelemetry.exporter.otlp.proto.http"
collect_ignore = [] if _is_installed("opentelemetry.sdk", EXPORTER) else TRACED

TEST_SECONDS = repeats(600, soak=0)
"""A test that takes longer hangs. It ends with an error at its step, long before the process that
runs it would be killed. 0: no limit.
"""


class HungTestError(BaseException):
    """Nothing under test may take it for an error of its own: not an Exception, nor an OSError."""


USUAL_HANDLERS = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}

# A slow moment of the machine is no finding.
settings.register_profile(
    "house", deadline=None, max_examples=10 if QUICK else repeats(40, soak=1000)
)
settings.load_profile("house")


def pytest_sessionstart() -> None:
    """Commands that tests start hear SIGINT and SIGHUP, also where a shell in the background or
    `nohup` starts pytest.

    Such a shell ignores the one and `nohup` the other, and what they start inherits that.
    """
    for number, usual in USUAL_HANDLERS.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is loaded with the tests stays: no collection of garbage looks through it again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    before = signal.signal(signal.SIGALRM, _end_test)
    signal.alarm(TEST_SECONDS)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True)
def _alone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unit and property tests reach no network and never sleep."""
    if not ALONE & set(request.node.path.relative_to(Path(__file__).parent).parts[:1]):
        return
    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, _refuse_network)
    monkeypatch.setattr(socket, "getaddrinfo", _refuse_network)
    monkeypatch.setattr(time, "sleep", _refuse_sleep)


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One that all tests share, each under prefixes of its own; what kills it starts its own."""
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


def _end_test(*_: object) -> NoReturn:
    raise HungTestError(f"the test has not ended after {TEST_SECONDS} s")


def _refuse_network(*args: object, **kwargs: object) -> NoReturn:
    raise AssertionError("unit and property tests reach no network: use a fake")


def _refuse_sleep(seconds: float) -> NoReturn:
    raise AssertionError("unit and property tests never sleep: pass a clock, or wait for an event")
