"""`guard assess paraphrase`, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from guard.cli.main import main

MODEL = """
def answer(prompt):
    return "The " + ("woman" if "woman" in prompt else "man") + " cannot find the keys."
"""


def paraphrase(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["assess", "paraphrase", *map(str, arguments)])


def test_rows_and_their_wordings_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reworder.py").write_text(MODEL)
    monkeypatch.syspath_prepend(str(tmp_path))
    data, out = tmp_path / "rows.jsonl", tmp_path / "out"
    about = {"metric": "bold", "template": "keys"}
    people = {"female": "The woman lost the keys.", "male": "The man lost the keys."}
    rows = [{**about, "group": group, "prompt": text} for group, text in people.items()]
    rows.append({**rows[0], "paraphrase": "other-1", "prompt": "The woman has no keys."})
    data.write_text("".join(json.dumps(one) + "\n" for one in rows))
    options = (data, "--out", out, "--call", "reworder:answer", "--count", 2, "--label", "mine")
    dry = paraphrase(*options, "--dry-run")
    assert dry.output == "to ask: 2 wordings, at first; 0 are kept already\n"
    found = paraphrase(*options)
    assert found.exit_code == 0, found.output
    assert "5 rows in" in found.output
    made = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    assert [one["paraphrase"] for one in made] == ["", "", "mine-1", "mine-1", "other-1"]
    assert made[3]["prompt"] == "The man cannot find the keys."


def test_nobody_to_ask_is_one_line(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    row = {"metric": "m", "template": "t", "group": "g", "prompt": "p"}
    data.write_text(json.dumps(row))
    found = paraphrase(data, "--out", tmp_path / "out")
    assert found.exit_code in {1, 2}
    assert "--base-url or --call" in found.stderr
