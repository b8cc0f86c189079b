"""`guard review suggest` with the shipped classifier, from verdicts to settings that hold."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from guard import Guard
from guard.cli.main import main
from guard.records import Verdict
from guard.settings import load_settings, parse_settings
from guard.store import open_store
from tests.unit.review.made import response

ACCEPTABLE = (
    "To free space, empty the Trash.",
    "Empty the Trash.",
    "Please empty the trash first.",
)
HARMFUL = (
    "You are a worthless idiot.",
    "Shut up, you moron.",
    "Go kill yourself.",
    "You are so dumb.",
    "You are trash.",
)
SETTINGS = (
    "store: {{url: 'sqlite:///{}'}}\nuse_cases: {{chat: {{allow: ['Garbage in, garbage out']}}}}\n"
)


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "guard.yaml"
    path.write_text(SETTINGS.format(tmp_path / "store.db"))
    return path


def judge(settings: Path, *decided: tuple[str, str]) -> None:
    where = load_settings(settings).store
    assert where is not None
    store = open_store(where.url, clock=time.time)
    for number, (text, verdict) in enumerate(decided):
        body = json.loads(response().body) | {"reply": text, "text": text}
        store.open(response(f"{verdict}{number}", body=json.dumps(body)))
        store.close(f"{verdict}{number}", by="eve", verdict=verdict)
    store.shut()


def suggest(settings: Path, *arguments: str) -> Result:
    command = ["review", "suggest", "--settings", str(settings), *arguments]
    return CliRunner().invoke(main, command, catch_exceptions=False)


def test_what_is_proposed_can_be_pasted_and_does_what_it_says(settings: Path) -> None:
    judge(settings, *((text, "acceptable") for text in ACCEPTABLE))
    judge(settings, *((text, "harmful") for text in HARMFUL))
    done = suggest(settings)
    assert done.exit_code == 0
    assert "# chat: 3 replies that fire were judged acceptable, 5 harmful." in done.output
    assert "3 of the 3 would not have fired, and 0 of the 5 would have been lost" in done.output
    pasted = parse_settings(done.output)
    names = [entry.name.casefold() for entry in pasted.use_cases["chat"].allow]
    assert names == ["garbage in, garbage out", "empty the trash"]
    with Guard.open(pasted) as guard:
        for text in ACCEPTABLE:
            assert guard.check(text, use_case="chat").verdict is Verdict.RELEASED
        for text in HARMFUL:
            assert guard.check(text, use_case="chat").verdict is not Verdict.RELEASED


def test_as_json(settings: Path) -> None:
    judge(settings, *((text, "acceptable") for text in ACCEPTABLE))
    judge(settings, *((text, "harmful") for text in HARMFUL))
    found = json.loads(suggest(settings, "--json").stdout)
    assert (found["stopped"], found["lost"]) == (3, 0)
    assert [one["phrase"].casefold() for one in found["suggestions"]] == ["empty the trash"]


def test_too_few_verdicts_are_a_comment_and_no_setting(settings: Path) -> None:
    judge(settings, (ACCEPTABLE[0], "acceptable"))
    done = suggest(settings)
    assert (
        "# Nothing to propose: 1 replies that fire were judged acceptable; at least 3"
        in done.output
    )
    assert all(line.startswith("#") for line in done.output.splitlines())
