"""The tables, on a tiny model."""

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from evaluate import __main__ as command
from evaluate import metrics, speed
from evaluate.baseline import tfidf
from evaluate.metrics import (
    accuracy,
    calibration_error,
    estimate,
    precision_at,
    recall_at,
    roc_auc,
)
from evaluate.table import BEGIN, END, markdown, write_into_card
from export import build
from export.build import export_classifier
from export.compare import Tolerance
from export.texts import gather
from train.heads import index_of
from train.model import pretrained, save, seeded
from train.recipe import Recipe
from train.sampling import split_rows


def pairs_won(scores: np.ndarray, labels: np.ndarray) -> float:
    """ROC-AUC as it is defined."""
    duels = list(product(scores[labels], scores[~labels]))
    return sum((a > b) + (a == b) / 2 for a, b in duels) / len(duels)


@pytest.mark.parametrize("seed", range(5))
def test_auc_is_the_share_of_pairs_won(seed: int) -> None:
    generator = np.random.default_rng(seed)
    scores = generator.integers(0, 8, 60) / 8
    labels = generator.random(60) < 0.4
    assert roc_auc(scores, labels) == pytest.approx(pairs_won(scores, labels))


def test_auc_of_one_class_is_unknown() -> None:
    assert np.isnan(roc_auc(np.arange(3.0), np.ones(3, dtype=np.bool_)))


def test_precision_and_recall_at_a_threshold() -> None:
    scores, labels = np.array([0.9, 0.8, 0.6, 0.1]), np.array([True, False, True, True])
    assert precision_at(0.7)(scores, labels) == 0.5
    assert recall_at(0.7)(scores, labels) == pytest.approx(1 / 3)
    assert accuracy(scores, labels) == 0.5
    assert np.isnan(precision_at(0.95)(scores, labels))


def test_intervals_hold_the_value_and_narrow_with_more_texts() -> None:
    generator = np.random.default_rng(4)

    def width(count: int) -> float:
        labels = generator.random(count) < 0.5
        found = estimate(roc_auc, labels + generator.normal(size=count), labels)
        assert found.low < found.value < found.high
        return found.high - found.low

    assert width(3000) < width(100) / 2


def test_calibration_error_is_the_distance_to_the_frequencies() -> None:
    labels = np.arange(100) % 4 == 0
    assert calibration_error(np.full(100, 0.25), labels, bins=5) == pytest.approx(0)
    assert calibration_error(np.full(100, 0.75), labels, bins=5) == pytest.approx(0.5)
    assert calibration_error(labels.astype(np.float64), labels) == 0
    assert np.isnan(calibration_error(np.zeros(0), np.zeros(0, dtype=np.bool_)))


def test_the_baseline_learns_words_and_leaves_other_heads_at_zero(data: Path) -> None:
    predict = tfidf(split_rows(data, Recipe(rates={})).training)
    nasty, kind = predict(["the letter is awful and nasty", "the letter is calm and helpful"])
    assert nasty[index_of("toxicity")] > 0.5 > kind[index_of("toxicity")]
    assert nasty[index_of("sentiment")] < kind[index_of("sentiment")]
    assert nasty[index_of("toxicity.threat")] == 0


def test_tables_are_markdown() -> None:
    assert markdown(["a", "b"], [[1, "x"]]) == "| a | b |\n| --- | --- |\n| 1 | x |"


def test_a_card_keeps_what_stands_around_the_results(tmp_path: Path) -> None:
    card = tmp_path / "CARD.md"
    card.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_into_card(card, "new")
    write_into_card(card, "newer")
    assert card.read_text() == f"before\n{BEGIN}\nnewer\n{END}\nafter\n"


def test_a_card_without_marks_is_refused(tmp_path: Path) -> None:
    card = tmp_path / "CARD.md"
    card.write_text("nothing")
    with pytest.raises(ValueError, match="lacks the marks"):
        write_into_card(card, "new")


def test_the_command_fills_the_card(
    data: Path,
    base: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(metrics, "RESAMPLES", 20)
    monkeypatch.setattr(speed, "ROUNDS", 1)
    monkeypatch.setattr(build, "Tolerance", lambda: Tolerance(flips=0.1))
    seeded(5)
    model = pretrained(base, 0.0).eval()
    save(model, tmp_path / "run")
    folder = tmp_path / "model"
    export_classifier(model, base, gather(data, range_texts=40), folder)
    (folder / "CARD.md").write_text(f"# Card\n{BEGIN}\n{END}\n")
    paths = {"data": data, "model": folder, "weights": tmp_path / "run"}
    words = [word for name, path in paths.items() for word in (f"--{name}", str(path))]
    others = ["--previous", str(folder), "--baseline"]
    monkeypatch.setattr(sys, "argv", ["evaluate", *words, *others, "--card"])
    command.main()
    card = (folder / "CARD.md").read_text()
    assert all(f"### {title}" in card for title in ("Development sets", "Heads", "Speed"))
    assert "| tox_surge | ROC-AUC |" in card
    assert "| stereotype.religion |" in card
    assert "| previous weights | TF-IDF |" in card
    assert "| worst BPSN AUC | >= 0.92 |" in card
    assert all(f"### {title}" in card for title in ("Functional tests", "Groups", "Worst errors"))
    assert "llm_xstest" in capsys.readouterr().out
