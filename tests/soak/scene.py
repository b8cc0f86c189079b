"""All that runs: a model, Redis, the gateway, an application with a guard, a shadow worker."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.servers import RedisServer
from tests.soak.model import HostileModel

PATIENCE_SECONDS: Final = 120
START_SECONDS: Final = 600
"""A start loads the models of every worker, on a machine that the callers keep busy."""
RETRY_SECONDS: Final = 0.5
_SHORT_LOG: Final = ("--auto-aof-rewrite-min-size", "2mb")
"""An hour of commands in one log takes Redis half a minute to load on a busy machine."""
LIBFAKETIME: Final = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
SETTINGS: Final = """
store: {{url: "{redis}", spool: "{spool}", spool_mb: 64}}
sampling_key_env: EVENGUARD_SOAK_KEY
upstreams:
  main: {{base_url: "{model}", answer_mb: 1, connect_seconds: 20, reply_seconds: 30}}
gateway: {{port: 0, workers: 2, upstream: main}}
review: {{redact: false}}
defaults:
  deadline_ms: 60000
  on_unscored: withhold
  policy: {{toxicity: {{block: 0.5}}}}
  shadow:
    share: 0.0
    attributes: [gender]
    control: false
    max_variants: 1
    generations: 1
    confirmations: 0
    cases_per_day: 1000000
    upstream: main
    parameters: {{model: scripted}}
    attempts: 100
    budget: {{calls_per_minute: 1000000, tokens_per_day: 1000000000, concurrency: 4}}
use_cases:
  chat: {{}}
  shadowed: {{shadow: {{share: 1.0}}}}
  asgi: {{}}
  langchain: {{}}
"""


class Service:
    """A process with a guard in it, started again whenever it has ended, as by an orchestrator.

    prints: what it prints before its address; None where it has none. gave_up: how often it ended
    by itself.
    """

    def __init__(
        self, name: str, command: list[str], folder: Path, prints: str | None = None
    ) -> None:
        self.name = name
        self._command = command
        self._folder = folder
        self._prints = prints
        self._process: subprocess.Popen[str] | None = None
        self.log = folder / f"{name}.log"
        self.address = ""
        self.starts = self.gave_up = 0

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def family(self) -> list[int]:
        """It and the processes it started, oldest first."""
        return [self.pid, *children_of(self.pid)]

    @property
    def has_ended(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    def start(self, environment: dict[str, str]) -> None:
        """Start, and wait until it says where it listens; again if it ends before that."""
        give_up = time.monotonic() + START_SECONDS
        while not self._has_started(environment):
            assert time.monotonic() < give_up, f"{self.name} does not start: {self.log}"
            self.gave_up += 1
            time.sleep(RETRY_SECONDS)

    def _has_started(self, environment: dict[str, str]) -> bool:
        self.starts += 1
        with self.log.open("a") as log:
            self._process = subprocess.Popen(
                self._command,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=self._folder,
                env={**os.environ, **environment},
            )
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=read_all, args=(self._process, lines), daemon=True).start()
        while self._prints is not None:
            try:
                line = lines.get(timeout=START_SECONDS)
            except queue.Empty:
                raise AssertionError(f"{self.name} says nothing: {self.log}") from None
            if not line:
                return False
            if line.startswith(self._prints):
                self.address = line.removeprefix(self._prints).strip().rstrip("/")
                break
        return True

    def kill(self) -> None:
        """kill -9."""
        os.kill(self.pid, signal.SIGKILL)
        assert self._process is not None
        self._process.wait(PATIENCE_SECONDS)

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(PATIENCE_SECONDS)


def read_all(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    """What a process prints, and an empty line when it has ended."""
    assert process.stdout is not None
    with process.stdout as out:
        for line in out:
            lines.put(line)
    lines.put("")


def children_of(pid: int) -> list[int]:
    """The processes that this one has started; none where it is gone."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


class Disk:
    """A small disk of its own for the spools, where that may be made; it can be full."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "disk"
        self.folder.mkdir()
        self.mounted = os.geteuid() == 0 and not subprocess.call(
            ["mount", "-t", "tmpfs", "-o", "size=16m", "soak", str(self.folder)]
        )

    def fill(self) -> None:
        """To the last byte."""
        with suppress(OSError), (self.folder / "ballast").open("wb", buffering=0) as ballast:
            while True:
                ballast.write(bytes(4096))

    def free(self) -> None:
        """There is room again."""
        (self.folder / "ballast").unlink(missing_ok=True)

    def close(self) -> None:
        """Away with it."""
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.folder)], check=False)


class Scene:
    """All of it in one folder. can_set_clock: whether libfaketime is there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.disk = Disk(folder)
        self.redis = RedisServer(
            folder / "redis", options=_SHORT_LOG, patience_seconds=START_SECONDS
        )
        self.model = HostileModel()
        self.settings = folder / "guard.yaml"
        self.can_set_clock = LIBFAKETIME.exists()
        self._clock = folder / "clock"
        guard = [sys.executable, "-m", "guard"]
        where = ["--settings", str(self.settings)]
        self.gateway = Service("gateway", [*guard, "serve", *where], folder, "gateway: ")
        self.shadow = Service("shadow", [*guard, "shadow", *where, "--nice", "0"], folder)
        embedded = [sys.executable, "-m", "tests.soak.embedded", str(self.settings)]
        self.embedded = Service("embedded", embedded, folder, "http")
        self.services = (self.gateway, self.shadow, self.embedded)

    def open(self) -> None:
        """Start everything."""
        self.set_clock(0)
        self.redis.start()
        self.model.__enter__()
        text = SETTINGS.format(
            redis=self.redis.url, spool=self.disk.folder / "spool", model=self.model.base_url
        )
        self.settings.write_text(text, encoding="utf-8")
        for service in self.services:
            self.start(service)

    def start(self, service: Service) -> None:
        """Start a service, with the clock that can be set."""
        service.start(self._environment())
        if service is self.embedded:
            service.address = f"http{service.address}"

    def set_clock(self, seconds: int) -> None:
        """Ahead of the right time by so much, for every process of the guard."""
        self._clock.write_text(f"{seconds:+d}\n", encoding="utf-8")

    def close(self) -> None:
        """End what is left."""
        for service in self.services:
            with suppress(OSError, AssertionError):
                service.kill()
        self.model.__exit__(None, None, None)
        self.redis.stop()
        self.disk.close()

    def _environment(self) -> dict[str, str]:
        given = {"EVENGUARD_SOAK_KEY": "the same in every process", "PYTHONPATH": os.getcwd()}  # noqa: PTH109
        if not self.can_set_clock:
            return given
        return given | {
            "LD_PRELOAD": str(LIBFAKETIME),
            "FAKETIME_TIMESTAMP_FILE": str(self._clock),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
