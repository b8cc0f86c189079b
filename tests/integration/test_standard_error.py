"""Processes whose standard error nobody reads: they go on, and end."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.gateway_cases import CHAT, KIND, asking, post
from tests.servers import kill_at_end
from tests.servers_openai import Upstream, says

SECONDS = 60.0


@pytest.fixture
def stalled() -> Iterator[int]:
    """A pipe of one page that nobody reads."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    yield writer
    os.close(reader)
    os.close(writer)


BEGINNING = """
import logging, os, sys, threading, warnings
from guard.bootstrap.standard_error import never_wait_for_readers
never_wait_for_readers()
"""
STALLED = {
    "log": "logging.warning('x' * 9_999_999)",
    "print": "print('x' * 9_999_999, file=sys.stderr)",
    "error": "raise SystemExit('x' * 9_999_999)",
    "traceback": "int('x' * 9_999_999)",
}


@pytest.mark.parametrize("what", STALLED)
def test_a_stalled_reader_does_not_keep_the_process_from_ending(stalled: int, what: str) -> None:
    code = BEGINNING + STALLED[what]
    ended = subprocess.run(
        [sys.executable, "-c", code], stderr=stalled, timeout=SECONDS, check=False
    )
    assert ended.returncode == (0 if what in {"log", "print"} else 1)


ENDINGS = {
    "registered after": "atexit.register(print, 'bye', file=sys.stderr)",
    "registered before": "",
    "registered before, used": "print('used', file=sys.stderr)",
    "fails": "atexit.register(int, 'bye')",
}


@pytest.mark.parametrize("what", ENDINGS)
def test_what_is_said_at_exit_is_heard(what: str) -> None:
    before = what.startswith("registered before")
    register = "import atexit, sys\natexit.register(lambda: print('bye', file=sys.stderr))\n"
    code = (register if before else "import atexit\n") + BEGINNING + ENDINGS[what]
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS, check=True
    )
    assert "bye" in ended.stderr


def test_a_forked_child_writes_by_itself() -> None:
    code = (
        BEGINNING
        + """
logging.warning('parent')
if not (child := os.fork()):
    logging.warning('child')
    sys.exit()
os.waitpid(child, 0)
threading.Thread(target=int, args=('thread',)).start()
warnings.warn('last')
"""
    )
    ended = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    for said in ("parent\n", "child\n", "invalid literal for int() with base 10: 'thread'\n"):
        assert ended.stderr.count(said) == 1
    assert "UserWarning: last" in ended.stderr


SETTINGS = """
upstreams: {{main: {{base_url: "{base_url}"}}}}
gateway: {{port: 0, workers: 2, drain_seconds: 5}}
use_cases: {{chat: {{mode: "off"}}}}
"""


def test_a_gateway_answers_and_obeys_though_nobody_reads_its_log(
    stalled: int, tmp_path: Path
) -> None:
    """Its log of requests fills the pipe, and one of its workers is killed then, which the
    supervisor tells of."""
    file = tmp_path / "guard.yaml"
    command = [sys.executable, "-m", "guard", "serve", "--settings", str(file), "--log-requests"]
    with Upstream() as upstream:
        file.write_text(SETTINGS.format(base_url=upstream.base_url), encoding="utf-8")
        prompt = upstream.plan(says(KIND))
        with (
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stalled, text=True) as process,
            kill_at_end(process),
        ):
            assert process.stdout is not None
            url = process.stdout.readline().removeprefix("gateway: ").strip()
            for asked in range(120):
                answer = post(f"{url}chat/v1{CHAT}", asking(CHAT, prompt))
                assert answer.status == 200
                if asked == 60:
                    kill_a_worker(process.pid)
            process.terminate()
            assert process.wait(SECONDS) == 0


def kill_a_worker(supervisor: int) -> None:
    tasks = Path(f"/proc/{supervisor}/task").iterdir()
    children = [int(one) for task in tasks for one in (task / "children").read_text().split()]
    os.kill(children[0], signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_exporter_ends_though_nobody_reads_what_it_says(
    stalled: int, number: signal.Signals
) -> None:
    os.write(stalled, b"x" * 4096)
    command = [sys.executable, "-m", "guard", "exporter", "--port", "0"]
    command += ["--store", "redis://127.0.0.1:1/0"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stalled, text=True) as process,
        kill_at_end(process),
    ):
        assert process.stdout is not None
        assert process.stdout.readline().startswith("readings: ")
        process.send_signal(number)
        assert process.wait(SECONDS) == 128 + number
