"""What may be installed with the package: no release with a hole that is known and mended."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
HOLES = {
    "aiohttp": ("3.13.2", "CVE-2025-69223"),
    "h11": ("0.14.0", "CVE-2025-43859"),
    "jinja2": ("3.1.5", "CVE-2025-27516"),
    "starlette": ("0.49.0", "CVE-2025-62727"),
}
"""By name, the last release that has the hole."""


def requirements(name: str) -> list[Requirement]:
    """Every place where a package is asked for."""
    groups = [
        PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"].values(),
        *PROJECT["dependency-groups"].values(),
    ]
    found = [Requirement(text) for group in groups for text in group]
    return [one for one in found if one.name == name]


@pytest.mark.parametrize("name", HOLES)
def test_no_release_with_a_known_hole_is_good_enough(name: str) -> None:
    release, hole = HOLES[name]
    asked = requirements(name)
    assert asked
    assert [str(one) for one in asked if one.specifier.contains(release)] == [], hole


@pytest.mark.parametrize("extra", ["gateway", "review"])
def test_who_gets_uvicorn_gets_an_h11_without_its_hole(extra: str) -> None:
    asked = [Requirement(one).name for one in PROJECT["project"]["optional-dependencies"][extra]]
    assert {"h11", "uvicorn"} <= {*asked}


@pytest.mark.parametrize("name", ["aiohttp", "uvicorn"])
def test_a_later_release_of_what_is_built_on_is_tried_before_it_is_allowed(name: str) -> None:
    """`CheckedConnector` and `BoundedProtocol` override private methods of theirs."""
    assert all("<" in str(one.specifier) for one in requirements(name))
