"""One proxy, one gateway and one model for all tests: a proxy takes long to start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.litellm.scene import Scene, open_scene


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder: Path = tmp_path_factory.mktemp("litellm")
    with ExitStack() as stack:
        yield open_scene(folder, stack)
