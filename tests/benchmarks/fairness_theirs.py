"""The other side of bench_fairness: LangFair 0.8, as its users run it, without its sleeps.

Reads a JSON list of pairs of texts per line, writes the CPU seconds of each metric as JSON. What
it imports beside the metrics themselves (generators, LangChain) is left out, and so are the 0.1
seconds each `evaluate` sleeps for its progress bar.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

BARE = ("langfair", "langfair.metrics", "langfair.metrics.counterfactual")
BARE += ("langfair.metrics.counterfactual.metrics", "langfair.metrics.stereotype")
BARE += ("langfair.metrics.stereotype.metrics",)


def without_packages(bare: tuple[str, ...] = BARE) -> None:
    """Let the modules of LangFair be imported one by one, without what their packages import."""
    found = importlib.util.find_spec("langfair")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("LangFair is not installed here")
    root = Path(found.submodule_search_locations[0]).parent
    for name in bare:
        package = types.ModuleType(name)
        package.__path__ = [str(root.joinpath(*name.split(".")))]
        sys.modules[name] = package


def metrics(lists: dict[str, Any]) -> dict[str, Callable[[list[list[str]]], object]]:
    """What is measured, by name."""
    without_packages()
    from langfair.metrics.counterfactual.metrics.bleu import BleuSimilarity
    from langfair.metrics.counterfactual.metrics.rougel import RougelSimilarity
    from langfair.metrics.stereotype.metrics.associations import StereotypicalAssociations
    from langfair.metrics.stereotype.metrics.cooccurrence import CooccurrenceBiasMetric

    rouge, bleu = RougelSimilarity(), BleuSimilarity()
    lexica = {
        "demographic_group_word_lists": lists["groups"],
        "stereotype_word_list": lists["words"],
    }
    cobs, associations = CooccurrenceBiasMetric(**lexica), StereotypicalAssociations(**lexica)

    def over_pairs(metric: Any) -> Callable[[list[list[str]]], object]:
        return lambda pairs: metric.evaluate(
            *map(list, zip(*pairs, strict=True)), show_progress_bars=False
        )

    def over_texts(metric: Any) -> Callable[[list[list[str]]], object]:
        return lambda pairs: metric.evaluate(
            [t for p in pairs for t in p], show_progress_bars=False
        )

    return {
        "ROUGE-L": over_pairs(rouge),
        "BLEU": over_pairs(bleu),
        "COBS": over_texts(cobs),
        "SA": over_texts(associations),
    }


def main() -> None:
    measured = metrics(json.loads(sys.stdin.readline()))
    time.sleep = lambda _: None  # what LangFair calls after every metric
    for line in sys.stdin:
        pairs, seconds = json.loads(line), {}
        for name, metric in measured.items():
            start = time.process_time()
            metric(pairs)
            seconds[name] = time.process_time() - start
        print(json.dumps(seconds), flush=True)


if __name__ == "__main__":
    main()
