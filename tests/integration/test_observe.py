"""`make observe`: the demo, and a real Prometheus that watches it with the shipped files."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
import yaml

from tests.repeats import repeats
from tests.servers import PATIENCE_SECONDS, kill_at_end, need

ROOT = Path(__file__).parents[2]
RULES = ("rules.yml", "alerts.yml")
WATCHED = ("guard_calls_total", "guard_store_up", "guard_fairness", "guard_added_seconds_count")

pytestmark = pytest.mark.slow


def asked(url: str, path: str, **query: str) -> dict:
    address = f"{url}api/v1/{path}?{urllib.parse.urlencode(query)}"
    with urllib.request.urlopen(address, timeout=PATIENCE_SECONDS) as reply:
        return json.load(reply)["data"]


def wait_for_series(url: str, name: str) -> None:
    """Until Prometheus has scraped a series of this name."""
    end = time.monotonic() + 2 * PATIENCE_SECONDS
    while not asked(url, "query", query=name)["result"]:
        assert time.monotonic() < end, f"no {name}"
        time.sleep(0.2)


def rules_shipped() -> set[str]:
    files = (ROOT / "exporters/prometheus" / name for name in RULES)
    groups = [group for file in files for group in yaml.safe_load(file.read_text())["groups"]]
    return {group["name"] for group in groups}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM][: repeats(1, soak=2)])
def test_it_watches_the_demo_until_a_signal_and_leaves_nothing(number: int, tmp_path: Path) -> None:
    """From another folder, and twice: nothing of the first time is in the way of the second."""
    need("prometheus", package="prometheus")
    command = [sys.executable, ROOT / "scripts/observe.py", "--review-port", "0"]
    with (
        subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as observed,
        kill_at_end(observed),
    ):
        assert observed.stdout is not None
        said = dict(observed.stdout.readline().strip().split(": ", 1) for _ in range(4))
        assert said.keys() == {"prometheus", "grafana", "metrics", "review"}
        for name in WATCHED:
            wait_for_series(said["prometheus"], name)
        assert set(
            asked(said["prometheus"], "query", query="count(up == 1)")["result"][0]["value"]
        ) >= {"2"}
        loaded = asked(said["prometheus"], "rules")["groups"]
        assert {group["name"] for group in loaded} == rules_shipped()
        observed.send_signal(number)
        output, errors = observed.communicate(timeout=2 * PATIENCE_SECONDS)
    assert (observed.returncode, errors) == (0, "")
    assert "summary after" in output
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(urllib.error.URLError):
        asked(said["prometheus"], "rules")
