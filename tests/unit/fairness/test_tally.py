from __future__ import annotations

from guard.fairness.tally import (
    FOLDS,
    RollingWindow,
    add,
    by_fold,
    fold_of,
    key,
    moments,
    split,
    within,
)


def test_addition_has_a_zero_and_forgets_no_key() -> None:
    assert add() == {}
    assert add({"a": 1.0}, {}, {"a": 2.0, "b": 0.0}) == {"a": 3.0, "b": 0.0}


def test_any_text_may_be_a_part_of_a_key() -> None:
    for path in [("a",), ("", ""), ("%", "|"), ("%7C", "a|b", ""), ("ä", "\ud800")]:
        assert split(key(*path)) == path


def test_only_whole_parts_match_a_prefix() -> None:
    tally = {key("sent", "n"): 1.0, key("sentiment", "n"): 2.0, key("sent", "a", "b"): 3.0}
    assert within(tally, "sent") == {("n",): 1.0, ("a", "b"): 3.0}


def test_folds_are_stable_and_even() -> None:
    assert fold_of("call-1") == fold_of("call-1") == "09"
    counts = [0] * FOLDS
    for number in range(4000):
        counts[int(fold_of(f"call-{number}"))] += 1
    assert min(counts) > 140


def test_sums_by_fold() -> None:
    sums = {("00", "n"): 1.0, ("00", "x", "y"): 2.0, ("07", "n"): 3.0}
    assert by_fold(sums) == {"00": {("n",): 1.0, ("x", "y"): 2.0}, "07": {("n",): 3.0}}


def test_moments_are_those_of_the_formula() -> None:
    assert moments(-0.5, "gap") == {"gap|n": 1.0, "gap|sum": -0.5, "gap|squares": 0.25}


def test_a_window_ends_with_the_bucket_of_now_and_holds_one_more_than_it_is_long() -> None:
    window = RollingWindow(seconds=120.0, bucket_seconds=60.0)
    assert window.span(125.0) == range(3)
    assert window.span(180.0) == range(1, 4)
