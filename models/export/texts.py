"""Which texts ranges are measured on, and which the result is checked and calibrated on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from train.keys import fraction_of, text_key
from train.recipe import REFINING
from train.rows import Row, read_jsonl
from train.sampling import split_rows
from train.written import written_rows
from train.written.hard import Part, hard_texts

# Answers, encyclopedic prose and refutations: what a guarded assistant says all day.
BENIGN = (
    "llm_",
    "bold_wikipedia",
    "wiki_debias",
    "gap_wikipedia",
    "wikipedia_sentences",
    "positive_frames",
    "emgsd_unrelated",
    "neutral",  # rows of our own: every group, in prose and in answers
    "answers",
)
SEED = 2
BENIGN_TRAFFIC = ("llm_xstest", "llm_oasst_sampling")
# Activations of very short and very odd texts run further out than those of prose.
ODD = (
    "",
    ".",
    "a",
    "Yes.",
    "No.",
    "OK",
    "Thanks!",
    "Sorry",
    "Hello there",
    "42",
    "3.14159, 2.71828, 1.41421",
    "!!!!!!!!!!!!!!!!",
    "WHY ARE YOU SHOUTING AT ME",
    "\U0001f600 \U0001f44d \u2764",
    "\u00bfD\u00f3nde est\u00e1 la biblioteca?",
    "\u4f60\u597d\uff0c\u4e16\u754c",
    "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440",
    "def add(a, b):\n    return a + b",
    '{"id": 7, "name": null, "tags": ["x", "y"]}',
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "https://example.org/a/b?c=d#e",
    "la la la la la la la la la la la la la la la la",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "[MASK] [UNK] [PAD]",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Texts and rows for one export.

    benign: ordinary texts. rough: harmless texts that look harmful, of templates not trained on.
    """

    ranges: list[str]
    validation: list[Row]
    benign: list[str]
    rough: list[str]


def first_by_hash(texts: Iterable[str], count: int, salt: str) -> list[str]:
    """A sample that stays the same when texts are added or removed elsewhere."""
    return sorted(texts, key=lambda text: (fraction_of(text, salt), text))[:count]


def texts_of_our_own(count: int = 300) -> list[str]:
    """For whoever has no data: rows that were written for this project, and the odd texts."""
    return [*first_by_hash((row.text for row in written_rows(seed=1)), count, "check"), *ODD]


def is_benign(row: Row) -> bool:
    source = row.source.partition("/")[2]
    return source.startswith(BENIGN) and not row.source.startswith("sentiment/")


def answers(data: Path, sources: Sequence[str]) -> list[str]:
    """Recorded answers of language models."""
    found = read_jsonl(data / "replay" / "traffic.jsonl.gz")
    return [record["response"] for record in found if record["src"] in sources]


def for_thresholds(text: str) -> bool:
    """One half of the recorded answers sets thresholds, the other half tests them."""
    return fraction_of(text_key(text), "thresholds") < 0.5


def gather(data: Path, range_texts: int = 800) -> Material:
    split = split_rows(data, REFINING)
    traffic = [text for text in answers(data, BENIGN_TRAFFIC) if for_thresholds(text)]
    seen = [row.text for row in split.training]
    return Material(
        ranges=list(ODD)
        + first_by_hash(seen, range_texts * 3 // 4, "ranges")
        + first_by_hash(traffic, range_texts // 4, "ranges"),
        validation=split.validation,
        benign=[row.text for row in split.validation if is_benign(row)] + traffic,
        rough=[text.row.text for text in hard_texts(SEED, Part.VALIDATION) if text.rough],
    )


def sampled(material: Material, count: int | None) -> Material:
    """With so many rows to calibrate on, and benign texts, at most; all of them without a number.

    By a hash of the text, so that a source is in it with about its share.
    """
    if count is None:
        return material
    rows = sorted(material.validation, key=lambda row: fraction_of(row.key, "calibration"))
    benign = first_by_hash(material.benign, count, "calibration")
    return replace(material, validation=rows[:count], benign=benign)
