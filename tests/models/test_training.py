"""A few steps of a tiny model."""

import logging
import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from train import __main__ as command
from train.batches import Example, collate, encode, planned, read_tokenizer
from train.heads import KEYS, index_of
from train.loop import steps, train
from train.loss import masked_loss
from train.model import Classifier, load, pretrained, save, seeded
from train.optimiser import falling
from train.progress import Step
from train.recipe import Recipe
from train.sampling import split_rows
from train.weighting import weigh


@pytest.fixture(scope="module")
def examples(data: Path, base: Path, recipe: Recipe) -> list[Example]:
    rows = weigh(split_rows(data, replace(recipe, rates={})).training, recipe)
    return encode(rows, read_tokenizer(base), recipe)


def fresh(base: Path) -> Classifier:
    seeded(7)
    return pretrained(base, dropout=0.1)


def run(base: Path, examples: list[Example], recipe: Recipe) -> tuple[Classifier, list[Step]]:
    model = fresh(base)
    return model, list(steps(model, examples, recipe))


def test_the_loss_falls(base: Path, examples: list[Example], recipe: Recipe) -> None:
    _, done = run(base, examples, replace(recipe, epochs=2))
    losses = [step.loss for step in done]
    assert sum(losses[-10:]) < 0.8 * sum(losses[:10])
    assert done[-1].number == done[-1].of == len(done)


def test_the_same_seed_gives_the_same_weights(
    base: Path, examples: list[Example], recipe: Recipe
) -> None:
    short = replace(recipe, epochs=1)
    (left, one), (right, two) = (run(base, examples, short) for _ in range(2))
    assert one == two
    assert all(
        torch.equal(a, b) for a, b in zip(left.parameters(), right.parameters(), strict=True)
    )


def test_another_seed_gives_another_order(examples: list[Example], recipe: Recipe) -> None:
    first, second = (
        list(planned(examples, recipe, torch.Generator().manual_seed(seed))) for seed in (1, 2)
    )
    assert first != second


def test_word_vectors_stay_and_the_rest_learns(
    base: Path, examples: list[Example], recipe: Recipe
) -> None:
    before = fresh(base).state_dict()
    model, _ = run(base, examples, replace(recipe, epochs=1))
    changed = {n for n, value in model.state_dict().items() if not torch.equal(value, before[n])}
    assert "encoder.embeddings.word_embeddings.weight" not in changed
    assert {"heads.weight", "encoder.encoder.layer.0.attention.self.query.weight"} <= changed


def test_unknown_targets_give_no_gradient() -> None:
    logits = torch.zeros(2, len(KEYS), requires_grad=True)
    targets = torch.full((2, len(KEYS)), math.nan)
    targets[0, index_of("stereotype")] = 1.0
    masked_loss(logits, targets, torch.ones(2)).backward()
    assert logits.grad is not None
    touched = logits.grad.nonzero().tolist()
    assert touched == [[0, index_of("stereotype")]]


def test_a_batch_without_any_target_costs_nothing() -> None:
    targets = torch.full((3, len(KEYS)), math.nan)
    assert masked_loss(torch.randn(3, len(KEYS)), targets, torch.ones(3)).item() == 0.0


def test_weights_of_rows_scale_their_part_of_the_loss() -> None:
    logits, targets = torch.zeros(2, len(KEYS)), torch.full((2, len(KEYS)), math.nan)
    logits[0, 0], logits[1, 0] = 2.0, -2.0
    targets[:, 0] = 1.0
    right = masked_loss(logits, targets, torch.tensor([1.0, 0.0]))
    wrong = masked_loss(logits, targets, torch.tensor([0.0, 1.0]))
    assert right.item() == pytest.approx(math.log1p(math.exp(-2)))
    assert wrong.item() == pytest.approx(math.log1p(math.exp(2)))


def test_padding_does_not_change_a_text(base: Path) -> None:
    model = fresh(base).eval()
    short = Example(windows=((2, 5, 6, 3),), targets=(None,) * 13, weight=1.0)
    long = Example(windows=((2, *range(4, 14), 3),), targets=(None,) * 13, weight=1.0)
    alone, padded = collate([short]), collate([short, long])
    with torch.inference_mode():
        left = model(alone.input_ids, alone.attention_mask)[0]
        right = model(padded.input_ids, padded.attention_mask)[0]
    assert torch.allclose(left, right, atol=1e-5)


def test_an_epoch_shows_every_row_once(examples: list[Example], recipe: Recipe) -> None:
    batches = list(planned(examples, recipe, torch.Generator().manual_seed(1)))
    assert sorted(n for batch in batches for n in batch) == list(range(len(examples)))
    assert max(map(len, batches)) <= recipe.batch_rows


def test_rates_rise_then_fall_to_zero() -> None:
    rate = falling(100, 0.1)
    values = [rate(step) for step in range(101)]
    assert values[0] == pytest.approx(0.1)
    assert max(values) == 1.0
    assert values[-1] == 0.0
    assert values[10:] == sorted(values[10:], reverse=True)


def test_a_saved_model_scores_the_same(base: Path, tmp_path: Path) -> None:
    model = fresh(base).eval()
    save(model, tmp_path)
    ids = torch.tensor([[2, 5, 6, 3]])
    with torch.inference_mode():
        assert torch.equal(
            model(ids, torch.ones_like(ids)), load(tmp_path)(ids, torch.ones_like(ids))
        )


def test_weights_that_do_not_fit_are_named(base: Path, tmp_path: Path) -> None:
    config = (
        (base / "config.json")
        .read_text()
        .replace('"num_hidden_layers": 2', '"num_hidden_layers": 3')
    )
    (tmp_path / "config.json").write_text(config)
    (tmp_path / "model.safetensors").symlink_to(base / "model.safetensors")
    with pytest.raises(ValueError, match=r"layer\.2"):
        pretrained(tmp_path, 0.1)


def test_checkpoints_are_left_on_the_way(
    base: Path, examples: list[Example], recipe: Recipe, tmp_path: Path
) -> None:
    short = replace(recipe, epochs=1, checkpoint_steps=5, log_steps=5)
    train(fresh(base), examples, short, tmp_path)
    assert load(tmp_path)
    assert not list(tmp_path.glob("*.partial"))


def test_the_command_trains(
    data: Path,
    base: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    words = ["train", "--data", str(data), "--base", str(base), "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", [*words, "--threads", "1"])
    with caplog.at_level(logging.INFO):
        command.main()
    assert (tmp_path / "classifier.safetensors").exists()
    assert "most toxic terms" in caplog.text
    assert "trained on" in caplog.text
