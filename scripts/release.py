"""Makes what is released in `dist`: both wheels and sdists, their digests and a bill of materials.

    python -m scripts.release

The same source gives the same bytes, whoever builds it, whenever. SHA256SUMS can be checked with
`sha256sum --check`; the bill (CycloneDX 1.6, JSON) lists what requirements.lock holds.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT: Final = Path(__file__).parents[1]
DIST: Final = ROOT / "dist"
LOCKED: Final = re.compile(r"^(\S+?)==(\S+) (.*)$", re.MULTILINE)
DIGEST: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def build(project: Path) -> None:
    """An sdist, and the wheel made from it."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(DIST), str(project)]
    subprocess.run(command, check=True)  # noqa: S603


def component(name: str, version: str, digests: list[str]) -> Component:
    """A library, by its name on PyPI."""
    address = PackageURL(type="pypi", name=name, version=version)
    return Component(
        name=name,
        version=version,
        type=ComponentType.LIBRARY,
        purl=address,
        bom_ref=str(address),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=one) for one in digests],
    )


def bill(project: dict[str, Any], lock: str, seconds: int) -> str:
    """The bill of materials of the package with its extras. seconds: Unix time, said in it."""
    own = component(project["name"], project["version"], [])
    parts = [
        component(name, version, DIGEST.findall(rest))
        for name, version, rest in LOCKED.findall(lock)
    ]
    bom = Bom(components=parts, serial_number=uuid5(NAMESPACE_URL, f"{own.purl}\n{lock}"))
    bom.metadata.component = own
    bom.metadata.timestamp = datetime.fromtimestamp(seconds, UTC)
    bom.register_dependency(own, parts)
    return JsonV1Dot6(bom).output_as_string(indent=2)


def committed_at() -> int:
    """When the source was committed, Unix time."""
    command = ["git", "log", "-1", "--format=%ct"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603
    return int(done.stdout)


def digests(folder: Path) -> str:
    """A line for each file, as sha256sum writes it."""
    files = sorted(path for path in folder.iterdir() if path.name != "SHA256SUMS")
    return "".join(f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def main() -> None:
    DIST.mkdir(exist_ok=True)
    for path in DIST.iterdir():
        path.unlink()
    for project in (ROOT, ROOT / "models"):
        build(project)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    name = f"{project['name']}-{project['version']}.cdx.json"
    (DIST / name).write_text(bill(project, lock, committed_at()), encoding="utf-8")
    (DIST / "SHA256SUMS").write_text(digests(DIST), encoding="utf-8")


if __name__ == "__main__":
    main()
