"""What can be known of the Dockerfile without a container engine."""

from __future__ import annotations

import re
import tomllib

import pytest

from guard.cli.services import EXPORTER_PORT
from guard.settings.sections import GatewaySettings
from tests.image import ROOT, Instruction, argument, copied, instructions, only, stages
from tests.services import check_command

RUNS = [one for one in instructions() if one.name == "RUN"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def is_sent(path: str) -> bool:
    """Whether .dockerignore lets a file or folder through: its last line that fits decides."""
    sent = True
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        pattern = line.removeprefix("!")
        if pattern == "*" or path == pattern or path.startswith(f"{pattern}/"):
            sent = line.startswith("!")
    return sent


def test_images_are_slim_and_of_one_version() -> None:
    assert len(set(stages())) == 1
    assert re.fullmatch(r"python:3\.\d+-slim-[a-z]+", stages()[0])


@pytest.mark.parametrize("path", copied(), ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_copied_is_there_and_sent_to_the_builder(path) -> None:
    assert path.exists()
    assert is_sent(str(path.relative_to(ROOT)))


@pytest.mark.parametrize("path", ["tests", ".git", ".venv", "docs", "models/train", ".env"])
def test_nothing_else_is_sent(path: str) -> None:
    assert not is_sent(path)


def test_it_does_not_run_as_root() -> None:
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", only("USER").text)
    names = [one.name for one in instructions() if one.stage == instructions()[-1].stage]
    assert "RUN" not in names[names.index("USER") :]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.text[:40])
def test_steps_compile_and_download_nothing_they_need_not(run: Instruction) -> None:
    assert not re.search(r"\b(apt-get|apk|curl|wget|sudo|gcc|cargo)\b", run.text)
    if " install" in run.text:
        assert {"--no-cache-dir", "--only-binary"} <= set(run.text.split())


def test_there_is_no_shell_between_a_signal_and_the_guard() -> None:
    assert only("CMD").exec_form[0] == "guard"
    assert only("HEALTHCHECK").exec_form[0] == "python"
    assert {one.name for one in instructions()}.isdisjoint({"ADD", "ENTRYPOINT", "SHELL"})


def test_its_command_is_one_of_the_guard() -> None:
    check_command(only("CMD").exec_form)


def test_the_health_check_asks_the_gateway_where_it_listens() -> None:
    assert f":{GatewaySettings().port}/readyz" in only("HEALTHCHECK").text
    assert {str(GatewaySettings().port), str(EXPORTER_PORT)} <= set(only("EXPOSE").words)


def test_its_extras_exist() -> None:
    wanted = set(argument("EXTRAS").split(","))
    assert wanted <= set(PROJECT["project"]["optional-dependencies"])
