"""Every example, and what the README shows, runs as it stands and without a network."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from guard.counterfactual import rewrite
from guard.settings import lexicons_of, parse_settings

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
GUARDED = [path for path in EXAMPLES if path.stem not in {"counterfactual", "scripted"}]
WAYS = ("function", "gateway", "fastapi", "langchain")
FALLBACK = "I am not able to share that answer."
CALL_LLM = "def call_llm(prompt: str) -> str:\n    return 'Open the settings.'\n"

# Stands before the script: any attempt to reach beyond this machine ends it.
OFFLINE = """
import os, runpy, socket, sys
def here_only(known, host_of):
    def checked(*args, **kwargs):
        if host_of(args) not in ("127.0.0.1", b"127.0.0.1"):
            raise SystemExit(f"reached for the network: {host_of(args)}")
        return known(*args, **kwargs)
    return checked
for name in ("connect", "connect_ex"):
    known = getattr(socket.socket, name)
    setattr(socket.socket, name, here_only(known, lambda args: args[1][0]))
socket.socket.sendto = here_only(socket.socket.sendto, lambda args: args[-1][0])
socket.getaddrinfo = here_only(socket.getaddrinfo, lambda args: args[0])
sys.path.insert(0, os.path.dirname(sys.argv[1]))
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


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """What an example prints. Each is run once."""

    @functools.cache
    def printed_by(name: str) -> str:
        return run_offline(ROOT / f"examples/{name}.py", tmp_path_factory.mktemp(name))

    return printed_by


@pytest.mark.parametrize("name", [path.stem for path in GUARDED])
def test_example_releases_what_is_kind_and_nothing_else(
    name: str, shown: Callable[[str], str]
) -> None:
    printed = shown(name)
    assert FALLBACK in printed or "[a sentence was removed]" in printed
    assert re.search("Thank you|Open the settings|bridge|from ten to four", printed)
    assert "idiot" not in printed


def test_there_are_examples_of_every_way_in() -> None:
    ways = {f"{what}_{way}" for what in ("chat", "summaries") for way in WAYS}
    assert ways | {"streaming", "async_chat"} <= {path.stem for path in GUARDED}


def test_the_readme_names_every_example() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES if path.name not in readme] == []


def test_the_gateway_examples_show_what_the_gateway_says(shown: Callable[[str], str]) -> None:
    printed = shown("chat_gateway")
    assert "x-guard-verdict: blocked" in printed
    assert "finish_reason: content_filter" in printed
    assert 'guard_calls_total{use_case="support-chat",verdict="blocked"} 1.0' in printed
    assert "left our warehouse this morning. I am not able" in printed


def test_the_rewriting_example_rewrites_and_declines(shown: Callable[[str], str]) -> None:
    printed = shown("counterfactual")
    assert "He manages his team well, and the idea was his." in printed
    assert "declined" in printed
    assert "mentions nobody" in printed


def test_stream_goes_up_to_the_bad_sentence(shown: Callable[[str], str]) -> None:
    printed = shown("streaming")
    assert printed.startswith("Thank you for waiting. Your order left our warehouse this morning.")
    assert "Tuesday" not in printed


def test_readme_python_runs_with_readme_settings(tmp_path: Path) -> None:
    (tmp_path / "guard.yaml").write_text(block("yaml"), encoding="utf-8")
    script = tmp_path / "readme.py"
    script.write_text(CALL_LLM + block("python") + "print(text)\n", encoding="utf-8")
    assert run_offline(script, tmp_path) == "Open the settings.\n"


def test_the_settings_of_the_shadow_page_are_settings() -> None:
    page = (ROOT / "docs/shadow.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    use_cases = [parse_settings(text).use_cases for text in blocks]
    shares = [one["support-chat"].shadow.share for one in use_cases if one]
    assert shares == [0.05, 0.05, 0.05, 0.0]


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
    assert run_offline(script, tmp_path) == "Ronald lost his keys; he asked Mr. Smith for his.\n"
