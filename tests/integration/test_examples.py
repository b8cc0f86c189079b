"""Every example, and what the README shows, runs as it stands and without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from guard.counterfactual import rewrite
from guard.settings import BUILT_IN, Settings, StoreSettings, lexicons_of, parse_settings

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
GUARDED = [path for path in EXAMPLES if "Guard" in path.read_text(encoding="utf-8")]
FALLBACK = "I am not able to share that answer."
CALL_LLM = "def call_llm(prompt: str) -> str:\n    return 'Open the settings.'\n"

# Stands before the script: any attempt to reach a network ends it.
OFFLINE = """
import runpy, socket, sys
def refuse(*args, **kwargs):
    raise SystemExit("reached for the network")
socket.socket.connect = socket.socket.connect_ex = socket.socket.sendto = refuse
socket.getaddrinfo = refuse
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def run_offline(script: Path, at: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", OFFLINE, str(script)],
        capture_output=True,
        text=True,
        check=False,
        cwd=at,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def block(language: str, page: str = "README.md") -> str:
    """The first block of this language on a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert found is not None
    return found.group(1)


def keys(section: type) -> set[str]:
    """All keys of a part of the settings and of the parts in it."""
    own = set(section.model_fields)
    kinds = [field.annotation for field in section.model_fields.values()]
    return own.union(*(keys(kind) for kind in kinds if hasattr(kind, "model_fields")))


@pytest.mark.parametrize("script", GUARDED, ids=lambda path: path.stem)
def test_example_releases_what_is_kind_and_nothing_else(script: Path, tmp_path: Path) -> None:
    printed = run_offline(script, tmp_path)
    assert FALLBACK in printed
    assert "idiot" not in printed


def test_there_are_examples() -> None:
    assert {"plain_function", "streaming", "async_chat"} == {path.stem for path in GUARDED}
    assert {path.stem for path in EXAMPLES} - {path.stem for path in GUARDED} == {"counterfactual"}


def test_the_rewriting_example_rewrites_and_declines(tmp_path: Path) -> None:
    printed = run_offline(ROOT / "examples/counterfactual.py", tmp_path)
    assert "He manages his team well, and the idea was his." in printed
    assert "declined" in printed
    assert "mentions nobody" in printed


def test_stream_goes_up_to_the_bad_sentence(tmp_path: Path) -> None:
    printed = run_offline(ROOT / "examples/streaming.py", tmp_path)
    assert printed.startswith("Thank you for waiting. Your order left our warehouse this morning.")
    assert "Tuesday" not in printed


def test_readme_python_runs_with_readme_settings(tmp_path: Path) -> None:
    (tmp_path / "guard.yaml").write_text(block("yaml"), encoding="utf-8")
    script = tmp_path / "readme.py"
    script.write_text(CALL_LLM + block("python") + "print(text)\n", encoding="utf-8")
    assert run_offline(script, tmp_path) == "Open the settings.\n"


def test_readme_names_every_setting() -> None:
    shown = set(re.findall(r"^\s*#?\s*([a-z_]+):", block("yaml"), re.MULTILINE))
    assert keys(Settings) | keys(StoreSettings) <= shown


def test_readme_shows_the_defaults() -> None:
    given = parse_settings(block("yaml"))
    assert given.defaults == Settings().defaults.model_copy(update={"policy": BUILT_IN})
    assert given.scoring == Settings().scoring.model_copy(update={"workers": given.scoring.workers})


def test_the_settings_of_the_shadow_page_are_settings() -> None:
    page = (ROOT / "docs/shadow.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    for text in blocks:
        assert parse_settings(text).use_cases["support-chat"].shadow.share == 0.05


def test_the_words_of_the_rewriting_page_can_be_added() -> None:
    page = "docs/counterfactual.md"
    given = parse_settings(block("yaml", page))
    lexicons = lexicons_of(given.counterfactual)
    found = rewrite("The lumberjack met a salesperson.", lexicons, attribute="gender", to="female")
    assert found.text == "The lumberjill met a salesperson."
    assert lexicons.attributes["department"] == ("sales", "engineering")


def test_the_python_of_the_rewriting_page_runs(tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    code = block("python", "docs/counterfactual.md").replace("variants(messages", "variants(['a']")
    script.write_text(code + "print(found.text)\n", encoding="utf-8")
    assert run_offline(script, tmp_path) == "Robert lost his keys; he asked Mr. Smith for his.\n"
