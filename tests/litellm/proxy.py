"""The LiteLLM proxy as a process of its own, started and ended by a test."""

from __future__ import annotations

import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest
import yaml

from tests.servers import free_port

PROGRAM = Path(__file__).parents[2] / ".venv-litellm" / "bin" / "litellm"
PYTHON = PROGRAM.with_name("python")
MASTER_KEY = "sk-proxy-0123456789"
START_SECONDS = 300
ENVIRONMENT = {
    "LITELLM_ENABLE_MCP_STDIO": "true",
    # Without this it refuses modes of MCP for this guardrail when it starts.
    "LITELLM_STRICT_GUARDRAIL_MODES": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOG": "ERROR",
    "LITELLM_TELEMETRY": "False",
}


@dataclass(frozen=True, kw_only=True)
class GuardrailEntry:
    """An entry of `guardrails` in its settings. more: of its `litellm_params`."""

    name: str
    api_base: str
    mode: str | list[str] = "post_call"
    api_key: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def as_setting(self) -> dict[str, Any]:
        shown = {
            "guardrail": "generic_guardrail_api",
            "mode": self.mode,
            "api_base": self.api_base,
            **({} if self.api_key is None else {"api_key": self.api_key}),
            **self.more,
        }
        return {"guardrail_name": self.name, "litellm_params": shown}


class LiteLLMProxy:
    """A proxy that answers by the time it is entered.

    base_url: of the model. more: further keys of its settings. `log`: what it wrote.
    """

    def __init__(
        self,
        folder: Path,
        base_url: str,
        guardrails: Iterable[GuardrailEntry],
        **more: Any,
    ) -> None:
        if not PROGRAM.exists():
            pytest.fail(f"{PROGRAM} is missing: make test-litellm")
        self._settings = folder / "config.yaml"
        model = {"model": "openai/scripted", "api_base": base_url, "api_key": "sk-upstream"}
        settings = {
            "model_list": [{"model_name": "scripted", "litellm_params": model}],
            "general_settings": {"master_key": MASTER_KEY},
            "litellm_settings": {"num_retries": 0},
            "guardrails": [one.as_setting() for one in guardrails],
            **more,
        }
        self._settings.write_text(yaml.safe_dump(settings), encoding="utf-8")
        self._log = folder / "litellm.log"
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def origin(self) -> str:
        """Where it listens, as in http://127.0.0.1:PORT."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def __enter__(self) -> Self:
        options = ("--host", "127.0.0.1", "--port", str(self._port), "--num_workers", "1")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [str(PROGRAM), "--config", str(self._settings), *options],
                stdout=log,
                stderr=log,
                env={**os.environ, **ENVIRONMENT},
                cwd=self._log.parent,
            )
        try:
            self._wait()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def _wait(self) -> None:
        give_up = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self._process is not None
            if self._process.poll() is not None or time.monotonic() > give_up:
                pytest.fail(f"the proxy does not answer:\n{self.log[-4000:]}")
            time.sleep(0.2)

    def _answers(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.origin}/health/liveliness", timeout=5).close()
        except (urllib.error.URLError, OSError):
            return False
        return True

    def _stop(self) -> None:
        assert self._process is not None
        self._process.terminate()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
