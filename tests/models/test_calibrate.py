"""From logits to probabilities, and where a head begins to count."""

import numpy as np
import pytest

from export.calibrate import Line, platt, sigmoid, threshold
from export.compare import Tolerance, TooFarFromOriginalError, difference, require_close
from export.manifest import HeadReading


def test_platt_finds_the_line_that_made_the_labels() -> None:
    generator = np.random.default_rng(1)
    logits = generator.normal(scale=3, size=20_000)
    labels = (generator.random(20_000) < sigmoid(0.5 * logits - 1)).astype(np.float32)
    line = platt(logits, labels)
    assert line.scale == pytest.approx(0.5, abs=0.03)
    assert line.bias == pytest.approx(-1, abs=0.05)


@pytest.mark.parametrize(
    "labels", [np.zeros(5), np.ones(5), np.zeros(0)], ids=["no", "yes", "none"]
)
def test_platt_leaves_alone_what_it_cannot_fit(labels: np.ndarray) -> None:
    assert platt(np.arange(len(labels), dtype=np.float32), labels) == Line()


def test_platt_never_turns_a_head_around() -> None:
    logits = np.linspace(-3, 3, 100)
    assert platt(logits, (logits < 0).astype(np.float32)) == Line()


def test_platt_on_separable_data_stays_finite() -> None:
    logits = np.linspace(-3, 3, 100)
    line = platt(logits, (logits > 0).astype(np.float32))
    assert 0 < line.scale < 100


def test_thresholds_let_few_benign_texts_through() -> None:
    values = np.random.default_rng(2).beta(1, 2, size=5000)
    assert (values >= threshold(values)).mean() <= 0.003
    assert (values >= threshold(values) - 0.02).mean() > 0.002


@pytest.mark.parametrize("values", [np.zeros(100), np.zeros(0)], ids=["calm", "none"])
def test_thresholds_never_go_below_half(values: np.ndarray) -> None:
    assert threshold(values) == 0.5


def test_thresholds_stay_reachable() -> None:
    assert threshold(np.ones(10)) == 0.999


def test_differences_count_decisions_that_changed() -> None:
    heads = [
        HeadReading(key="toxicity", scale=1.0, bias=0.0, threshold=0.5, harm=True),
        HeadReading(key="sentiment", scale=1.0, bias=0.0, threshold=None, harm=False),
    ]
    left = np.array([[0.1, 5.0], [-2.0, 0.0]])
    right = np.array([[-0.1, -5.0], [-2.0, 0.0]])
    found = difference(left, right, heads)
    assert found.flips == 0.25
    assert found.largest == pytest.approx(sigmoid(np.array(5.0)) - sigmoid(np.array(-5.0)))
    with pytest.raises(TooFarFromOriginalError, match="changed decisions"):
        require_close(found, Tolerance())
