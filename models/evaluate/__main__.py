"""`python -m evaluate --data PATH --model DIR`: the tables of CARD.md."""

import argparse
from dataclasses import replace
from pathlib import Path

from tokenizers import Tokenizer

from evaluate.report import Subject, report
from evaluate.table import write_into_card
from export.manifest import CLASSIFIER, MODEL, TOKENIZER, read_readings
from export.outputs import classifier_graph
from export.scorer import Scorer, open_session
from train.model import load
from train.recipe import Recipe
from train.sampling import split_rows


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evaluate", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the normalised files")
    parser.add_argument("--model", type=Path, required=True, help="folder of the model")
    parser.add_argument("--weights", type=Path, help="also measure these float32 weights")
    parser.add_argument("--card", action="store_true", help="write the tables into CARD.md")
    return parser.parse_args()


def subject_of(options: argparse.Namespace) -> Subject:
    small = Scorer(
        session=open_session(options.model / MODEL),
        tokenizer=Tokenizer.from_file(str(options.model / TOKENIZER)),
        window_tokens=CLASSIFIER.window_tokens,
    )
    original = None
    if options.weights:
        graph = classifier_graph(load(options.weights), None)
        original = replace(small, session=open_session(graph.SerializeToString()))
    return Subject(
        small=small,
        original=original,
        readings=read_readings(options.model),
        data=options.data,
    )


def main() -> None:
    options = arguments()
    validation = split_rows(options.data, Recipe()).validation
    results = report(subject_of(options), validation)
    print(results)
    if options.card:
        write_into_card(options.model / "CARD.md", results)


if __name__ == "__main__":
    main()
