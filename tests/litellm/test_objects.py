"""Objects of the real `litellm` package are read and edited as `guard.wrap` does it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.litellm.proxy import PYTHON

ROOT = Path(__file__).parents[2]
SAID = "You are a stupid idiot."
SCRIPT = Path(__file__).with_name("read_objects.py")


@pytest.fixture(scope="module")
def found() -> Any:
    if not PYTHON.exists():
        pytest.fail(f"{PYTHON} is missing: make test-litellm")
    ran = subprocess.run(
        [str(PYTHON), str(SCRIPT), SAID],
        capture_output=True,
        text=True,
        timeout=300,
        env={"PYTHONPATH": str(ROOT), "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.parametrize("kind", ["whole", "call", "chunk", "completion"])
def test_an_object_of_litellm_is_read_and_edited(found: Any, kind: str) -> None:
    read = found[kind]
    assert SAID in read["texts"]
    assert read["same_type"]
    assert SAID in read["kept"]
    for spelt in (SAID, ",".join(map(str, SAID.encode()))):
        assert spelt not in read["edited"]
