"""What users install: both wheels are built, opened, installed without torch, and used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import guard

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MODEL_FILES = {"model.onnx", "tokenizer.json", "manifest.json", "CARD.md"}
BASE = {
    "click",
    "numpy",
    "onnxruntime",
    "prometheus-client",
    "pydantic",
    "pyyaml",
    "rich",
    "tokenizers",
}
HEAVY = {"torch", "transformers", "detoxify", "sentence-transformers", "langchain"}
USE = """
from importlib.util import find_spec
from guard import Guard
assert find_spec("opentelemetry") is None
guard = Guard.open()
outcome = guard.check("Have a lovely day, and thank you for asking.", use_case="chat")
assert outcome.assessment.reason is None, outcome
assert outcome.assessment.value("toxicity") < 0.5, outcome
print(outcome.verdict)
guard.close()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """One project as it leaves the house."""

    wheel: Path
    sdist: Path

    def in_wheel(self) -> set[str]:
        return set(zipfile.ZipFile(self.wheel).namelist())

    def in_sdist(self) -> set[str]:
        with tarfile.open(self.sdist) as archive:
            return {name.partition("/")[2] for name in archive.getnames()}


def build(project: Path, out: Path) -> Built:
    """Make the sdist, and the wheel from that sdist."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(project)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return Built(wheel=next(out.glob("*.whl")), sdist=next(out.glob("*.tar.gz")))


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(ROOT, tmp_path_factory.mktemp("evenguard"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(ROOT / "models", tmp_path_factory.mktemp("evenguard-models"))


def pip(programs: Path) -> list[str | Path]:
    """Our own pip, working on another environment, which then needs none."""
    return [sys.executable, "-m", "pip", "--python", programs / "python"]


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory, code: Built, data: Built) -> Path:
    """The programs of an environment that holds the two wheels and what they need."""
    home = tmp_path_factory.mktemp("clean")
    venv.create(home)
    install = [*pip(home / "bin"), "install", "--quiet", "--no-compile"]
    subprocess.run([*install, code.wheel, data.wheel], check=True, capture_output=True, text=True)
    return home / "bin"


def run(*command: str | Path, text: str = "", at: Path) -> str:
    """What the command prints, run away from the working tree."""
    done = subprocess.run(
        [str(part) for part in command],
        check=False,
        input=text,
        capture_output=True,
        text=True,
        cwd=at,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def tops(names: set[str]) -> set[str]:
    return {name.partition("/")[0] for name in names if name}


def test_code_wheel_holds_the_package_and_nothing_else(code: Built) -> None:
    names = code.in_wheel()
    assert {"guard/__init__.py", "guard/py.typed", "guard/cli/main.py"} <= names
    assert tops(names) == {"guard", f"evenguard-{guard.__version__}.dist-info"}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_code_wheel_holds_every_source_file(code: Built) -> None:
    sources = {str(path.relative_to(ROOT)) for path in (ROOT / "guard").rglob("*.py")}
    assert sources <= code.in_wheel()


def test_code_wheel_holds_every_lexicon(code: Built) -> None:
    folder = ROOT / "guard" / "counterfactual"
    lexicons = {str(path.relative_to(ROOT)) for path in folder.rglob("data/*")}
    assert len(lexicons) >= 11
    assert lexicons <= code.in_wheel()
    assert "guard/counterfactual/lexicons/SOURCES.md" in code.in_wheel()


def test_code_wheel_holds_every_word_list(code: Built) -> None:
    lists = {str(path.relative_to(ROOT)) for path in (ROOT / "guard").rglob("*.txt")}
    assert {"guard/fairness/wording.txt", "guard/text/amounts.txt"} <= lists <= code.in_wheel()
    assert "guard/fairness/SOURCES.md" in code.in_wheel()


def test_code_wheel_holds_what_stores_run(code: Built) -> None:
    folder = ROOT / "guard" / "store"
    sql = {str(path.relative_to(ROOT)) for path in folder.rglob("*.sql")}
    lua = {str(path.relative_to(ROOT)) for path in folder.rglob("*.lua")}
    assert len(sql) >= 3
    assert len(lua) >= 10
    assert sql | lua <= code.in_wheel()


def test_code_wheel_holds_what_the_review_page_shows(code: Built) -> None:
    folder = ROOT / "guard" / "review_web"
    templates = {str(path.relative_to(ROOT)) for path in (folder / "templates").iterdir()}
    static = {str(path.relative_to(ROOT)) for path in (folder / "static").iterdir()}
    assert len(templates) >= 10
    assert {Path(name).suffix for name in static} == {".css", ".js", ".svg"}
    assert templates | static <= code.in_wheel()


def test_the_same_source_gives_the_same_bytes(code: Built, tmp_path: Path) -> None:
    """In another folder, at another time, for somebody whose files nobody else may read."""
    with tarfile.open(code.sdist) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    for path in filter(Path.is_file, source.rglob("*")):
        os.utime(path, (1_000_000_000, 1_000_000_000))
        path.chmod(0o600)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel"]
    subprocess.run([*command, "-d", tmp_path], cwd=source, check=True, capture_output=True)
    assert (tmp_path / code.wheel.name).read_bytes() == code.wheel.read_bytes()
    assert (tmp_path / code.sdist.name).read_bytes() == code.sdist.read_bytes()


def test_a_release_says_what_is_in_it() -> None:
    """A bill of materials that its own schema takes, with a digest of every library."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    from scripts.lock import LOCK
    from scripts.release import bill

    lock = LOCK.read_text(encoding="utf-8")
    project = {"name": "evenguard", "version": guard.__version__}
    made = bill(project, lock, 1_800_000_000)
    assert bill(project, lock, 1_800_000_000) == made
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(made) is None
    told = json.loads(made)
    assert told["metadata"]["component"]["version"] == guard.__version__
    assert {"aiohttp", "onnxruntime", "redis"} <= {one["name"] for one in told["components"]}
    assert all(one["hashes"] for one in told["components"])


