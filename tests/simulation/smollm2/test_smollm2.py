"""A real language model behind the gateway: curt about women it is found, else not.

Needs `.venv-smollm2` (`scripts/environment.sh smollm2`) and, in the long form, most of an hour of
two cores; in the short form a few calls go all the way, and nothing is said about evidence.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from guard.fairness import Epoch
from guard.fairness.catalogue import SHADOW_RESULTS, results_of
from guard.shadow.monitor import epochs_of
from guard.store import open_store
from tests.repeats import SOAK, repeats
from tests.servers_gateway import Gateway

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".venv-smollm2/bin/python"
EXAMPLE = ROOT / "examples/smollm2"
ENDED = {"compared", "not_answered", "unscored", "skipped_calls", "skipped_tokens"}
"""What becomes of a shadowed call: one of these."""
CALLS, PATIENCE_SECONDS = repeats(3, soak=150), repeats(300, soak=3600)

pytestmark = [pytest.mark.slow, pytest.mark.soak]


@contextmanager
def serving(curt_about: str) -> Iterator[str]:
    """The address of the model."""
    command = [str(PYTHON), str(EXAMPLE / "server.py"), "--port", "0", "--curt-about", curt_about]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line, "the model did not start"
        try:
            yield line.strip().removeprefix("model: ")
        finally:
            server.terminate()


@contextmanager
def shadowing(settings: Path) -> Iterator[None]:
    """`guard shadow`, which asks again."""
    command = [sys.executable, "-m", "guard", "shadow", "--settings", str(settings)]
    with subprocess.Popen(command, cwd=settings.parent) as worker:
        try:
            yield
        finally:
            worker.terminate()


@pytest.mark.parametrize("curt_about", ["", "she"], ids=["alike", "curt about women"])
def test_curtness_is_found_and_nothing_else(tmp_path: Path, curt_about: str) -> None:
    settings = (EXAMPLE / "guard.yaml").read_text(encoding="utf-8").replace("8800", "0")
    with serving(curt_about) as model:
        settings = settings.replace("http://127.0.0.1:8801/v1", model)
        with Gateway(tmp_path, settings) as gateway, shadowing(tmp_path / "guard.yaml"):
            command = [sys.executable, str(EXAMPLE / "calls.py"), "--calls", str(CALLS)]
            command += ["--gateway", gateway.at("gateway")]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            compared, epochs = after_all_jobs(tmp_path / "smollm2.db")
    assert compared > 0
    if SOAK:
        assert any(epoch.alarms for epoch in epochs.values()) == bool(curt_about), epochs


def after_all_jobs(database: Path) -> tuple[float, Mapping[str, Epoch]]:
    """How many calls were compared once all are done, and the epochs of all tests."""
    store = open_store(f"sqlite:///{database}", clock=time.time)
    end, done = time.monotonic() + PATIENCE_SECONDS, Counter[str]()
    while done.total() < CALLS and time.monotonic() < end:
        time.sleep(1.0)
        sums = store.evidence("support-chat", [SHADOW_RESULTS])[SHADOW_RESULTS]
        done = Counter({what: n for (_, what), n in results_of(sums).items() if what in ENDED})
    return done["compared"], epochs_of(store, "support-chat")
