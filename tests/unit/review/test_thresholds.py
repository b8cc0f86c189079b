"""What verdicts say about thresholds, and what they cannot say."""

from __future__ import annotations

from guard.fairness.tally import key
from guard.records import Reading, Undefined
from guard.review.thresholds import ThresholdProposal, proposals


def tally(reason: str, *bins: tuple[str, int, int]) -> dict[str, float]:
    """bins: figure, how many confirmed, how many rejected."""
    right = {key("flag", reason, "biased", figure): float(yes) for figure, yes, _ in bins}
    wrong = {key("flag", reason, "not_different", figure): float(no) for figure, _, no in bins}
    return right | wrong


def one(reason: str, *bins: tuple[str, int, int], wanted: float = 0.8) -> ThresholdProposal:
    [found] = proposals("chat", tally(reason, *bins), wanted=wanted)
    return found


def test_the_weakest_threshold_that_reaches_the_precision_is_proposed() -> None:
    found = one("toxicity_gap", ("0.30", 10, 30), ("0.50", 20, 5), ("0.70", 50, 1))
    assert (found.seen_from, found.threshold) == (0.3, 0.5)
    assert isinstance(found.precision, Reading)
    assert found.precision.value == 70 / 76
    assert found.more_verdicts == 0
    assert (found.low, found.high) == (0.5, 0.5)


def test_low_p_values_are_the_strong_ones() -> None:
    found = one("p_value", ("0.010", 10, 30), ("0.005", 20, 5), ("0.001", 50, 1))
    assert (found.seen_from, found.threshold) == (0.01, 0.005)


def test_few_verdicts_propose_with_a_wide_interval_and_say_how_many_are_missing() -> None:
    found = one("toxicity_gap", ("0.30", 1, 6), ("0.60", 10, 1))
    assert found.threshold == 0.6
    assert found.high is None
    assert found.more_verdicts is not None
    share, n = 10 / 11, 11 + found.more_verdicts
    assert 20 < n < 60
    sure = one("toxicity_gap", ("0.60", round(share * n * 10), round((1 - share) * n * 10)))
    assert sure.more_verdicts == 0


def test_below_ten_verdicts_nothing_is_proposed() -> None:
    found = one("toxicity_gap", ("0.50", 6, 0))
    assert (found.threshold, found.more_verdicts) == (None, 4)
    assert isinstance(found.precision, Undefined)


def test_what_was_never_reached_is_not_made_up() -> None:
    found = one("toxicity_gap", ("0.30", 10, 30), ("0.50", 10, 30))
    assert (found.threshold, found.high, found.more_verdicts) == (None, None, None)
    assert "no threshold" in str(found.precision)


def test_flags_without_a_figure_and_undecided_ones_are_left_out() -> None:
    undecided = {key("flag", "toxicity_gap", "unsure", "0.50"): 3.0}
    assert list(proposals("chat", tally("refusal", ("", 3, 3)) | undecided)) == []
