"""`guard serve` as a process of its own, started and ended by a test."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import IO, Self

PATIENCE_SECONDS = 60


class Gateway:
    """A gateway that answers by the time it is entered, and ends well or fails the test.

    settings: guard.yaml. environment: beside that of the tests. `log`: what it wrote beside its
    addresses.
    """

    def __init__(
        self, folder: Path, settings: str, *, environment: dict[str, str] | None = None
    ) -> None:
        self._settings = folder / "guard.yaml"
        self._settings.write_text(settings, encoding="utf-8")
        self._log = folder / "log"
        self._folder = folder
        self._environment = {**os.environ, **(environment or {})}
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._process: subprocess.Popen[str] | None = None
        self._addresses: dict[str, str] = {}

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "guard", "serve", "--settings", str(self._settings)]
        with self._log.open("a") as log:
            self._process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=self._folder,
                env=self._environment,
            )
        assert self._process.stdout is not None
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()
        try:
            self.at("gateway")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        code = self.stop()
        assert kind is not None or code == 0, self.log
        assert kind is not None or "Traceback" not in self.log, self.log

    @property
    def origin(self) -> str:
        """Where it listens, as in http://127.0.0.1:PORT."""
        return self.at("gateway").rstrip("/")

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def base_url(self, use_case: str = "") -> str:
        """What a client is given."""
        return f"{self.origin}/{use_case}/v1" if use_case else f"{self.origin}/v1"

    def at(self, what: str) -> str:
        """The address of one of its listeners, waited for."""
        while what not in self._addresses:
            line = self._lines.get(timeout=PATIENCE_SECONDS)
            assert line is not None, f"guard serve has ended:\n{self.log}"
            name, _, address = line.strip().partition(": ")
            self._addresses[name] = address
        return self._addresses[what]

    def ask_to_end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """A signal, and do not wait."""
        assert self._process is not None
        self._process.send_signal(number)

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        assert self._process is not None
        if self._process.poll() is None:
            self.ask_to_end()
        try:
            return self._process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise

    def _read(self, out: IO[str]) -> None:
        with out:
            for line in out:
                self._lines.put(line)
        self._lines.put(None)
