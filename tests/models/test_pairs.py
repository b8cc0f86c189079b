"""A tiny classifier of pairs: its rows, its loss, its training."""

import gzip
import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from evaluate.pairs import report
from export.pairs import PairMaterial, PairTolerance, export_pairs
from guard.scoring import model_at, open_pair_classifier
from train.batches import collate, read_tokenizer
from train.loop import begun, plan_of, run, train
from train.model import seeded
from train.pairs.batches import encode_pairs
from train.pairs.loss import marginal_loss, pair_objective, right_share
from train.pairs.model import load_pairs, pretrained_pairs, types_of
from train.pairs.recipe import PairRecipe
from train.pairs.rows import POSSIBLE, PairRow, letters, split_pairs
from train.pairs.surrounded import Surroundings, surrounded_rows

RECIPE = PairRecipe(
    epochs=4,
    batch_rows=8,
    pool_batches=2,
    max_tokens=24,
    encoder_rate=3e-3,
    head_rate=1e-2,
    rates={"rare": 0.0},
)
PLACES = ("tree", "river", "table", "song", "garden", "letter")


def row(premise: str, hypothesis: str, label: str, source: str = "snli") -> dict[str, str]:
    return {
        "premise": premise,
        "hypothesis": hypothesis,
        "label": label,
        "src": source,
        "lic": "SA",
    }


def made(premise: str, hypothesis: str, label: str = "entailment") -> PairRow:
    return PairRow(
        premise=premise,
        hypothesis=hypothesis,
        source="snli",
        licence="SA",
        possible=POSSIBLE[label],
    )


def write(path: Path, rows: Sequence[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in rows)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of which some must not be trained on: sealed, in a development set, of a rare source."""
    folder = tmp_path_factory.mktemp("pairs")
    rows = [
        row(f"the {one} is {word} today", f"the {one} is {said}", label)
        for one in PLACES
        for word, said, label in (
            ("lovely", "lovely", "entailment"),
            ("lovely", "awful", "contradiction"),
            ("calm", "helpful", "neutral"),
            ("calm", "stupid", "not_entailment"),
        )
    ]
    sealed = row("The sealed river.", "It is awful!", "neutral")
    shown = row("The tree of the development set", "another hypothesis", "neutral")
    write(
        folder / "train" / "nli.jsonl.gz",
        [*rows, rows[0], sealed, shown, row("a", "b", "neutral", "rare")],
    )
    write(
        folder / "dev" / "nli_snli_test.jsonl.gz",
        [
            row("the tree of the development set!", hypothesis, label)
            for hypothesis, label in (("the tree", "entailment"), ("a song", "contradiction"))
        ],
    )
    digest = hashlib.sha256(b"thesealedriver|itisawful").hexdigest()
    with gzip.open(folder / "heldout_keys_sha256.txt.gz", "wt") as file:
        file.write(digest + "\n")
    return folder


def test_forbidden_rows_and_those_of_development_premises_are_dropped(pairs: Path) -> None:
    split = split_pairs(pairs, replace(RECIPE, validation_share=0.0))
    assert len(split.training) == 24
    assert not split.validation
    assert not any("sealed" in one.premise or "dev" in one.premise for one in split.training)


def test_rows_of_one_premise_are_held_back_together(pairs: Path) -> None:
    split = split_pairs(pairs, replace(RECIPE, validation_share=0.5))
    sides = [{letters(one.premise) for one in part} for part in (split.training, split.validation)]
    assert all(sides)
    assert not sides[0] & sides[1]


def test_what_may_be_neutral_or_contradiction_is_right_as_either() -> None:
    logits = torch.tensor([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]])
    possible = torch.tensor([POSSIBLE["not_entailment"], POSSIBLE["contradiction"]])
    loss = marginal_loss(logits, possible)
    chances = torch.softmax(logits[0], 0)
    assert loss[0].item() == pytest.approx(-math.log(chances[1] + chances[2]), rel=1e-5)
    assert loss[1].item() == pytest.approx(-math.log(chances[2]), rel=1e-5)
    assert right_share(logits, possible) == 1.0


def test_types_tell_the_texts_apart() -> None:
    ids = torch.tensor([[2, 7, 3, 8, 9, 3, 0, 0]])
    assert types_of(ids, 3).tolist() == [[0, 0, 0, 1, 1, 1, 1, 1]]


def test_a_hypothesis_among_other_sentences_is_entailed() -> None:
    row = made("A man sleeps", "A dog runs", "contradiction")
    around = Surroundings([row, made("A song is sung.", "Somebody sings.")], RECIPE)
    quoted, apart, kept = around.quote(row), around.unrelate(row), around.surround(row)
    assert quoted.possible == POSSIBLE["entailment"]
    assert "A dog runs." in quoted.premise
    assert apart.possible == POSSIBLE["not_entailment"]
    assert "A dog runs" not in apart.premise
    assert kept.possible == row.possible
    assert "A man sleeps." in kept.premise
    assert len(kept.premise) > len(row.premise)


def test_sources_are_repeated_with_other_surroundings() -> None:
    rows = [made(f"A {place} is here", "It is here") for place in PLACES]
    recipe = replace(
        RECIPE, repeats={"snli": 3}, surrounded_share=1.0, quoted_share=0.0, unrelated_share=0.0
    )
    found = surrounded_rows(rows, recipe)
    assert len(found) == 3 * len(rows)
    assert len({one.premise for one in found}) > 2 * len(rows)
    assert found == surrounded_rows(rows, recipe)


def test_a_pair_is_learnt_and_read_back(pairs: Path, base: Path, tmp_path: Path) -> None:
    rows = surrounded_rows(split_pairs(pairs, RECIPE).training, RECIPE)
    examples = encode_pairs(rows, read_tokenizer(base), RECIPE)
    assert all(example.width <= RECIPE.max_tokens for example in examples)
    seeded(7)
    model = pretrained_pairs(base, 0.1)
    train(model, examples, RECIPE, tmp_path, objective=pair_objective)
    read = load_pairs(tmp_path)
    batch = collate(examples[:4])
    with torch.inference_mode():
        left = model.eval()(batch.input_ids, batch.attention_mask)
        right = read(batch.input_ids, batch.attention_mask)
    assert torch.equal(left, right)


def test_the_loss_of_pairs_falls(pairs: Path, base: Path) -> None:
    rows = split_pairs(pairs, RECIPE).training
    examples = encode_pairs(rows, read_tokenizer(base), RECIPE)
    seeded(7)
    recipe = replace(RECIPE, epochs=12)
    model = pretrained_pairs(base, 0.1)
    plan = plan_of(examples, recipe)
    losses = [s.loss for s in run(begun(model, recipe), plan, examples, recipe, pair_objective)]
    assert sum(losses[-10:]) < 0.8 * sum(losses[:10])


def test_the_tables_of_the_card_are_made(pairs: Path, base: Path, tmp_path: Path) -> None:
    recipe = replace(RECIPE, validation_share=0.5)
    split = split_pairs(pairs, recipe)
    seeded(7)
    material = PairMaterial(ranges=split.training, validation=split.validation)
    loose = PairTolerance(mean=1.0, flips=1.0)
    export_pairs(pretrained_pairs(base, 0.0).eval(), base, material, tmp_path, loose)
    told = report(open_pair_classifier(model_at(tmp_path)), pairs)
    assert "| all | 2 |" in told
    assert "no premise, words of the hypothesis (TF-IDF)" in told
    assert {"### SNLI test", "### Calibration"} <= set(told.splitlines())
