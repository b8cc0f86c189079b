"""What second looks cost: every guard reads every answer, and the costs are compared in parts."""

import shutil
from pathlib import Path

import numpy as np

from evaluate.guarded import settings_for
from evaluate.looks import measured, ratio
from guard import Guard

SHIPPED = Path(__file__).parents[2] / "models/guard_models/toxicity-stereotype-minilm"
INSULT = "You are a pathetic idiot and everybody hates you."


def test_a_ratio_is_of_the_sums() -> None:
    base = np.array([1.0, 2.0, 3.0])
    assert ratio(2 * base, base) == "2.000 (2.000-2.000)"


def test_every_guard_reads_every_answer_and_its_second_looks_are_counted(tmp_path: Path) -> None:
    shutil.copytree(SHIPPED, tmp_path / "copy")
    texts = [f"The answer to question {n} is on page {n}." for n in range(29)] + [INSULT]
    guards = {
        "alone": Guard.open(settings_for("bundled", "off")),
        "with": Guard.open(settings_for("bundled", str(tmp_path / "copy"))),
    }
    try:
        _, _, alone, looking = measured(guards, texts).splitlines()
    finally:
        for guard in guards.values():
            guard.close()
    assert alone.startswith("| alone | 30 | 1.000 (1.000-1.000) |")
    assert "'upheld': 1" in looking
    assert "'answers with one': 1" in looking
