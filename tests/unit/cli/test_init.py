import pytest

from guard.settings import load_settings


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_writes_a_file_that_loads(run, here):
    result = run("init")
    assert result.exit_code == 0
    assert "guard.yaml: mode observe" in result.stdout
    assert load_settings(here / "guard.yaml").defaults.mode == "observe"


def test_use_cases_are_declared(run, here):
    run("init", "own.yaml", "--use-case", "chat", "--use-case", "shop", "--use-case", "chat")
    settings = load_settings(here / "own.yaml")
    assert {name: one.mode for name, one in settings.use_cases.items()} == {
        "chat": "observe",
        "shop": "observe",
    }


def test_a_file_that_is_there_stays_unless_forced(run, here):
    (here / "guard.yaml").write_text("mine")
    result = run("init")
    assert result.exit_code == 1
    assert result.stderr == "guard: guard.yaml is there already; --force replaces it\n"
    assert (here / "guard.yaml").read_text() == "mine"
    assert run("init", "--force").exit_code == 0
    assert load_settings(here / "guard.yaml").defaults.mode == "observe"


@pytest.mark.parametrize("name", ["Chat", "", "a b", "x" * 65])
def test_a_name_that_no_use_case_can_have_is_told(run, here, name):
    result = run("init", "--use-case", name)
    assert result.exit_code == 2
    assert f"--use-case {name!r}" in result.stderr
    assert not list(here.iterdir())


def test_a_folder_that_is_not_there_is_told(run, here):
    result = run("init", here / "no" / "guard.yaml")
    assert result.exit_code == 1
    assert "No such file or directory" in result.stderr
