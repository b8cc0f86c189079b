"""Real servers for tests: started on a free port, in a folder of their own, and ended again."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PATIENCE_SECONDS = 30


def need(program: str, *, package: str) -> str:
    """The path of a program that tests start.

    Where it is missing the test is skipped with how to install it; in CI it fails.
    """
    path = shutil.which(program)
    if path is None:
        hint = f"{program} is missing: make servers, or apt-get install {package}"
        if os.environ.get("CI") == "true":
            pytest.fail(hint)
        pytest.skip(hint)
    return path


def free_port() -> int:
    with socket.socket() as lone:
        lone.bind(("127.0.0.1", 0))
        return int(lone.getsockname()[1])


@contextmanager
def kill_at_end(process: subprocess.Popen[Any]) -> Iterator[None]:
    """However the block ends: `with Popen` alone waits for good where a test fails half-way."""
    try:
        yield
    finally:
        process.kill()


class RedisServer:
    """A redis-server that keeps every change on disk before it answers.

    With `appendfsync everysec` a server that is killed while a sync is under way loses up to two
    seconds of what it has answered already: Redis holds back its writes meanwhile. `always` loses
    nothing.
    options: more of its command line, like `("--requirepass", "secret")`. patience_seconds: for it
    to load its data.
    """

    def __init__(
        self,
        folder: Path,
        *,
        options: tuple[str, ...] = (),
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._program = need("redis-server", package="redis-server")
        self._folder = folder
        self._options = options
        self._patience_seconds = patience_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self, *more: str) -> None:
        """Start, with more options if wanted, and wait until it has loaded its data and answers."""
        self.launch(*more)
        self._wait()

    def launch(self, *more: str) -> None:
        """Start, and do not wait."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen([*self._command(), *more], stdout=log, stderr=log)

    def kill(self) -> None:
        """kill -9: nothing is flushed, nothing is said."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def freeze(self) -> None:
        """Still there and connected, and does not answer until `thaw`."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def _command(self) -> list[str]:
        options = ("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self._folder))
        kept = ("--appendonly", "yes", "--appendfsync", "always", "--save", "")
        return [self._program, *options, *kept, *self._options]

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE_SECONDS)
            self._process = None

    def _wait(self) -> None:
        give_up = time.monotonic() + self._patience_seconds
        while not self._answers():
            assert self._process is not None
            log = (self._folder / "log").read_text(errors="replace")
            if self._process.poll() is not None or time.monotonic() > give_up:
                pytest.fail(f"redis-server does not answer on port {self.port}:\n{log[-2000:]}")
            time.sleep(0.01)

    def _answers(self) -> bool:
        """Whether it answers a PING with anything but that it is still loading."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                answer = connection.recv(64)
                return bool(answer) and not answer.startswith(b"-LOADING")
        except OSError:
            return False


class Sentinel(RedisServer):
    """A redis-server that watches others and keeps nothing. It wants a file that it can write."""

    def _command(self) -> list[str]:
        file = self._folder / "sentinel.conf"
        file.write_text(f"port {self.port}\nbind 127.0.0.1\ndir {self._folder}\n")
        return [self._program, str(file), "--sentinel"]
