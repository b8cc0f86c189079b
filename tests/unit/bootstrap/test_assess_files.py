"""The files of a run."""

from __future__ import annotations

import os
from pathlib import Path

from guard.bootstrap.assess_files import JUNIT, MARKDOWN, REPORT, write_results
from guard.counterfactual import bundled
from tests.unit.assessment.results_made import results

NOBODY = 2**22 + 1
"""No process has a number as high (Linux: `PID_MAX_LIMIT`)."""


def test_what_a_killed_run_was_writing_is_removed_and_nothing_else(tmp_path: Path) -> None:
    kept = [f".items.jsonl.{os.getpid()}.partial", ".mine.partial", "notes.partial"]
    for name in (*kept, f".items.jsonl.{NOBODY}.partial"):
        (tmp_path / name).write_text("{")
    write_results(results(), tmp_path, bundled())
    assert {one.name for one in tmp_path.iterdir()} == {
        *kept,
        "results.json",
        JUNIT,
        MARKDOWN,
        REPORT,
    }
