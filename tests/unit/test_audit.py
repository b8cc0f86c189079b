"""What is locked and admitted has no known hole, and the audit would say so if it had."""

from __future__ import annotations

import tomllib
from datetime import date

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from scripts import audit, lock

PROJECT = tomllib.loads((audit.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONTENT = tomllib.loads(audit.ADVISORIES.read_text(encoding="utf-8"))
LOCKED = audit.locked(lock.LOCK.read_text(encoding="utf-8"))


def test_nothing_with_a_known_hole_is_locked_or_admitted() -> None:
    assert audit.findings(audit.known(CONTENT), LOCKED, PROJECT) == []


@pytest.mark.parametrize("text", lock.wanted(PROJECT))
def test_the_lock_has_a_version_of_all_that_is_wanted(text: str) -> None:
    requirement = Requirement(text)
    found = LOCKED[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(found, prereleases=True)


def test_every_file_is_known_by_its_digest() -> None:
    lines = lock.LOCK.read_text(encoding="utf-8").splitlines()
    packages = [line for line in lines if not line.startswith("#")]
    assert len(packages) == len(LOCKED)
    assert all(" --hash=sha256:" in line for line in packages)


def test_a_hole_is_named_where_it_is_locked_and_where_it_is_admitted() -> None:
    project = {"dependencies": ["thing>=1.2"], "optional-dependencies": {"more": ["Other_one"]}}
    advisories = audit.known(
        {
            "advisory": [
                {"package": "Thing", "id": "CVE-1", "fixed": "1.3", "about": "it is open"},
                {"package": "other.one", "id": "CVE-2", "fixed": "2", "about": "so is this"},
            ]
        }
    )
    found = audit.findings(advisories, {"thing": Version("1.2.9")}, project)
    assert found == [
        "requirements.lock: thing 1.2.9 has CVE-1 (it is open);"
        " 1.3 has not: python -m scripts.lock",
        "pyproject.toml: thing>=1.2 admits CVE-1 (it is open); ask for 1.3",
        "pyproject.toml: other-one>=0 admits CVE-2 (so is this); ask for 2",
    ]
    assert audit.findings(
        advisories, {"thing": Version("1.3")}, {**project, "dependencies": []}
    ) == ["pyproject.toml: other-one>=0 admits CVE-2 (so is this); ask for 2"]


def test_the_list_says_when_somebody_went_through_it() -> None:
    assert isinstance(CONTENT["reviewed"], date)
    assert audit.age_days(CONTENT["reviewed"]) >= 0
