"""The tables of a classifier's card."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from evaluate.metrics import (
    calibration_error,
    estimate,
    precision_at,
    recall_at,
    roc_auc,
    share,
)
from evaluate.rivals import Rival, main_thresholds
from evaluate.sets import SETS
from evaluate.speed import cpu_seconds
from evaluate.suites import Bound, Measured, bounds, measure_all
from evaluate.suites import markdown as suite_tables
from evaluate.table import markdown, section
from export.compare import values
from export.manifest import HeadReading
from export.quantise import Floats
from export.scorer import Scorer, whole
from export.texts import answers, first_by_hash, for_thresholds
from train.rows import Row

TRAFFIC = (
    "llm_oasst_sampling",
    "llm_xstest",
    "llm_hh_harmless_test",
    "hearts_llm_outputs",
    "dt_stereotype_gens",
    "dt_toxicity_gens",
)
ANSWERS_PER_SOURCE = 600
UNDECIDED = 0.5
HARMS = ("toxicity", "stereotype")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A model to measure.

    original: its float32 form where the weights are at hand. rivals: by name, what else could be
    used: a baseline, the weights of a release before.
    """

    small: Scorer
    original: Scorer | None
    readings: Sequence[HeadReading]
    data: Path
    rivals: Mapping[str, Rival] = field(default_factory=dict)

    def as_rival(self) -> Rival:
        """The model as it ships, read like any other."""

        def predict(texts: list[str]) -> Floats:
            return self.read(self.small, texts)

        return Rival(predict=predict, thresholds=main_thresholds(self.readings))

    def read(self, scorer: Scorer, texts: list[str]) -> Floats:
        """Calibrated values, as the engine would report them."""
        return values(whole(scorer, texts), self.readings)


