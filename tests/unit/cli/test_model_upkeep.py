import json
from unittest.mock import Mock

import pytest

from guard.cli import model_upkeep
from guard.errors import SettingsError
from guard.scoring import IMPORTED_VARIABLE
from guard.settings import parse_settings
from guard.settings.edit import with_scoring
from guard.testing import WordScorer
from tests.unit.cli.test_models_and_config import MANIFEST


@pytest.fixture
def imported(tmp_path, monkeypatch):
    """A folder of imported models with one model in it, whose files are not there."""
    monkeypatch.setenv(IMPORTED_VARIABLE, str(tmp_path / "models"))
    folder = tmp_path / "models" / "mine"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(MANIFEST | {"name": "mine"}))
    (folder / "CARD.md").write_text("# mine\n\nMade for a test.\n")
    return folder


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing yet\n",
        "use_cases: {chat: {mode: enforce}}\n",
        "scoring:\n  model: large # for now\n  workers: 1\nuse_cases: {chat: {}}\n",
        "scoring: # how\n  workers: 1\n\n# the rest\ndefaults: {}\n",
        "scoring:\n    workers: 1\n    model: large\n",
        "# scoring:\n#   model: bundled\nuse_cases: {chat: {}}\n",
    ],
)
def test_one_key_of_a_file_is_changed_and_nothing_else(text):
    after = with_scoring(text, "model", "mine")
    before = parse_settings(text)
    assert parse_settings(after).scoring.model == "mine"
    assert parse_settings(after).use_cases == before.use_cases
    assert parse_settings(after).scoring.workers == before.scoring.workers
    assert all(line in after for line in text.splitlines() if "#" in line and "large" not in line)


def test_a_comment_beside_the_model_is_kept():
    assert "  model: mine # for now\n" in with_scoring(
        "scoring:\n  model: large # for now\n", "model", "mine"
    )


@pytest.mark.parametrize("text", ["scoring: {workers: 1}\n", '"scoring":\n  workers: 1\n'])
def test_what_cannot_be_changed_safely_is_left_to_people(text):
    with pytest.raises(SettingsError, match="scoring"):
        with_scoring(text, "model", "mine")


def test_use_changes_the_file(run, imported, tmp_path):
    file = tmp_path / "guard.yaml"
    file.write_text("# ours\nuse_cases: {chat: {}}\n")
    assert run("models", "use", "mine", "--settings", str(file)).exit_code == 0
    assert file.read_text() == "# ours\nuse_cases: {chat: {}}\n\nscoring:\n  model: mine\n"
    assert "model: mine" in run("models", "use", "mine").stdout


@pytest.mark.parametrize(("task", "key"), [("embedding", "embedder"), ("nli", "nli")])
def test_other_models_are_used_under_keys_of_their_own(run, imported, tmp_path, task, key):
    other = {**MANIFEST, "name": "other", "task": task, "dimension": 8}
    (imported / "manifest.json").write_text(json.dumps(other))
    file = tmp_path / "guard.yaml"
    file.write_text("scoring:\n  model: bundled\n")
    assert run("models", "use", "mine", "--settings", str(file)).exit_code == 0
    assert file.read_text() == f"scoring:\n  {key}: mine\n  model: bundled\n"


def test_a_model_that_is_not_there_is_not_used(run, imported, tmp_path):
    file = tmp_path / "guard.yaml"
    file.write_text("{}\n")
    done = run("models", "use", "yours", "--settings", str(file))
    assert (done.exit_code, file.read_text()) == (1, "{}\n")
    assert "mine" in done.stderr


def test_an_imported_model_is_listed_and_its_card_shown(run, imported):
    listed = json.loads(run("models", "list", "--json").stdout)
    assert "mine" in {one["name"] for one in listed}
    assert "Made for a test." in run("models", "card", "mine").stdout


def test_a_card_cannot_write_to_the_terminal(run, imported):
    (imported / "CARD.md").write_text("label \x1b]0;mine\x07", encoding="utf-8")
    assert "label [U+001B]]0;mine[U+0007]" in run("models", "card", "mine").stdout


def test_a_model_without_a_card_says_so(run, imported):
    (imported / "CARD.md").unlink()
    done = run("models", "card", "mine")
    assert (done.exit_code, "has no card" in done.stderr) == (1, True)


def test_an_imported_model_is_removed_and_a_shipped_one_is_not(run, imported):
    assert run("models", "remove", "mine").exit_code == 0
    assert not imported.exists()
    done = run("models", "remove", "sentence-minilm")
    assert (done.exit_code, "no imported model" in done.stderr) == (1, True)


