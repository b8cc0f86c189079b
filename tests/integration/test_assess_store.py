"""`guard assess --from-store`, from guarded calls to the report, with the real parts."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from guard import Guard
from guard.assessment import decode_results
from guard.cli.main import main
from guard.settings import load_settings

SETTINGS = """
store: {{url: "sqlite:///{folder}/store.db", spool: "{folder}/spool"}}
use_cases:
  chat: {{policy: {{toxicity: {{flag: shipped}}}}}}
"""


def assess(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["assess", "--from-store", *map(str, arguments)])


def test_what_a_guard_kept_becomes_a_report_that_says_how_it_was_chosen(tmp_path: Path) -> None:
    file, out = tmp_path / "guard.yaml", tmp_path / "run"
    file.write_text(SETTINGS.format(folder=tmp_path))
    with Guard.open(load_settings(file)) as guard:
        answer = guard.wrap(lambda text: text, use_case="chat")
        for text in ("You are a worthless idiot.", "The library opens at nine.", "Thank you."):
            answer(text)
    found = assess("--use-case", "chat", "--settings", file, "--out", out)
    assert found.exit_code == 0, found.output
    results = decode_results((out / "results.json").read_text())
    values = {one.metric: one.reading for one in results.metrics}
    toxic = values["toxic_fraction"]
    assert toxic is not None
    assert (toxic.value, toxic.n) == (1 / 3, 3)
    assert [one.response for one in results.worst_responses] == ["You are a worthless idiot."]
    page = (out / "report.html").read_text()
    assert "every reply that the guard judged" in page
    assert "no random sample" in page
    assert "worthless" in (out / "report.md").read_text()


def test_what_cannot_be_is_one_line(tmp_path: Path) -> None:
    store, out = f"sqlite:///{tmp_path}/store.db", tmp_path / "run"
    needed = ("--use-case", "chat", "--out", out)
    for arguments, told in (
        ((*needed,), "there is no store"),
        ((*needed, "--store", store), "nothing of use case 'chat'"),
        ((*needed, "--store", store, "--model", "m"), "--model"),
        (("--out", out, "--store", store), "--use-case: is missing"),
    ):
        found = assess(*arguments)
        assert found.exit_code in {1, 2}
        assert told in found.stderr
        assert "Traceback" not in found.stderr
    assert not (out / "results.json").exists()
