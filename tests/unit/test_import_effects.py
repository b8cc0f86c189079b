"""`import guard` costs next to nothing and changes nothing in the application it enters."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import guard

RUNS = 5
LIMIT_SECONDS = 0.1

# Runs in a fresh interpreter. What the probe itself needs is imported before the first look.
PROBE = """
import json, logging, os, signal, sys, threading, time, warnings

def look():
    handlers = {name: [repr(h) for h in getattr(logger, "handlers", [])]
                for name, logger in logging.root.manager.loggerDict.items()}
    return {
        "threads": sorted(t.name for t in threading.enumerate()),
        "environment": dict(os.environ),
        "warning filters": [repr(f) for f in warnings.filters],
        "signal handlers": {s.name: repr(signal.getsignal(s)) for s in signal.valid_signals()
                            if isinstance(s, signal.Signals)},
        "log handlers": [repr(h) for h in logging.root.handlers],
        "loggers": handlers,
        "hooks": [repr(h) for h in (sys.excepthook, sys.displayhook, threading.excepthook)],
        "import path": [list(sys.path), [repr(f) for f in sys.meta_path]],
        "working folder": os.getcwd(),
        "open files": sorted(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else [],
    }

before, modules = look(), set(sys.modules)
start = time.perf_counter()
import guard
seconds = time.perf_counter() - start
after = look()
print(json.dumps({"before": before, "after": after, "seconds": seconds,
                  "modules": sorted(set(sys.modules) - modules)}))
"""


def probe() -> dict[str, object]:
    """Import guard in a fresh interpreter, away from coverage's own hooks, and look around."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("COV", "PYTHON"))}
    run = subprocess.run(
        [sys.executable, "-I", "-c", PROBE],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def seen() -> dict[str, object]:
    return probe()


def test_import_changes_nothing(seen: dict[str, object]) -> None:
    assert seen["after"] == seen["before"]


def test_import_loads_the_standard_library_only(seen: dict[str, object]) -> None:
    roots = {name.partition(".")[0] for name in seen["modules"]}
    assert roots - sys.stdlib_module_names == {"guard"}


def test_import_is_quick() -> None:
    assert any(probe()["seconds"] <= LIMIT_SECONDS for _ in range(RUNS))


def test_all_is_sorted_and_complete() -> None:
    public = {name for name in dir(guard) if not name.startswith("_")} - {"annotations"}
    submodules = {name for name in public if f"guard.{name}" in sys.modules}
    assert guard.__all__ == sorted(guard.__all__)
    assert set(guard.__all__) == (public - submodules - {"TYPE_CHECKING"}) | {"__version__"}


@pytest.mark.parametrize("name", guard.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(guard, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = guard.nonsense
