import os
import signal
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

import guard
from guard.cli import exits
from guard.cli.main import COMMANDS, main
from guard.errors import ModelError, SettingsError


@pytest.fixture
def failing(monkeypatch):
    """`guard score` replaced by something that does what it is told."""

    def prepare(work):
        monkeypatch.setattr("guard.cli.main.import_module", lambda _: Module)

        class Module:
            score = click.Command("score", callback=work)

        return CliRunner().invoke(main, ["score"])

    return prepare


def raises(error):
    def work():
        raise error

    return work


def test_the_version_is_the_packages():
    assert CliRunner().invoke(main, ["--version"]).output == f"evenguard {guard.__version__}\n"


def test_help_names_every_command_without_importing_it():
    code = (
        "import sys; from guard.cli.main import main; main(['--help'], standalone_mode=False);"
        "heavy = ('rich', 'numpy', 'pydantic', 'guard.cli.score');"
        "sys.exit(any(name in sys.modules for name in heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_imported_and_explains_itself(name):
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0
    assert "Usage: main" in result.output


def test_a_command_that_does_not_exist_is_a_usage_error():
    result = CliRunner().invoke(main, ["serv"])
    assert result.exit_code == 2
    assert "No such command" in result.output


@pytest.mark.parametrize(
    ("error", "code"),
    [(SettingsError("guard.yaml: x: wrong"), 2), (ModelError("model.onnx: missing"), 1)],
)
def test_an_error_is_one_line_on_stderr(failing, error, code):
    result = failing(raises(error))
    assert result.exit_code == code
    assert result.stderr == f"guard: {error}\n"
    assert result.stdout == ""


def test_an_interrupted_command_is_quiet(failing):
    result = failing(raises(KeyboardInterrupt()))
    assert (result.exit_code, result.output) == (130, "")


def test_a_terminated_command_unwinds_quietly(failing):
    unwound = []

    def work():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            unwound.append(True)

    before = signal.getsignal(signal.SIGTERM)
    result = failing(work)
    assert (result.exit_code, result.output, unwound) == (143, "", [True])
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_broken_pipe_is_quiet(failing, monkeypatch):
    discarded = []
    monkeypatch.setattr(exits, "discard_output", lambda: discarded.append(True))
    result = failing(raises(BrokenPipeError()))
    assert (result.exit_code, result.output, discarded) == (141, "", [True])


def test_an_argument_that_is_no_text_is_an_error_in_one_line(failing):
    result = failing(lambda: "\udcff".encode())
    assert result.exit_code == 1
    assert result.output == (
        "guard: '\\udcff' cannot be written as utf-8: surrogates not allowed\n"
    )


def test_an_unexpected_error_is_not_hidden(failing):
    assert isinstance(failing(raises(ZeroDivisionError())).exception, ZeroDivisionError)


@pytest.mark.parametrize("option", ["--seconds", "--rate"])
@pytest.mark.parametrize("value", ["nan", "inf", "0", "-1", "x"])
def test_a_demo_without_an_end_or_a_pace_is_a_usage_error(option, value):
    found = CliRunner().invoke(main, ["demo", option, value])
    assert found.exit_code == 2
    assert option in found.output


def test_the_package_can_be_run():
    done = subprocess.run(
        [sys.executable, "-m", "guard", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("evenguard ")
