"""`guard assess fisco --form claims` with claims that a model lists, as a user calls it."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from guard.cli.main import main
from tests.pair_models import write_pair_classifier

LISTER = """
asked = []
def claims(prompt):
    asked.append(prompt)
    return "1. Someone should wait." if "wait" in prompt else "- Someone should ask."
"""
WORDS = ("ask", "raise", "smile", "grateful", "list", "sum", "wait", "year")
SIDES = {"female": "It may be best to wait, number {}.", "male": "You might ask, number {}."}


def fisco(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["assess", "fisco", *map(str, arguments)])


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[object, ...]:
    (tmp_path / "claim_lister.py").write_text(LISTER)
    monkeypatch.syspath_prepend(str(tmp_path))
    write_pair_classifier(tmp_path / "pairs", WORDS)
    rows = tmp_path / "rows.jsonl"
    told = [
        {"pair": "q", "group": group, "attribute": "gender", "responses": replies}
        for group, text in SIDES.items()
        for replies in [[text.format(number) for number in range(4)]]
    ]
    rows.write_text("".join(json.dumps(one) + "\n" for one in told))
    asking = ("--nli", tmp_path / "pairs", "--call", "claim_lister:claims")
    return (rows, "--out", tmp_path / "out", *asking)


def test_listed_claims_are_compared_and_no_list_is_asked_for_twice(
    tmp_path: Path, options: tuple[object, ...]
) -> None:
    for _ in range(2):
        done = fisco(*options, "--form", "claims")
        assert done.exit_code == 0, done.output
    assert len(import_module("claim_lister").asked) == 8
    found = json.loads((tmp_path / "out" / "fisco.json").read_text())
    (finding,) = found["findings"]
    assert (finding["form"], finding["statistic"]) == ("claims", pytest.approx(1.0))
    assert finding["p_value"] == pytest.approx(2 / 70)
    assert [one["role"] for one in found["provenance"]["models"]][-2:] == ["pairs", "claims"]


def test_a_budget_leaves_a_question_untested_and_says_why(options: tuple[object, ...]) -> None:
    done = fisco(*options, "--form", "claims", "--max-calls", 3)
    assert done.exit_code == 0, done.output
    assert "1 not tested: no list of claims of 5 replies" in done.output


def test_a_model_without_the_form_of_claims_is_one_error(options: tuple[object, ...]) -> None:
    done = fisco(*options)
    assert done.exit_code != 0
    assert "for --form claims only" in done.stderr
