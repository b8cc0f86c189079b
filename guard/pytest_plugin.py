"""The fixture `assess` for tests of your own; pytest loads it where evenguard is installed.

Nothing of the guard is imported before a test asks for the fixture.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def assess(tmp_path: Path) -> Callable[..., Any]:
    """`guard.testing.assess`; its files go into the folder of the test unless it names another."""
    return partial(import_module("guard.testing").assess, out=tmp_path / "assessment")
