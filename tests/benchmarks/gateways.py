"""The processes of a benchmark of gateways: the upstream, ours, and the LiteLLM proxy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from socket import create_server
from typing import Any

from load import Target

HERE = Path(__file__).parent
GUARD = Path(sys.executable).with_name("guard")
KEY = "sk-bench-0123456789abcdef"
START_SECONDS = 120
OURS = """
upstreams:
  bench: {{base_url: "{base_url}", api_key_env: BENCH_UPSTREAM_KEY, reply_seconds: 600}}
gateway:
  concurrency: {concurrency}
  keys:
    - {{name: bench, key_env: BENCH_KEY}}
scoring: {{cache_mb: {cache_mb}}}
use_cases:
  passed: {{mode: "off"}}
  judged: {{mode: enforce, deadline_ms: {deadline_ms}}}
"""
THEIRS = """
model_list:
  - model_name: bench
    litellm_params: {{model: openai/gpt-4o-mini, api_base: "{base_url}", api_key: sk-upstream}}
general_settings: {{master_key: {key}}}
{guardrails}
"""


class Process:
    """A program that was started and will be ended."""

    def __init__(self, target: Target, running: subprocess.Popen[str]) -> None:
        self.target = target
        self.pid = running.pid

    def told(self, path: str) -> Any:
        """The JSON that a GET gives."""
        with urllib.request.urlopen(f"{self.target.url}{path}") as answer:
            return json.load(answer)

    def family(self) -> list[int]:
        """It and the processes it started."""
        found, more = list[int](), [self.pid]
        while more:
            found += more
            more = [child for parent in more for child in _children(parent)]
        return found

    def resident_mb(self) -> float:
        """Memory of all of them that is theirs, or shared among them, counted once."""
        return sum(_proportional_kb(pid) for pid in self.family()) / 1024

    def descriptors(self) -> int:
        """Open files, sockets and pipes of all of them."""
        return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in self.family())  # noqa: PTH208


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(one) for task in tasks for one in (task / "children").read_text().split()]


def _proportional_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


@contextmanager
def process(
    *command: object, environment: Mapping[str, str] | None = None, log: Path | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Started, and ended at the end. log: where its errors go; left out: here."""
    with log.open("w") if log else open(os.devnull) as errors:  # noqa: PTH123
        running = subprocess.Popen(
            list(map(str, command)),
            stdout=subprocess.PIPE,
            stderr=errors if log else None,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        try:
            yield running
        finally:
            running.terminate()
            running.communicate()


@contextmanager
def upstream() -> Iterator[Process]:
    """The model of our own, cheap to ask."""
    with process(sys.executable, HERE / "fast_upstream.py") as running:
        yield Process(Target(url=_first_line(running).removesuffix("/v1")), running)


@contextmanager
def ours(
    base_url: str,
    *,
    concurrency: int = 512,
    deadline_ms: int = 1000,
    cache_mb: float = 16,
) -> Iterator[Process]:
    """`guard serve` in front of the upstream; use cases `passed` and `judged`."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "guard.yaml"
        settings.write_text(
            OURS.format(
                base_url=base_url,
                concurrency=concurrency,
                deadline_ms=deadline_ms,
                cache_mb=cache_mb,
            )
        )
        keys = {"BENCH_KEY": KEY, "BENCH_UPSTREAM_KEY": "sk-upstream"}
        command = (GUARD, "serve", "--settings", settings, "--port", "0")
        with process(*command, environment=keys) as running:
            while not (line := _first_line(running)).startswith("gateway: "):
                pass
            yield Process(_judged(line.removeprefix("gateway: ").rstrip("/")), running)


@contextmanager
def litellm(python: str, base_url: str, guardrails: str = "") -> Iterator[Process]:
    """The LiteLLM proxy in front of the same upstream, with one worker, as for production.

    The model is one whose price it knows, which saves it the search. guardrails: that section of
    its settings.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "config.yaml"
        settings.write_text(THEIRS.format(base_url=base_url, key=KEY, guardrails=guardrails))
        port = _free_port()
        options = ("--host", "127.0.0.1", "--port", port, "--num_workers", 1)
        program = Path(python).with_name("litellm")
        quiet = {"LITELLM_LOG": "ERROR", "LITELLM_MODE": "PRODUCTION", "LITELLM_TELEMETRY": "False"}
        quiet["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or it tries for seconds to fetch one
        log = Path(folder) / "log"
        command = (program, "--config", settings, *options)
        with process(*command, environment=quiet, log=log) as running:
            target = Target(url=f"http://127.0.0.1:{port}", key=KEY)
            _await_health(f"{target.url}/health/liveliness", running)
            yield Process(target, running)


def passed(gateway: Process) -> Target:
    """Ours, where replies pass unread."""
    return Target(url=gateway.target.url, key=KEY, path="/passed/v1/chat/completions")


def _judged(url: str) -> Target:
    return Target(url=url, key=KEY, path="/judged/v1/chat/completions")


def _first_line(running: subprocess.Popen[str]) -> str:
    assert running.stdout is not None
    line = running.stdout.readline().strip()
    if not line and running.poll() is not None:
        raise SystemExit(f"{running.args!r} ended with {running.returncode}")
    return line


def _free_port() -> int:
    with closing(create_server(("127.0.0.1", 0))) as made:
        return int(made.getsockname()[1])


def _await_health(url: str, running: subprocess.Popen[str]) -> None:
    until = time.monotonic() + START_SECONDS
    while running.poll() is None and time.monotonic() < until:
        try:
            urllib.request.urlopen(url, timeout=2).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
        else:
            return
    raise SystemExit(f"{running.args!r} does not answer at {url}")
