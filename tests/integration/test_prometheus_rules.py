"""What Prometheus is given to load, judged by Prometheus's own tool."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from guard.telemetry import names
from tests.servers import need

FOLDER = Path(__file__).parents[2] / "exporters/prometheus"
RULES = ("rules.yml", "alerts.yml")
SERIES = re.compile(r"(?<![:\w])guard_[a-z0-9_]+")
DERIVED = re.compile(r"(?:_bucket|_count|_sum|_total)$")


def promtool(*arguments):
    """Run it where the files are. Raises AssertionError with what it says."""
    tool = need("promtool", package="prometheus")
    run = subprocess.run(
        [tool, *arguments], cwd=FOLDER, capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout + run.stderr


def rules(file):
    groups = yaml.safe_load((FOLDER / file).read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_the_configuration_is_valid_and_finds_its_rules():
    assert "2 rule files found" in promtool("check", "config", "prometheus.yml")


@pytest.mark.parametrize("file", RULES)
def test_rules_are_valid(file):
    assert f"{len(rules(file))} rules found" in promtool("check", "rules", file)


@pytest.mark.parametrize("file", ["rules_test.yml", "alerts_test.yml"])
def test_rules_do_what_their_tests_say(file):
    assert "SUCCESS" in promtool("test", "rules", file)


def test_every_rule_has_a_test():
    tests = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*_test.yml"))
    named = {rule.get("alert") or rule["record"] for file in RULES for rule in rules(file)}
    assert {name for name in named if name not in tests} == set()


@pytest.mark.parametrize("rule", rules("alerts.yml"), ids=lambda rule: rule["alert"])
def test_an_alert_that_never_fires_is_found_by_the_tests(rule, tmp_path):
    """The tests of the rules can fail: with any one alert silenced they do."""
    for path in FOLDER.glob("*.yml"):
        shutil.copy(path, tmp_path)
    alerts = yaml.safe_load((FOLDER / "alerts.yml").read_text(encoding="utf-8"))
    for other in (other for group in alerts["groups"] for other in group["rules"]):
        if other["alert"] == rule["alert"]:
            other["expr"] = "vector(0) > 1"
    (tmp_path / "alerts.yml").write_text(yaml.safe_dump(alerts), encoding="utf-8")
    with pytest.raises(AssertionError, match="FAILED"):
        promtool("test", "rules", str(tmp_path / "alerts_test.yml"))


@pytest.mark.parametrize("rule", rules("alerts.yml"), ids=lambda rule: rule["alert"])
def test_an_alert_says_what_to_do_and_how_soon(rule):
    assert rule["labels"]["severity"] in {"page", "ticket"}
    assert rule["annotations"]["summary"]
    assert "Do: " in rule["annotations"]["description"]
    words = str(rule["annotations"]).lower()
    assert not re.search(r"unbiased|proves|is fair\b|is biased|discriminat", words)


@pytest.mark.parametrize("file", [*RULES, "rules_test.yml", "alerts_test.yml"])
def test_only_series_that_exist_are_spoken_of(file):
    exported = {series.name for series in names.ALL}
    spoken = set(SERIES.findall((FOLDER / file).read_text(encoding="utf-8")))
    assert {name for name in spoken if DERIVED.sub("", name) not in exported} == set()
