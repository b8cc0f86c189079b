"""A run on disk, as it is read again for comparisons and gates."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from guard.assessment.compare import NamedRun, compare_runs, named_run
from guard.assessment.gate import GateResult, judge, read_rules
from guard.assessment.items import read_items
from guard.assessment.json_codec import decode_results
from guard.errors import AssessmentInputError

RESULTS: Final = "results.json"
ITEMS: Final = "items.jsonl"


def read_run(folder: Path) -> NamedRun:
    """The results of a run and its items. Raises AssessmentInputError."""
    file = folder / RESULTS
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AssessmentInputError(f"{file}: {error}; is it the folder of a run?") from error
    return named_run(folder.name, decode_results(text, str(file)), read_items(folder / ITEMS))


def judge_run(
    run: Path, rules: Path, *, against: Path | None = None, allow_different: bool = False
) -> GateResult:
    """What comes of the rules of a TOML file. against: the folder of a baseline; None without one.

    Raises AssessmentInputError.
    """
    made = read_run(run)
    compared = None
    if against is not None:
        compared = compare_runs(read_run(against), made, allow_different=allow_different)
    return judge(read_rules(rules), made.results, compared)
