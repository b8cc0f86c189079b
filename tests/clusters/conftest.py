"""One cluster of two nodes for all tests: it takes long to start. Its token is made for it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.clusters.cluster import TwoNodes


@pytest.fixture(scope="session")
def nodes() -> Iterator[TwoNodes]:
    """Both nodes are on 127.0.0.1, with one core each."""
    with TemporaryDirectory(prefix="g-") as folder, pytest.MonkeyPatch.context() as patch:
        (Path(folder) / "ray").mkdir()
        patch.setenv("RAY_TMPDIR", folder)  # short: sockets are in it
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        with TwoNodes.started() as found:
            yield found


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for files of input."""
    return tmp_path_factory.mktemp("data")
