"""`python -m evaluate --data PATH --model DIR`: the tables of CARD.md."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from evaluate.report import Subject, report
from evaluate.rivals import Rival, baseline, exported, open_scorer
from evaluate.table import write_into_card
from export.manifest import read_readings
from export.outputs import classifier_graph
from export.scorer import open_session
from train.model import load
from train.recipe import Recipe
from train.rows import Row
from train.sampling import split_rows


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evaluate", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the normalised files")
    parser.add_argument("--model", type=Path, required=True, help="folder of the model")
    parser.add_argument("--weights", type=Path, help="also measure these float32 weights")
    parser.add_argument("--base", type=Path, help="the encoder that adapters in --weights stand on")
    parser.add_argument("--previous", type=Path, help="also the export in this folder")
    parser.add_argument("--baseline", action="store_true", help="also a TF-IDF baseline")
    parser.add_argument("--card", action="store_true", help="write the tables into CARD.md")
    return parser.parse_args()


def rivals_of(options: argparse.Namespace, training: Sequence[Row]) -> dict[str, Rival]:
    found: dict[str, Rival] = {}
    if options.previous:
        found["previous weights"] = exported(options.previous)
    if options.baseline:
        found["TF-IDF"] = baseline(training)
    return found


def subject_of(options: argparse.Namespace, training: Sequence[Row]) -> Subject:
    small = open_scorer(options.model)
    original = None
    if options.weights:
        graph = classifier_graph(load(options.weights, options.base), None)
        original = replace(small, session=open_session(graph.SerializeToString()))
    return Subject(
        small=small,
        original=original,
        readings=read_readings(options.model),
        data=options.data,
        rivals=rivals_of(options, training),
    )


def main() -> None:
    options = arguments()
    split = split_rows(options.data, Recipe())
    results = report(subject_of(options, split.training), split.validation)
    print(results)
    if options.card:
        write_into_card(options.model / "CARD.md", results)


if __name__ == "__main__":
    main()
