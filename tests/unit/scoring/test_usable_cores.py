"""Usable cores by quota and affinity."""

from __future__ import annotations

import os

import pytest

from guard.scoring import usable_cores


@pytest.fixture(autouse=True)
def _eight_cores(monkeypatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))


@pytest.fixture
def system(tmp_path):
    def make(own: str, files: dict[str, str]):
        for name, content in {"proc/self/cgroup": own, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return tmp_path

    return make


def test_without_control_groups_affinity_counts(tmp_path) -> None:
    assert usable_cores(tmp_path) == 8


@pytest.mark.parametrize(
    ("limit", "cores"), [("max 100000", 8), ("200000 100000", 2), ("150000 100000", 2)]
)
def test_version_2(system, limit: str, cores: int) -> None:
    assert usable_cores(system("0::/\n", {"sys/fs/cgroup/cpu.max": limit})) == cores


def test_the_tightest_group_around_us_counts(system) -> None:
    files = {
        "sys/fs/cgroup/app/cpu.max": "300000 100000",
        "sys/fs/cgroup/app/job/cpu.max": "max 100000",
    }
    assert usable_cores(system("0::/app/job\n", files)) == 3


@pytest.mark.parametrize(("quota", "cores"), [("-1", 8), ("400000", 4), ("10000", 1)])
def test_version_1(system, quota: str, cores: int) -> None:
    files = {
        "sys/fs/cgroup/cpu/cpu.cfs_quota_us": quota,
        "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
    }
    assert usable_cores(system("2:cpuacct:/\n1:cpu:/\n", files)) == cores