@pytest.fixture
def engine(monkeypatch):
    """In the place of the engine: what it says of texts with these words."""

    class Scorer(WordScorer):
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    scorer = Scorer({"toxicity": {"idiot": 0.9, "fool": 0.6}, "stereotype": {"always": 0.7}})
    monkeypatch.setattr(model_upkeep, "open_engine", lambda *_: scorer)
    return scorer


def rows(tmp_path, *lines):
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(file)


def test_thresholds_are_chosen_on_labelled_texts_and_kept(run, imported, engine, tmp_path):
    harmless = [{"text": "hello", "toxicity": 0}] * 18 + [{"text": "you fool", "toxicity": 0}] * 2
    others = [{"text": "an idiot", "toxicity": 1}, {"text": "hm", "toxicity": 1}]
    file = rows(tmp_path, *harmless, *others)
    done = run(
        "models", "thresholds", "mine", "--data", file, "--rate", "0.05", "--write", "--json"
    )
    (found,) = json.loads(done.stdout)["heads"]
    assert (found["head"], found["threshold"], found["recall"]) == ("toxicity", 0.601, 0.5)
    assert (found["harmless"], found["harmful"], found["false_positive_rate"]) == (20, 2, 0.0)
    manifest = json.loads((imported / "manifest.json").read_text())
    kept = {head["key"]: head["threshold"] for head in manifest["heads"]}
    assert kept == {"toxicity": 0.601, "stereotype": 0.5, "sentiment": None}


def test_lines_without_labels_are_harmless_for_all_heads(run, imported, engine, tmp_path):
    file = tmp_path / "texts.txt"
    file.write_text("hello\n" * 20)
    done = run("models", "thresholds", "mine", "--data", str(file), "--rate", "0.05")
    assert "toxicity:" in done.stdout
    assert "stereotype:" in done.stdout
    assert "20 harmless texts" in done.stdout


UNREAD = {
    "no text": [21, 22, 23],
    "not scored, empty": [24],
    "toxicity is neither 0 nor 1": [25],
}


def test_lines_that_no_threshold_rests_on_are_counted_and_named(run, imported, engine, tmp_path):
    harmless = [{"text": "hello", "toxicity": 0}] * 20
    without = [{"toxicity": 0}, {"text": None, "toxicity": 0}, {"text": 7, "toxicity": 1}]
    others = [{"text": " ", "toxicity": 0}, {"text": "hm", "toxicity": 0.4}]
    unlabelled = [{"text": "hm"}, {"text": "hm", "toxicity": None}]
    file = rows(tmp_path, *harmless, *without, *others, *unlabelled)
    arguments = ("models", "thresholds", "mine", "--data", file, "--rate", "0.05")
    found = json.loads(run(*arguments, "--json").stdout)
    assert (found["lines"], found["left_out"]) == (27, UNREAD)
    assert found["heads"][0]["harmless"] == 20
    shown = run(*arguments).stdout
    assert "3 of 27 lines left out: no text (lines 21, 22, 23)" in shown
    done = run(*arguments[:-1], "0.01")
    assert (done.exit_code, "it takes 100" in done.stderr) == (1, True)
    assert "3 of 27 lines left out" in done.stderr


def test_of_a_file_without_a_harmless_text_every_line_is_accounted_for(
    run, imported, engine, tmp_path
):
    file = rows(tmp_path, {"texts": "hello"}, {"text": "hm", "toxicity": 1})
    done = run("models", "thresholds", "mine", "--data", file)
    assert (done.exit_code, "no harmless text" in done.stderr) == (1, True)
    assert "1 of 2 lines left out: no text (line 1)" in done.stderr


def test_thresholds_of_shipped_models_are_not_changed(run, imported, engine, tmp_path):
    file = rows(tmp_path, *[{"text": "hello"}] * 20)
    done = run("models", "thresholds", "bundled", "--data", file, "--rate", "0.05", "--write")
    assert (done.exit_code, "no imported model" in done.stderr) == (1, True)


def test_an_import_without_its_libraries_says_what_to_install(run, imported, tmp_path, monkeypatch):
    missing = ModuleNotFoundError("No module named 'torch'", name="torch")
    monkeypatch.setattr("guard.importing.request.import_module", Mock(side_effect=missing))
    done = run("models", "import", f"hf:{tmp_path}", "--name", "new")
    assert (done.exit_code, "evenguard[export]" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("what", "--name", "new"), "is no source"),
        (("hf:x", "--name", "bundled"), "is shipped"),
        (("hf:x", "--name", "mine"), "--replace"),
        (("onnx:x", "--name", "new", "--precision", "int8"), "taken as it is"),
        (("detoxify:original", "--name", "new", "--as", "nli"), "cannot be imported --as nli"),
    ],
)
def test_an_import_that_cannot_be_meant_is_refused(run, imported, arguments, message):
    done = run("models", "import", *arguments)
    assert done.exit_code in (1, 2)
    assert message in done.stderr
