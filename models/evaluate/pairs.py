"""`python -m evaluate.pairs --data DATA --model DIR`: the tables of the card of a pair classifier.

Measured as the guard runs it. Hypothesis-only figures say how much of an accuracy comes from how
hypotheses were written and not from reading the premise (Gururangan et al. 2018).
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from evaluate.metrics import Estimate, calibration_error, estimate, share
from evaluate.table import markdown, section, write_into_card
from export.pairs import first_rows, texts_of
from export.quantise import Floats
from guard.scoring import PairClassifier, model_at, open_pair_classifier
from train.pairs.recipe import PAIRS
from train.pairs.rows import LABELS, POSSIBLE, PairRow, distinct, read_pairs, split_pairs
from train.pairs.surrounded import among

DEVELOPMENT = "nli_snli_test"
SAMPLE = 2000
BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPairs:
    """Rows and what a classifier says of them, [rows, 3]."""

    rows: Sequence[PairRow]
    chances: Floats

    @property
    def right(self) -> Floats:
        """1 where the likeliest label is a possible one."""
        possible = np.array([row.possible for row in self.rows], dtype=np.float32)
        possible = possible.reshape(-1, len(LABELS))
        found: Floats = possible[np.arange(len(possible)), self.chances.argmax(1)]
        return found

    def of_label(self, label: str) -> "JudgedPairs":
        at = [n for n, row in enumerate(self.rows) if row.possible == POSSIBLE[label]]
        return JudgedPairs(rows=[self.rows[n] for n in at], chances=self.chances[at])

    def accuracy(self) -> Estimate:
        return accuracy_of(self.right)

    def precision(self, label: str) -> Estimate:
        """Of those that are said to be of a label, the share that is."""
        return accuracy_of(self.right[self.chances.argmax(1) == LABELS.index(label)])


def accuracy_of(right: Floats) -> Estimate:
    if not len(right):
        return Estimate(value=np.nan, low=np.nan, high=np.nan, n=0)
    return estimate(share, right, np.zeros(len(right), dtype=np.bool_))


def judged(classifier: PairClassifier, rows: Sequence[PairRow]) -> JudgedPairs:
    return JudgedPairs(rows=rows, chances=classifier.probabilities(texts_of(rows)))


def with_sentences(rows: Sequence[PairRow], count: int) -> list[PairRow]:
    """Each premise among so many of other rows."""
    rng = Random(f"{count} sentences")
    premises = sorted({row.premise for row in rows})
    return [
        replace(row, premise=among(row.premise, rng.choices(premises, k=count), rng))
        for row in rows
    ]


def quoted(rows: Sequence[PairRow]) -> list[PairRow]:
    """Each hypothesis among two premises of others: it is said there, whatever else is."""
    said = [replace(row, premise=row.hypothesis, possible=POSSIBLE["entailment"]) for row in rows]
    rng = Random("quoted")
    premises = sorted({row.premise for row in rows})
    return [
        replace(row, premise=among(row.premise, rng.choices(premises, k=2), rng)) for row in said
    ]


def classes(found: JudgedPairs) -> str:
    lines: list[list[object]] = [["all", len(found.rows), found.accuracy(), ""]]
    for label in LABELS:
        part = found.of_label(label)
        lines.append([label, len(part.rows), part.accuracy(), found.precision(label)])
    return markdown(["label", "pairs", "found (95 %)", "precision (95 %)"], lines)


def without_premise(rows: Sequence[PairRow]) -> list[PairRow]:
    return [replace(row, premise="") for row in rows]


def hypothesis_only(training: Sequence[PairRow], rows: Sequence[PairRow]) -> Estimate:
    """Words of the hypothesis and logistic regression, trained on the same sources."""
    known = [
        row for row in training if sum(row.possible) == 1 and row.source in {"snli", "cad_nli"}
    ]
    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True),
        LogisticRegression(max_iter=200),
    )
    model.fit([row.hypothesis for row in known], [row.possible.index(1.0) for row in known])
    said = model.predict([row.hypothesis for row in rows])
    right = [row.possible[label] for row, label in zip(rows, said, strict=True)]
    return accuracy_of(np.array(right, dtype=np.float32))


def forms(
    classifier: PairClassifier, rows: Sequence[PairRow], training: Sequence[PairRow]
) -> Iterator[list[object]]:
    """Other premises, and none."""
    made = {
        "premises of 2 sentences": with_sentences(rows, 1),
        "premises of 3 sentences": with_sentences(rows, 2),
        "the hypothesis among 2 premises of others: entailed": quoted(rows),
        "no premise, the same model": without_premise(rows),
    }
    for name, each in made.items():
        yield [name, len(each), judged(classifier, each).accuracy()]
    yield [
        "no premise, words of the hypothesis (TF-IDF)",
        len(rows),
        hypothesis_only(training, rows),
    ]


def bins(found: JudgedPairs) -> Iterator[list[object]]:
    """How sure the classifier is of its label, and how often it is right."""
    sure, right = found.chances.max(1), found.right
    order: npt.NDArray[np.int64] = np.argsort(sure, kind="stable")
    for part in filter(len, np.array_split(order, BINS)):
        low, high = sure[part[0]], sure[part[-1]]
        yield [
            f"{low:.2f} to {high:.2f}", len(part), f"{sure[part].mean():.3f}",
            f"{right[part].mean():.3f}",
        ]  # fmt: skip


def sources(found: JudgedPairs) -> Iterator[list[object]]:
    for source in sorted({row.source for row in found.rows}):
        at = [n for n, row in enumerate(found.rows) if row.source == source]
        yield [source, len(at), accuracy_of(found.right[at])]


def report(classifier: PairClassifier, data: Path) -> str:
    """All tables."""
    split = split_pairs(data, PAIRS)
    snli = judged(classifier, list(distinct(read_pairs(data / "dev" / f"{DEVELOPMENT}.jsonl.gz"))))
    sample = first_rows(snli.rows, SAMPLE, "forms")
    validation = judged(classifier, split.validation)
    error = calibration_error(snli.chances.max(1), snli.right)
    return "\n".join(
        [
            section(
                "SNLI test",
                "Pairs of which neither they nor their premises were trained on.",
                classes(snli),
            ),
            section(
                "Longer premises, and none",
                "A sample of SNLI test; sentences of other premises stand before or after. What is"
                " found without a premise is owed to how hypotheses were written.",
                markdown(["form", "pairs", "accuracy (95 %)"],
                         forms(classifier, sample, split.training)),
            ),
            section(
                "Calibration",
                f"SNLI test; mean distance between confidence and accuracy {error:.3f}.",
                markdown(["confidence", "pairs", "mean confidence", "accuracy"], bins(snli)),
            ),
            section(
                "Validation split by source",
                "4 % of the premises, never trained on; the temperature was fitted on them. Where"
                " a label leaves neutral and contradiction open, both are right.",
                markdown(["source", "pairs", "accuracy (95 %)"], sources(validation)),
            ),
        ]
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="evaluate.pairs", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the normalised files")
    parser.add_argument("--model", type=Path, required=True, help="folder of the model")
    parser.add_argument("--card", action="store_true", help="write the tables into CARD.md")
    options = parser.parse_args()
    results = report(open_pair_classifier(model_at(options.model)), options.data)
    print(results)
    if options.card:
        write_into_card(options.model / "CARD.md", results)


if __name__ == "__main__":
    main()
