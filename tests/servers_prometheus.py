"""A real Prometheus with the shipped configuration, asked over its API."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from tests.servers import PATIENCE_SECONDS, free_port, need

FILES = Path(__file__).parents[1] / "exporters/prometheus"


class Prometheus:
    """Runs with a configuration and a storage of its own."""

    def __init__(self, folder: Path, configuration: dict[str, object]) -> None:
        program = need("prometheus", package="prometheus")
        self._url = f"http://127.0.0.1:{free_port()}"
        (folder / "prometheus.yml").write_text(yaml.safe_dump(configuration), encoding="utf-8")
        command = (
            program,
            f"--config.file={folder}/prometheus.yml",
            f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address={self._url.removeprefix('http://')}",
        )
        with (folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        self._log = folder / "log"

    def ask(self, expression: str) -> dict[tuple[tuple[str, str], ...], float]:
        """Labels to value, as of now."""
        query = urllib.parse.urlencode({"query": expression})
        with urllib.request.urlopen(f"{self._url}/api/v1/query?{query}", timeout=10) as reply:
            result = json.load(reply)["data"]["result"]
        return {tuple(sorted(one["metric"].items())): float(one["value"][1]) for one in result}

    def one(self, expression: str) -> float | None:
        """The value of an expression that has one or none."""
        found = list(self.ask(expression).values())
        assert len(found) <= 1, found
        return found[0] if found else None

    def wait_for(self, expression: str, value: float) -> None:
        """Until an expression has this value."""
        end, seen = time.monotonic() + PATIENCE_SECONDS, None
        while time.monotonic() < end:
            try:
                seen = self.one(expression)
            except urllib.error.URLError:
                seen = None
            if seen == value:
                return
            assert self._process.poll() is None, self._log.read_text()
            time.sleep(0.1)
        pytest.fail(f"{expression} is {seen} and not {value}")

    def wait_until(self, expression: str, seconds: float) -> None:
        """Until an expression has any value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with suppress(urllib.error.URLError):
                if self.ask(expression):
                    return
            assert self._process.poll() is None, self._log.read_text()
            time.sleep(0.2)
        pytest.fail(f"{expression} has no value after {seconds:g} s")

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE_SECONDS)


def shipped_configuration(replicas: list[str], exporters: list[str]) -> dict[str, object]:
    """The shipped configuration, with these targets and without waiting a quarter of a minute."""
    shipped = yaml.safe_load((FILES / "prometheus.yml").read_text(encoding="utf-8"))
    shipped["global"] = {"scrape_interval": "1s", "scrape_timeout": "1s"}
    shipped["rule_files"] = [str(FILES / name) for name in shipped["rule_files"]]
    for job, targets in zip(shipped["scrape_configs"], (replicas, exporters), strict=True):
        job["static_configs"] = [{"targets": [target(url) for url in targets]}]
        job["scrape_timeout"] = "1s"
    return shipped


def target(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc
