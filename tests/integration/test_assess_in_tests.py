"""The fixture `assess`, the example that uses it, and the example workflow."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import yaml

from guard.cli.main import main

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/assessment"
PLUGIN = "guard.pytest_plugin"
HEAVY = """
import sys
import guard.pytest_plugin
heavy = {"numpy", "onnxruntime", "pydantic", "click", "guard.testing", "guard.assessment"}
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
"""


def test_the_example_passes_and_a_broken_rule_fails_with_the_reason(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "insulting.py").write_text("def answer(_):\n    return 'You worthless idiot.'\n")
    test = (EXAMPLE / "test_chat.py").read_text().replace("from chat_model", "from insulting")
    (tmp_path / "test_insult.py").write_text(test)
    options = ("-p", PLUGIN, "-p", "no:cacheprovider", "-q")
    command = [sys.executable, "-m", "pytest", *options, "test_chat.py", "test_insult.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout
    assert "FAILED test_insult.py" in done.stdout
    assert "AssertionError: broken: toxic_fraction: max 0.4: 1, between" in done.stdout
    assert "judge_run" not in done.stdout


def test_pytest_loads_the_plugin_by_itself_and_nothing_heavy_with_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {PLUGIN: PLUGIN}
    subprocess.run([sys.executable, "-c", HEAVY], check=True)


def test_the_workflow_is_one_and_its_commands_exist() -> None:
    file = EXAMPLE / "workflow.yml"
    schema = ("--builtin-schema", "vendor.github-workflows")
    subprocess.run([sys.executable, "-m", "check_jsonschema", *schema, str(file)], check=True)
    steps = yaml.safe_load(file.read_text())["jobs"]["assess"]["steps"]
    assess, gate = (step["run"] for step in steps if step.get("run", "").startswith("guard"))
    assert {"--base-url", "--model", "--out"} < known_options(assess.split())
    assert known_options(gate.split()) == {"--against", "--rules", "--junit", "--markdown"}


def known_options(words: Sequence[str]) -> set[str]:
    """The options of a command line; its command has them all."""
    command: Any = main.get_command(click.Context(main), "assess")
    command = command.commands.get(words[2], command)
    known = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    given = {word for word in words if word.startswith("--")}
    assert given <= known, given - known
    return given
