"""`guard models` and `guard config` with the shipped models."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from guard.scoring import Catalogue

GUARD = str(Path(sys.executable).with_name("guard"))
WAIT_SECONDS = 300


def guard(*args):
    return subprocess.run(
        [GUARD, *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_SECONDS,
    )


def test_all_shipped_models_are_fine():
    done = guard("models", "check", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    assert len(found) >= 2
    assert all(one["fine"] for one in found)


def test_the_list_is_a_table_with_every_model():
    listed = json.loads(guard("models", "list", "--json").stdout)
    shown = guard("models", "list").stdout
    assert all(one["name"] in shown for one in listed)


def test_a_window_that_the_graph_has_no_room_for_is_found(tmp_path):
    folder = tmp_path / "wide"
    shutil.copytree(Catalogue.installed().find("bundled").folder, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"window_tokens": 600}))
    done = guard("models", "check", folder)
    assert done.returncode == 1
    assert "does not fit its manifest" in done.stdout


def test_the_bench_gives_figures():
    done = guard("models", "bench", "--texts", 32, "--rounds", 1, "--json")
    figures = json.loads(done.stdout)
    assert figures["tokens_per_second"] > 0
    assert figures["short_text_ms"] > 0
    assert figures["engine_to_bare"] > 0.1


def test_an_embedder_cannot_be_timed_as_a_classifier():
    done = guard("models", "bench", "sentence-minilm")
    assert done.returncode == 1
    assert "is no classifier" in done.stderr


def test_settings_are_explained_with_the_shipped_thresholds(tmp_path):
    file = tmp_path / "guard.yaml"
    file.write_text("use_cases: {chat: {policy: {toxicity: {flag: shipped}}}}\n")
    done = guard("config", "check", file)
    assert done.returncode == 0, done.stderr
    assert "toxicity at or above 0." in done.stdout
