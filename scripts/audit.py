"""Holds what is locked, and the lowest versions admitted, against the holes in advisories.toml.

    python -m scripts.audit        exit status 1 where one is affected

Works without a network, which is its point: it runs in every CI. It knows what is in that file and
no more, and says how old that is.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT: Final = Path(__file__).parents[1]
ADVISORIES: Final = Path(__file__).with_name("advisories.toml")
LOCKED: Final = re.compile(r"^(\S+?)==(\S+) ", re.MULTILINE)
OLD_DAYS: Final = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Advisory:
    """A hole in all versions of a package before `fixed`."""

    package: str
    id: str
    fixed: Version
    about: str


def known(content: Mapping[str, Any]) -> list[Advisory]:
    """The advisories in the file."""
    return [
        Advisory(
            package=canonicalize_name(one["package"]),
            id=one["id"],
            fixed=Version(one["fixed"]),
            about=one["about"],
        )
        for one in content["advisory"]
    ]


def locked(text: str) -> dict[str, Version]:
    """The versions in requirements.lock."""
    return {canonicalize_name(name): Version(found) for name, found in LOCKED.findall(text)}


def lowest(project: Mapping[str, Any]) -> Iterator[tuple[str, Version]]:
    """The lowest version that each requirement of the package and its extras admits."""
    extras = project["optional-dependencies"].values()
    for text in [*project["dependencies"], *(one for extra in extras for one in extra)]:
        requirement = Requirement(text)
        floors = [one.version for one in requirement.specifier if one.operator in {">=", "=="}]
        yield canonicalize_name(requirement.name), Version(floors[0] if floors else "0")


def findings(
    advisories: list[Advisory], versions: Mapping[str, Version], project: Mapping[str, Any]
) -> list[str]:
    """A line for each locked or admitted version with a hole."""
    found = [
        f"requirements.lock: {one.package} {versions[one.package]} has {one.id} ({one.about});"
        f" {one.fixed} has not: python -m scripts.lock"
        for one in advisories
        if one.package in versions and versions[one.package] < one.fixed
    ]
    found += [
        f"pyproject.toml: {name}>={version} admits {one.id} ({one.about}); ask for {one.fixed}"
        for name, version in lowest(project)
        for one in advisories
        if one.package == name and version < one.fixed
    ]
    return found


def age_days(reviewed: date) -> int:
    """Since somebody went through the list."""
    return (datetime.now(UTC).date() - reviewed).days


def main() -> int:
    content = tomllib.loads(ADVISORIES.read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = locked((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    advisories = known(content)
    for line in (found := findings(advisories, versions, project)):
        print(line)
    old = age_days(content["reviewed"])
    print(f"audit: {len(versions)} locked packages, {len(advisories)} advisories, {old} days old")
    if old > OLD_DAYS:
        print("audit: go through scripts/advisories.toml again; nothing newer is known here")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
