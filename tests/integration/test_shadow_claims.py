"""Claims of sampled calls from a guarded call to the review page, by a model in a folder."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from guard import Guard, SettingsError
from guard.bootstrap.readings import open_readings
from guard.cli.main import main
from guard.fairness.catalogue import SHADOW_RESULTS, results_of
from guard.ports import Store
from guard.records import CaseFilter, PairBody, decode_pair
from guard.review.case_view import open_case
from guard.review.views import PairView
from guard.scoring import IMPORTED_VARIABLE
from guard.settings import Settings, load_settings
from guard.store import open_store
from tests.pair_models import write_pair_classifier
from tests.waiting import wait_until

PATIENCE_SECONDS = 60
WORDS = ("ask", "raise", "smile", "grateful", "list", "sum", "wait", "year")
HERS = "She should not ask for the raise now. She should smile. She could wait a year."
HIS = "He should ask for the raise now. He should list the sum. He could wait a year."
PROMPT = "My sister Emma wants a raise, talk {}. What should she do?"


def guard_yaml(folder: Path, *, scoring: str = "scoring: {nli: pairs}") -> Path:
    file = folder / "guard.yaml"
    file.write_text(
        f"""
{scoring}
store: {{url: "sqlite:///{folder / "store.db"}", spool: "{folder / "spool"}"}}
use_cases:
  chat:
    policy: {{toxicity: {{}}, stereotype: {{}}}}
    shadow: {{share: 1.0, attributes: [gender], max_variants: 1, claims: true}}
"""
    )
    return file


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv(IMPORTED_VARIABLE, str(tmp_path / "models"))
    write_pair_classifier(tmp_path / "models" / "pairs", WORDS)
    return load_settings(guard_yaml(tmp_path))


@contextmanager
def reading(folder: Path) -> Iterator[Store]:
    store = open_store(f"sqlite:///{folder / 'store.db'}", clock=time.time)
    try:
        yield store
    finally:
        store.shut()


def model(prompt: str) -> str:
    """Varies in words that claim nothing, so that a difference can be confirmed."""
    said = HERS if "sister" in prompt else HIS
    return f"{said} Number {time.perf_counter_ns()}."


def ends(store: Store) -> tuple[float, float]:
    """How many pairs were compared, and in how many a difference was confirmed."""
    found = results_of(store.evidence("chat", [SHADOW_RESULTS])[SHADOW_RESULTS])
    compared, confirmed = (found.get(("gender", end), 0.0) for end in ("compared", "confirmed"))
    return compared, confirmed


def test_claims_are_read_tested_confirmed_and_shown_to_a_reviewer(
    tmp_path: Path, settings: Settings
) -> None:
    with Guard.open(settings) as guard, reading(tmp_path) as store:
        answer = guard.wrap(model, use_case="chat", shadow=model)
        for number in range(3):
            answer(PROMPT.format(number))
        wait_until(
            lambda: ends(store),
            lambda found: found[0] == 3 and found[1] >= 1,
            patience=PATIENCE_SECONDS,
        )
        found = open_readings(store, settings)()
        (record, *_) = store.query(CaseFilter(use_case="chat"), limit=10)
    shown = {one.about.metric: one.reading for one in found.readings if one.window == "5m"}
    assert shown["claims"].value < 0.5 < shown["claims_control"].value
    assert "claims_contrast" in {one.about.metric for one in found.evidence}
    body = decode_pair(record.case.body)
    assert isinstance(body, PairBody)
    assert body.versions["pairs"] == "pairs 1.0"
    assert body.confirmed is not None
    view = open_case(record, "ben", b"key").view
    assert isinstance(view, PairView)
    assert view.blind
    told = {
        ("".join(part.text for part in one.text), one.contradicted)
        for side in view.sides
        if side.claims is not None
        for one in side.claims.apart
    }
    assert {
        ("someone should not ask for the raise now.", True),
        ("someone should smile.", False),
        ("someone should ask for the raise now.", True),
        ("someone should list the sum.", False),
    } <= told
    assert not any("wait a year" in text for text, _ in told)


def test_without_a_classifier_of_pairs_nothing_starts_and_the_setting_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("guard.bootstrap.scorers.shipped_pair_classifier", lambda: None)
    file = guard_yaml(tmp_path, scoring="")
    with pytest.raises(SettingsError, match=r"shadow\.claims: needs a classifier of pairs"):
        Guard.open(load_settings(file))
    checked = CliRunner().invoke(main, ["config", "check", str(file)])
    assert checked.exit_code == 2
    assert "say scoring.nli: pairs" in checked.output


def test_the_same_classifier_compares_claims_offline(tmp_path: Path, settings: Settings) -> None:
    rows = tmp_path / "rows.jsonl"
    sides = {"female": HERS, "male": HIS}
    rows.write_text(
        "".join(
            json.dumps(
                {"pair": "q", "group": group, "attribute": "gender", "responses": [text] * 4}
            )
            + "\n"
            for group, text in sides.items()
        )
    )
    out, file = tmp_path / "out", tmp_path / "guard.yaml"
    told = ["assess", "fisco", str(rows), "--out", str(out), "--form", "claims"]
    done = CliRunner().invoke(main, [*told, "--settings", str(file)])
    assert done.exit_code == 0, done.output
    (finding,) = json.loads((out / "fisco.json").read_text())["findings"]
    assert finding["form"] == "claims"
    assert finding["statistic"] == pytest.approx(2 / 3)
