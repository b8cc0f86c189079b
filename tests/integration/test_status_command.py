"""`guard status` as an owner runs it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from guard.bootstrap.shadow import test_families as families_of
from guard.cli.main import main
from guard.fairness.catalogue import SHADOW_RESULTS, result_tally
from guard.fairness.tally import merged
from guard.ports import Store
from guard.records import Posting
from guard.settings import load_settings
from guard.shadow.monitor import EvidenceMonitor, MonitoredUseCase
from guard.store import open_store
from tests.unit.review.made import pair

RESULTS = {
    ("gender", "compared"): 60,
    ("gender", "deterministic"): 9,
    ("gender", "repeated"): 3,
    ("gender", "skipped_calls"): 4,
    ("gender", "flagged"): 7,
    ("gender", "confirmed"): 2,
    ("gender", "not_confirmed"): 5,
    ("gender", "over_cap"): 1,
    ("", "not_text"): 2,
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "guard.yaml"
    path.write_text(
        f"version: 1\nstore: {{url: 'sqlite:///{tmp_path}/kept.db'}}\n"
        "use_cases:\n  chat: {shadow: {share: 1.0, attributes: [gender]}}\n"
    )
    return path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(f"sqlite:///{tmp_path}/kept.db", clock=time.time)
    yield store
    store.shut()


@pytest.fixture
def biased(store: Store, file: Path) -> None:
    """Sixty calls in which replies about women are less positive, and an open case."""
    tests = families_of(load_settings(file))["chat"]
    monitor = EvidenceMonitor(store, {"chat": MonitoredUseCase(tests=tests)})
    (tone,) = (one for one in tests if one.metric == "sentiment_gap_grounded")
    test = tone.of_group("female")
    filed = monitor.by_epoch("chat", {test.name: merged([test.tally(-0.3)] * 60)})
    evidence = {**filed, SHADOW_RESULTS: result_tally(RESULTS)}
    store.add([Posting(use_case="chat", at_seconds=time.time(), evidence=evidence)])
    monitor.check()
    store.open(pair("one", use_case="chat", attribute="gender"))


def status(file: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["status", "--settings", str(file), *arguments])


def test_before_any_call_it_says_so(store: Store, file: Path) -> None:
    done = status(file)
    assert done.exit_code == 0, done.output
    assert "chat / gender: 0 pairs compared" in done.stdout


@pytest.mark.usefixtures("biased")
def test_it_tells_what_differs_by_how_much_and_where_the_cases_are(file: Path) -> None:
    done = status(file)
    assert done.exit_code == 0, done.output
    assert (
        "60 pairs compared; replies of 9 pairs do not vary: 3 were counted before;"
        " 4 skipped (call budget used up 4)"
    ) in " ".join(done.stdout.split())
    assert (
        "7 pairs flagged as unusual: 2 confirmed: the difference persisted, 5 not confirmed;"
        " 1 cases over the cap of the day"
    ) in done.stdout
    assert "chat: 2 sampled calls not asked again (not text alone 2)" in done.stdout
    assert "differs: an alarm stands" in done.stdout
    assert "-0.300" in done.stdout
    assert "guard review list --use-case chat --attribute gender" in done.stdout


@pytest.mark.usefixtures("biased")
def test_a_machine_gets_all_of_it(file: Path) -> None:
    (found,) = json.loads(status(file, "--json", "--use-case", "chat").stdout)
    assert (found["use_case"], found["attribute"], found["differs"]) == ("chat", "gender", True)
    assert (found["compared"], found["skipped"], found["open_cases"]) == (60, {"calls": 4}, 1)
    flagged = {what: count for what, count in found["flagged"].items() if count}
    assert flagged == {"flagged": 7, "confirmed": 2, "not_confirmed": 5, "over_cap": 1}
    assert found["unvaried"] == {"deterministic": 9, "repeated": 3}
    assert found["use_case_counts"]["left_alone"] == {"not_text": 2}
    (metric,) = found["metrics"]
    assert (metric["metric"], metric["state"]) == ("sentiment_gap_grounded", "differs")
    (group,) = metric["groups"]
    assert (group["group"], group["needed"]) == ("female", None)
    assert group["estimate"]["low"] < -0.3 < group["estimate"]["high"] < 0.0


@pytest.mark.usefixtures("biased")
def test_an_alarm_is_acknowledged_once(store: Store, file: Path) -> None:
    done = status(file, "--acknowledge", "--by", "ada")
    assert done.exit_code == 0, done.output
    assert "acknowledged by ada: sentiment_gap_grounded:gender in chat" in done.stderr
    assert "an alarm stands" not in done.stdout
    again = status(file, "--acknowledge", "--by", "bo")
    assert (again.exit_code, "no alarm stands" in again.stderr) == (0, True)
    noted = [one for one in store.audit() if one.event == "acknowledged"]
    assert {one.actor for one in noted} == {"ada"}
    assert all(one.at_seconds > 0 for one in noted)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--use-case", "nobody"), 2, "no use case 'nobody'; there are: chat (--use-case)"),
        (("--difference", "0"), 2, "--difference"),
        (("--store", "memory:"), 2, "is known to one process alone"),
    ],
)
def test_what_cannot_be_is_said(
    file: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    done = status(file, *arguments)
    assert done.exit_code == code
    assert message in done.stderr
