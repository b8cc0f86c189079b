"""The review page as it is served to people: by `guard review serve`, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from tests.servers import PATIENCE_SECONDS, free_port

START_SECONDS = 4 * PATIENCE_SECONDS
"""It loads its libraries first: ten seconds on two cores that fifteen processes want."""
GUARD = str(Path(sys.executable).with_name("guard"))


class ReviewServer:
    """`guard review serve` on a store. It can be killed and started again on the same port."""

    def __init__(self, folder: Path, store_url: str, *, options: tuple[str, ...] = ()) -> None:
        self._folder = folder
        self._store_url = store_url
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return (self._folder / "review.log").read_text(errors="replace")

    def start(self, *, host: str = "") -> None:
        """Start, and wait until it answers. host: by which name, where it has another one."""
        with (self._folder / "review.log").open("ab") as log:
            self._process = subprocess.Popen(self._command(), stdout=log, stderr=log)
        give_up = time.monotonic() + START_SECONDS
        while not self._answers(host):
            if self._process.poll() is not None or time.monotonic() > give_up:
                pytest.fail(f"the review page does not answer:\n{self.log[-2000:]}")
            time.sleep(0.02)

    def kill(self) -> None:
        """kill -9: nothing is flushed, nothing is said."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE_SECONDS)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(PATIENCE_SECONDS)

    def _command(self) -> list[str]:
        where = ["--store", self._store_url, "--port", str(self.port)]
        return [GUARD, "review", "serve", *where, *self._options]

    def _answers(self, host: str) -> bool:
        headers = {"host": host or f"127.0.0.1:{self.port}"}
        try:
            return httpx.get(f"{self.origin}/sign-in", headers=headers, timeout=1).is_success
        except httpx.TransportError:
            return False
