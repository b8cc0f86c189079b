"""A tiny classifier of pairs in 8 bits, as the guard runs it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from export import pairs as export
from export.compare import TooFarFromOriginalError
from export.manifest import write_digests
from export.outputs import pair_graph
from export.pairs import PairMaterial, PairTolerance, best_temperature, export_pairs, likelihood
from guard.cli.assess_papers import fisco
from guard.scoring import Catalogue, open_pair_classifier
from train.batches import collate, read_tokenizer
from train.model import seeded
from train.pairs.batches import encode_pairs
from train.pairs.model import PairModel, pretrained_pairs
from train.pairs.recipe import PairRecipe
from train.pairs.rows import LABELS, POSSIBLE, PairRow

WORDS = ("tree", "river", "table", "song", "garden", "letter")
RECIPE = PairRecipe()


def row(premise: str, hypothesis: str, label: str) -> PairRow:
    return PairRow(
        premise=premise,
        hypothesis=hypothesis,
        source="snli",
        licence="SA",
        possible=POSSIBLE[label],
    )


ROWS = [
    row(f"the {one} is lovely and the {two} is calm today", f"the {two} is {said}", label)
    for one in WORDS
    for two in WORDS
    for said, label in (("calm", "entailment"), ("awful", "contradiction"), ("a song", "neutral"))
]
MATERIAL = PairMaterial(ranges=ROWS, validation=ROWS)
LOOSE = PairTolerance(mean=1.0, flips=1.0)


@pytest.fixture(scope="module")
def model(base: Path) -> PairModel:
    seeded(5)
    made = pretrained_pairs(base, 0.0).eval()
    torch.nn.init.normal_(made.encoder.embeddings.token_type_embeddings.weight, std=1.0)
    torch.nn.init.normal_(made.heads.weight, std=1.0)
    return made


def test_the_float32_graph_is_the_model(model: PairModel, base: Path) -> None:
    graph = pair_graph(model, None).SerializeToString()
    classifier = export.classifier_of(graph, read_tokenizer(base))
    batch = collate(encode_pairs(ROWS[:20], read_tokenizer(base), RECIPE))
    with torch.inference_mode():
        chances = torch.softmax(model(batch.input_ids, batch.attention_mask), 1).numpy()
    assert np.abs(classifier.probabilities(export.texts_of(ROWS[:20])) - chances).max() < 1e-4


def test_what_is_exported_is_listed_and_does_not_depend_on_the_batch(
    model: PairModel, base: Path, tmp_path: Path
) -> None:
    export_pairs(model, base, MATERIAL, tmp_path / "nli-minilm", LOOSE)
    write_digests(tmp_path)
    catalogue = Catalogue(tmp_path, released=True)
    assert [listing.problem for listing in catalogue.list()] == [None]
    classifier = open_pair_classifier(catalogue.find("nli-minilm"))
    pairs = export.texts_of(ROWS[:30])
    together = classifier.probabilities(pairs)
    alone = np.concatenate([classifier.probabilities([pair]) for pair in pairs])
    assert np.abs(together - alone).max() < 1e-5
    assert np.allclose(together.sum(axis=1), 1)


def test_a_model_that_is_too_far_from_its_original_is_not_written(
    model: PairModel, base: Path, tmp_path: Path
) -> None:
    with pytest.raises(TooFarFromOriginalError, match="mean difference"):
        export_pairs(model, base, MATERIAL, tmp_path / "far", replace(LOOSE, mean=-1.0))
    assert not (tmp_path / "far").exists()


def test_the_temperature_makes_overconfident_chances_modest() -> None:
    sure = np.array([[0.98, 0.01, 0.01]] * 10)
    rows = [row("a", "b", LABELS[0])] * 7 + [row("a", "b", LABELS[1])] * 3
    temperature = best_temperature(sure, rows)
    assert temperature > 2
    assert likelihood(sure, rows, temperature) > likelihood(sure, rows, 1.0)


def test_replies_are_compared_by_their_claims(
    model: PairModel, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_pairs(model, base, MATERIAL, tmp_path / "pairs", LOOSE)
    sides = {"female": "The tree is calm today.", "male": "The river is awful today."}
    rows = [
        {"pair": "q", "group": group, "attribute": "gender", "responses": [text] * 4}
        for group, text in sides.items()
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    told = [str(tmp_path / "rows.jsonl"), "--out", str(tmp_path / "out"), "--form", "claims"]
    with monkeypatch.context() as without:
        without.setattr("guard.cli.assess_papers.shipped_pair_classifier", lambda: None)
        refused = CliRunner().invoke(fisco, told)
    assert "--form claims needs --nli" in refused.output
    done = CliRunner().invoke(fisco, [*told, "--nli", str(tmp_path / "pairs")])
    assert done.exit_code == 0, done.output
    written = json.loads((tmp_path / "out" / "fisco.json").read_text())
    assert [one["form"] for one in written["findings"]] == ["claims"]
    assert "pairs" in {one["role"] for one in written["provenance"]["models"]}
