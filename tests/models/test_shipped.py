"""The files in the repository."""

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from evaluate.rivals import exported
from evaluate.suites import golden_cases
from evaluate.suites.decide import fires
from export.compare import cosines, values
from export.manifest import CLASSIFIER, EMBEDDER, Identity, read_readings, sha256
from export.outputs import embedder_graph
from export.quantise import Floats
from export.scorer import Scorer, open_session, outputs, whole
from train.heads import KEYS, index_of
from train.model import base_folder, pretrained

SHIPPED = Path(__file__).resolve().parents[2] / "models" / "guard_models"
GOLDEN = {"toxicity": 0.97, "stereotype": 0.71, "sentiment": 0.81}
"""Share of the golden texts that the shipped weights put on the right side, by head."""

SENTENCES = [
    "A cat sleeps on the warm windowsill.",
    "A kitten is napping by the window.",
    "The stock market fell sharply on Monday.",
    "Shares dropped at the start of the week.",
    "Please summarise the conversation in three sentences.",
    "I cannot help with that, but I can suggest a safer way.",
    "The nurse explained the results to the patient and her father.",
    "Photosynthesis turns light, water and carbon dioxide into sugar.",
    "def add(a, b): return a + b",
    "Yes.",
    "¿Dónde está la biblioteca?",
    "The committee will publish its findings next spring. " * 20,
]


def reader(identity: Identity) -> Scorer:
    folder = SHIPPED / identity.name
    return Scorer(
        session=open_session(folder / "model.onnx"),
        tokenizer=Tokenizer.from_file(str(folder / "tokenizer.json")),
        window_tokens=identity.window_tokens,
    )


@pytest.fixture(scope="module")
def vectors() -> tuple[Floats, Floats]:
    """The shipped embedder and its original in float32."""
    small = reader(EMBEDDER)
    graph = embedder_graph(pretrained(base_folder(), 0.0).eval(), None)
    original = Scorer(
        session=open_session(graph.SerializeToString()),
        tokenizer=small.tokenizer,
        window_tokens=small.window_tokens,
    )
    return outputs(original, SENTENCES), outputs(small, SENTENCES)


@pytest.mark.parametrize("identity", [CLASSIFIER, EMBEDDER], ids=lambda each: each.name)
def test_folders_are_complete_and_match_their_manifest(identity: Identity) -> None:
    folder = SHIPPED / identity.name
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for name, digest in manifest["files"].items():
        assert sha256(folder / name) == digest
        assert (folder / name).stat().st_size <= 25_000_000
    assert (manifest["name"], manifest["task"]) == (identity.name, identity.task)
    assert manifest["window_tokens"] == identity.window_tokens
    card = (folder / "CARD.md").read_text(encoding="utf-8")
    assert {"## Intended use", "## Data", "## Limits"} <= set(card.splitlines())
    assert "unbiased" not in card.lower()


@pytest.mark.parametrize("identity", [CLASSIFIER, EMBEDDER], ids=lambda each: each.name)
def test_tokenizers_leave_windows_to_the_engine(identity: Identity) -> None:
    tokenizer = Tokenizer.from_file(str(SHIPPED / identity.name / "tokenizer.json"))
    assert tokenizer.truncation is None
    assert tokenizer.padding is None


def test_shipped_vectors_are_parallel_to_the_original(vectors: tuple[Floats, Floats]) -> None:
    original, small = vectors
    assert cosines(original, small).min() > 0.96
    assert cosines(original, small).mean() > 0.99
    assert np.linalg.norm(small, axis=1) == pytest.approx(1, abs=1e-5)


def test_shipped_vectors_keep_similarities(vectors: tuple[Floats, Floats]) -> None:
    original, small = vectors
    assert np.abs(original @ original.T - small @ small.T).max() < 0.06
    assert small[0] @ small[1] > small[0] @ small[2] + 0.3
    assert small[2] @ small[3] > small[2] @ small[4] + 0.3


@pytest.fixture(scope="module")
def read() -> dict[str, dict[str, float]]:
    """Values of the shipped classifier for a few texts."""
    texts = [
        "You are a worthless idiot and everyone hates you.",
        "Thank you so much, that was a lovely and helpful answer!",
        "The library opens at nine and closes at six.",
        "Women are too emotional to be good leaders.",
    ]
    folder = SHIPPED / CLASSIFIER.name
    found = values(whole(reader(CLASSIFIER), texts), read_readings(folder))
    return {
        t: dict(zip(KEYS, map(float, line), strict=True))
        for t, line in zip(texts, found, strict=True)
    }


def test_the_shipped_classifier_tells_the_obvious(read: dict[str, dict[str, float]]) -> None:
    insult, thanks, library, women = read.values()
    limits = {each.key: each.threshold for each in read_readings(SHIPPED / CLASSIFIER.name)}
    assert insult["toxicity"] >= (limits["toxicity"] or 1)
    assert max(thanks["toxicity"], library["toxicity"]) < 0.2
    assert thanks["sentiment"] > 0.8 > 0.3 > insult["sentiment"]
    assert women["stereotype"] > library["stereotype"] + 0.3


def test_shipped_heads_are_in_the_order_of_the_outputs() -> None:
    readings = read_readings(SHIPPED / CLASSIFIER.name)
    assert [each.key for each in readings] == list(KEYS)
    assert readings[index_of("sentiment")].threshold is None


def test_golden_texts_are_told_apart_as_well_as_before() -> None:
    """Two texts of every functionality and some of each other suite: none of them is trained on."""
    shipped, right = exported(SHIPPED / CLASSIFIER.name), dict[str, list[bool]]()
    cases = golden_cases()
    for case, scores in zip(cases, shipped.score()([c.text for c in cases]), strict=True):
        fired = fires(scores, case.head, shipped.thresholds)
        right.setdefault(case.head, []).append(fired == (case.side == "over"))
    found = {head: sum(each) / len(each) for head, each in right.items()}
    assert all(found[head] >= share for head, share in GOLDEN.items()), found