def test_models_wheel_holds_whole_models(data: Built) -> None:
    names = {name for name in data.in_wheel() if name.startswith("guard_models/")}
    folders = {Path(name).parent for name in names if name.endswith("manifest.json")}
    assert len(folders) >= 2
    for folder in folders:
        assert {str(folder / file) for file in MODEL_FILES} <= names
    assert "guard_models/py.typed" in names


def test_model_files_are_models(data: Built) -> None:
    with zipfile.ZipFile(data.wheel) as archive:
        sizes = {i.filename: i.file_size for i in archive.infolist() if i.filename.endswith("onnx")}
    assert sizes
    assert all(1_000_000 < size <= 25_000_000 for size in sizes.values()), sizes


def test_sdists_hold_what_the_wheels_are_made_of(code: Built, data: Built) -> None:
    """No tests, no training code, no tools."""
    always = {"PKG-INFO", "README.md", "LICENSE", "pyproject.toml", ".gitignore"}
    assert tops(code.in_sdist()) - always == {"guard", "CHANGELOG.md"}
    assert tops(data.in_sdist()) - always == {"guard_models"}


def test_models_wheel_holds_data_only(data: Built) -> None:
    names = data.in_wheel()
    assert tops(names) == {"guard_models", f"evenguard_models-{guard.__version__}.dist-info"}
    assert {name for name in names if name.endswith(".py")} == {"guard_models/__init__.py"}


def test_base_dependencies_are_the_small_ones(clean: Path, tmp_path: Path) -> None:
    listed = json.loads(run(*pip(clean), "list", "--format=json", at=tmp_path))
    names = {row["name"].lower().replace("_", "-") for row in listed}
    assert BASE | {"evenguard", "evenguard-models"} <= names
    assert names & HEAVY == set()


def test_version_of_the_installed_command(clean: Path, tmp_path: Path) -> None:
    assert guard.__version__ in run(clean / "guard", "--version", at=tmp_path)


def test_installed_package_scores(clean: Path, tmp_path: Path) -> None:
    assert "released" in run(clean / "python", "-I", "-c", USE, at=tmp_path)


def test_without_its_extra_the_review_page_says_what_is_missing(
    clean: Path, tmp_path: Path
) -> None:
    command = [clean / "guard", "review", "serve", "--store", f"sqlite:///{tmp_path / 'a.db'}"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert "pip install 'evenguard[review]'" in done.stderr


def test_installed_command_scores(clean: Path, tmp_path: Path) -> None:
    lines = run(clean / "guard", "score", "-", text="Good morning.\nYou idiot!\n", at=tmp_path)
    kind, rude = (json.loads(line) for line in lines.splitlines())
    assert kind["text"] == "Good morning."
    assert kind["unscored"] is None
    assert kind["scores"]["toxicity"] < rude["scores"]["toxicity"]


def test_installed_models_are_as_their_manifests_say(clean: Path, tmp_path: Path) -> None:
    run(clean / "guard", "models", "check", at=tmp_path)
