"""Every metric as a plain function over lists and as an additive tally: pure, no I/O."""

from guard.fairness.tally import FOLDS, Metric, Tally, add, by_fold, fold_of, key, split, within

__all__ = ["FOLDS", "Metric", "Tally", "add", "by_fold", "fold_of", "key", "split", "within"]
