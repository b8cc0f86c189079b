"""What a model is measured against, and how any of them is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from evaluate.baseline import tfidf
from evaluate.sets import Predict
from evaluate.suites import Scorer as Score
from export.compare import values
from export.manifest import CLASSIFIER, MODEL, TOKENIZER, HeadReading, read_readings
from export.quantise import Floats
from export.scorer import Scorer, open_session, whole
from train.heads import KEYS
from train.rows import Row

MAIN = ("toxicity", "stereotype")
MIDDLE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """Something that gives the values of all heads, and from where on a value counts."""

    predict: Predict
    thresholds: Mapping[str, float]

    def score(self) -> Score:
        """As the suites ask: for each text its values by key."""
        return lambda texts: [dict(zip(KEYS, line, strict=True)) for line in self.lists(texts)]

    def lists(self, texts: list[str]) -> list[list[float]]:
        found: list[list[float]] = self.predict(texts).tolist()
        return found


def main_thresholds(readings: Sequence[HeadReading]) -> dict[str, float]:
    """Of the heads that the built-in policy acts on."""
    return {r.key: r.threshold for r in readings if r.key in MAIN and r.threshold is not None}


def open_scorer(folder: Path) -> Scorer:
    """The exported model in a folder."""
    return Scorer(
        session=open_session(folder / MODEL),
        tokenizer=Tokenizer.from_file(str(folder / TOKENIZER)),
        window_tokens=CLASSIFIER.window_tokens,
    )


def exported(folder: Path) -> Rival:
    """The weights of another export, with their own calibration and thresholds."""
    scorer, readings = open_scorer(folder), read_readings(folder)

    def predict(texts: list[str]) -> Floats:
        return values(whole(scorer, texts), readings)

    return Rival(predict=predict, thresholds=main_thresholds(readings))


def baseline(rows: Sequence[Row]) -> Rival:
    """TF-IDF; where it says more likely than not, it fires."""
    return Rival(predict=tfidf(rows), thresholds=dict.fromkeys(MAIN, MIDDLE))
