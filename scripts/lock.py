"""Writes requirements.lock: what a release is tested with, by version and digest of each file.

    python -m scripts.lock

For the interpreter and the machine it runs on (CPython 3.11 on Linux x86-64 where it is committed).
`pip install --require-hashes --requirement requirements.lock` installs exactly that.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
LOCK: Final = ROOT / "requirements.lock"
NOT_FOR_USE: Final = {"export", "large"}
"""Extras that no process in use needs: training, and a model that is a wheel of its own."""
HEAD: Final = """\
# What the package and its extras need, without export and large: python -m scripts.lock writes it.
# For CPython 3.11 on Linux x86-64: pip install --require-hashes -r requirements.lock
"""


def wanted(project: Mapping[str, Any]) -> list[str]:
    """The requirements of the package and of its extras."""
    extras = project["optional-dependencies"]
    more = [one for name, listed in extras.items() if name not in NOT_FOR_USE for one in listed]
    return [*project["dependencies"], *more]


def resolve(requirements: list[str]) -> dict[str, Any]:
    """What pip would install for them (PEP 751)."""
    with tempfile.TemporaryDirectory() as folder:
        asked, made = Path(folder, "requirements.txt"), Path(folder, "pylock.toml")
        asked.write_text("\n".join(requirements), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "lock", "--quiet", "-r", asked, "-o", made]
        subprocess.run(command, check=True)  # noqa: S603
        return tomllib.loads(made.read_text(encoding="utf-8"))


def lines(lock: Mapping[str, Any]) -> Iterator[str]:
    """One for each package, in the format of requirements files."""
    for package in lock["packages"]:
        files = [*package.get("wheels", ()), *filter(None, [package.get("sdist")])]
        digests = [f"--hash=sha256:{one['hashes']['sha256']}" for one in files]
        yield f"{package['name']}=={package['version']} {' '.join(digests)}"


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = sorted(lines(resolve(wanted(project))))
    LOCK.write_text(HEAD + "\n".join(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