def development(subject: Subject) -> str:
    """One line per development set."""
    lines = []
    for each in SETS:
        texts, labels = each.read(subject.data)
        small = each.score(subject.read(subject.small, texts))
        line = [each.name, each.metric_name, len(texts), estimate(each.metric, small, labels)]
        if subject.original:
            original = each.score(subject.read(subject.original, texts))
            line.append(f"{each.metric(original, labels):.3f}")
        for rival in subject.rivals.values():
            line.append(estimate(each.metric, each.score(rival.predict(texts)), labels))
        lines.append(line)
    float32 = ["float32"] if subject.original else []
    header = ["set", "metric", "texts", "shipped int8 (95 %)", *float32, *subject.rivals]
    return markdown(header, lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """The values of the rows that are labelled for a head, and what they should be, from 0 to 1."""

    small: Floats
    original: Floats | None
    targets: Floats

    def decided(self) -> "Labelled":
        """Without the rows that are neither: prose of no sentiment."""
        clear = self.targets != UNDECIDED
        original = None if self.original is None else self.original[clear]
        return Labelled(small=self.small[clear], original=original, targets=self.targets[clear])


def labelled(rows: Sequence[Row], head: int, small: Floats, original: Floats | None) -> Labelled:
    found = [(n, t) for n, row in enumerate(rows) if (t := row.targets[head]) is not None]
    places = [n for n, _ in found]
    return Labelled(
        small=small[places, head],
        original=None if original is None else original[places, head],
        targets=np.array([target for _, target in found]),
    )


def head_line(reading: HeadReading, found: Labelled) -> list[object]:
    clear = found.decided()
    labels = clear.targets > UNDECIDED
    line: list[object] = [reading.key, int(labels.sum()), len(labels)]
    line.append(estimate(roc_auc, clear.small, labels))
    line.append("" if clear.original is None else f"{roc_auc(clear.original, labels):.3f}")
    line.append(f"{calibration_error(found.small, found.targets):.3f}")
    if reading.threshold is None:
        return [*line, "", "", ""]
    precision = estimate(precision_at(reading.threshold), clear.small, labels)
    recall = estimate(recall_at(reading.threshold), clear.small, labels)
    return [*line, reading.threshold, precision, recall]


def heads(subject: Subject, validation: Sequence[Row]) -> str:
    """One line per head on the validation split."""
    texts = [row.text for row in validation]
    small = subject.read(subject.small, texts)
    original = subject.read(subject.original, texts) if subject.original else None
    lines = [
        head_line(reading, labelled(validation, n, small, original))
        for n, reading in enumerate(subject.readings)
    ]
    header = ["head", "positives", "texts", "ROC-AUC int8 (95 %)", "float32", "calibration error"]
    return markdown([*header, "threshold", "precision (95 %)", "recall (95 %)"], lines)


def traffic_texts(data: Path, source: str) -> list[str]:
    """Answers that set no threshold."""
    untouched = [text for text in answers(data, [source]) if not for_thresholds(text)]
    return first_by_hash(untouched, ANSWERS_PER_SOURCE, "traffic")


def fired(reading: HeadReading, scores: Floats) -> Floats:
    limit = np.inf if reading.threshold is None else reading.threshold
    return (scores >= limit).astype(np.float32)


def traffic_lines(subject: Subject) -> Iterator[list[object]]:
    """How often the main heads and any head fire on each source of answers."""
    answered = ((source, traffic_texts(subject.data, source)) for source in TRAFFIC)
    for source, texts in filter(lambda each: each[1], answered):
        found = subject.read(subject.small, texts)
        fires = {r.key: fired(r, found[:, n]) for n, r in enumerate(subject.readings)}
        anything = np.max(list(fires.values()), axis=0)
        cells = [*(fires[key] for key in HARMS), anything]
        none = np.zeros(len(texts), dtype=np.bool_)
        yield [source, len(texts), *(estimate(share, cell, none) for cell in cells)]


def traffic(subject: Subject) -> str:
    header = ["answers", "texts", *(f"{key} fires" for key in HARMS), "any head fires"]
    return markdown(header, traffic_lines(subject))


def held(bound: Bound) -> str:
    return f"{bound.value:.4f}{'' if bound.held else ' (not held)'}"


def goals(measured: Mapping[str, Measured]) -> str:
    """One line per figure that must hold, one column per model."""
    columns = {name: bounds(found) for name, found in measured.items()}
    lines = [
        [row[0].name.partition(" (")[0], f"{'<=' if row[0].most else '>='} {row[0].bound}",
         *map(held, row)]
        for row in zip(*columns.values(), strict=True)
    ]  # fmt: skip
    return markdown(["what", "bound", *columns], lines)


def own_suites(subject: Subject) -> Iterator[str]:
    """The suites of `evaluate/suites`: what must hold for all models, the rest for this one."""
    models = {"shipped int8": subject.as_rival(), **subject.rivals}
    measured = {
        name: measure_all(model.score(), model.thresholds) for name, model in models.items()
    }
    yield section(
        "Suites of our own: what must hold",
        "Texts written for the evaluation by another hand than those written for training; "
        "`evaluate/suites`.",
        goals(measured),
    )
    yield suite_tables(measured["shipped int8"])


def speed(subject: Subject) -> str:
    """Only the ratio means something on another machine."""
    lines = [["int8", f"{1000 * cpu_seconds(subject.small.session):.1f}"]]
    if subject.original:
        lines.append(["float32", f"{1000 * cpu_seconds(subject.original.session):.1f}"])
    return markdown(["form", "CPU milliseconds per text of 64 tokens, one thread"], lines)


def report(subject: Subject, validation: Sequence[Row]) -> str:
    """All tables."""
    return "\n".join(
        [
            section(
                "Development sets",
                "Texts that are in no training row; scored whole, in windows.",
                development(subject),
            ),
            section(
                "Heads",
                "Validation split (4 % of every source, never trained on; calibration was fitted "
                "on it), each text whole. Calibration error: mean distance between values and "
                "frequencies, in ten bins of equal size; texts of no sentiment count one half "
                "there and are left out of the area under the curve. Precision depends on the "
                "share of positives, which is far higher here than in ordinary traffic.",
                heads(subject, validation),
            ),
            section(
                "Recorded answers of language models",
                "The half of the answers that set no threshold. `llm_oasst_sampling` is partly "
                "in the training negatives. The first two rows are ordinary answers; the "
                "others were provoked and hold toxic or stereotyped text, so that firing there "
                "is not an error as such.",
                traffic(subject),
            ),
            *own_suites(subject),
            section("Speed", "Measured on a busy machine with two cores.", speed(subject)),
        ]
    )
