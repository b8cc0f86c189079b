"""The public development sets, and how each reads the outputs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluate.metrics import Labels, Metric, accuracy, roc_auc
from export.quantise import Floats
from train.heads import index_of
from train.rows import read_jsonl


@dataclass(frozen=True, slots=True, kw_only=True)
class DevelopmentSet:
    """A file, the field that holds its label, the heads that are read, and the metric."""

    name: str
    label: str
    heads: tuple[str, ...]
    metric_name: str
    metric: Metric

    def read(self, data: Path) -> tuple[list[str], Labels]:
        records = list(read_jsonl(data / "dev" / f"{self.name}.jsonl.gz"))
        labels = np.array([record[self.label] == 1 for record in records])
        return [record["text"] for record in records], labels

    def score(self, values: Floats) -> Floats:
        """The highest of the heads that are read."""
        result: Floats = values[:, [index_of(key) for key in self.heads]].max(axis=1)
        return result


def ranked(name: str, label: str, *heads: str) -> DevelopmentSet:
    return DevelopmentSet(
        name=name, label=label, heads=heads, metric_name="ROC-AUC", metric=roc_auc
    )


SETS = (
    ranked("tox_surge", "tox", "toxicity"),
    ranked("tox_wikidetox_nonfuzzed", "tox", "toxicity"),
    ranked("tox_implicit_hate_20pct", "tox", "toxicity", "toxicity.identity_attack"),
    ranked("stereo_redditbias_20pct", "stereo", "stereotype"),
    DevelopmentSet(
        name="sent_sst2_test",
        label="sent",
        heads=("sentiment",),
        metric_name="accuracy",
        metric=accuracy,
    ),
)

Predict = Callable[[list[str]], Floats]
