"""Adapters on a tiny MPNet: they begin at nothing, learn, are interrupted, and merge into it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from train import loop, precision
from train.__main__ import begin
from train.adapters import Adapted, hold_in_bfloat16, merge
from train.batches import Example, collate
from train.loop import CHECKPOINT, logits_of, steps, train
from train.model import (
    ADAPTER,
    Classifier,
    adapted,
    load,
    pretrained,
    save,
    seeded,
    trained_state,
)
from train.optimiser import falling
from train.progress import Step
from train.recipe import ADAPTING
from train.rows import targets_of

RECIPE = replace(
    ADAPTING,
    batch_rows=6,
    pool_batches=1,
    max_tokens=30,
    checkpoint_minutes=0.0,
    adapter_rank=4,
    adapter_layers=2,
    cooldown_steps=2,
    encoder_rate=1e-2,
    head_rate=3e-2,
)


def example(number: int) -> Example:
    words = tuple(5 + (number * k) % 40 for k in range(1, 4 + number % 5))
    known = {"toxicity": float(number % 2), "stereotype": float(number % 3 == 0)}
    targets = targets_of(dict(known))
    return Example(windows=((0, *words, 2),), targets=targets, weight=1.0, bundle=f"{number // 2}")


EXAMPLES = [example(number) for number in range(24)]
BATCH = collate(EXAMPLES)


def fresh(teacher: Path) -> Classifier:
    seeded(7)
    return adapted(teacher, 0.0, RECIPE.adapter_rank, RECIPE.adapter_layers)


def logits(model: Classifier) -> Tensor:
    """In full precision."""
    with torch.inference_mode():
        found: Tensor = model.eval()(BATCH.input_ids, BATCH.attention_mask)
    return found


def same(left: dict[str, Tensor], right: dict[str, Tensor]) -> bool:
    return left.keys() == right.keys() and all(torch.equal(left[n], right[n]) for n in left)


def test_adapters_change_nothing_before_they_have_learnt(teacher: Path) -> None:
    bare, model = pretrained(teacher, 0.0), fresh(teacher)
    bare.heads.load_state_dict(model.heads.state_dict())
    assert torch.equal(logits(bare), logits(model))


def test_all_products_of_the_upper_layers_have_adapters(teacher: Path) -> None:
    found = {n for n, m in fresh(teacher).encoder.named_modules() if isinstance(m, Adapted)}
    products = (*(f"attention.attn.{n}" for n in "qkvo"), "intermediate.dense", "output.dense")
    assert found == {f"encoder.layer.{n}.{product}" for n in (1, 2) for product in products}


def test_more_layers_than_there_are_are_refused(teacher: Path) -> None:
    with pytest.raises(ValueError, match="4 layers to adapt of an encoder of 3"):
        adapted(teacher, 0.0, 4, 4)


def test_only_adapters_and_heads_learn(teacher: Path) -> None:
    model = fresh(teacher)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    losses = [step.loss for step in steps(model, EXAMPLES, replace(RECIPE, epochs=12))]
    now = model.state_dict()
    changed = {name for name in now if not torch.equal(now[name], before[name])}
    assert changed == trained_state(model).keys()
    assert all(name.endswith((".down", ".up")) or "heads." in name for name in changed)
    assert sum(losses[-6:]) < 0.9 * sum(losses[:6])


def test_merged_weights_give_the_same_and_look_like_those_of_a_plain_model(teacher: Path) -> None:
    model = fresh(teacher)
    list(steps(model, EXAMPLES, RECIPE))
    before = logits(model)
    merge(model.encoder)
    assert torch.allclose(logits(model), before, atol=1e-5)
    assert model.state_dict().keys() == pretrained(teacher, 0.0).state_dict().keys()


def test_what_is_saved_is_small_and_gives_the_model_again(teacher: Path, tmp_path: Path) -> None:
    model = fresh(teacher)
    list(steps(model, EXAMPLES, RECIPE))
    save(model, tmp_path)
    assert load_file(tmp_path / ADAPTER).keys() == trained_state(model).keys()
    assert not (tmp_path / "classifier.safetensors").exists()
    loaded = load(tmp_path, teacher)
    assert loaded.adaptation is None
    assert torch.allclose(logits(loaded), logits(model), atol=2e-3)
    save(loaded, tmp_path / "plain")
    assert torch.equal(logits(load(tmp_path / "plain")), logits(loaded))


def test_adapters_are_refused_on_another_encoder(teacher: Path, tmp_path: Path) -> None:
    save(fresh(teacher), tmp_path / "run")
    other = tmp_path / "other"
    other.mkdir()
    weights = load_file(teacher / "model.safetensors")
    weights["embeddings.LayerNorm.bias"] += 1
    save_file(weights, other / "model.safetensors")
    (other / "config.json").write_text((teacher / "config.json").read_text())
    with pytest.raises(ValueError, match="stand on other weights"):
        load(tmp_path / "run", other)


def test_adapters_are_trained_on_from_what_a_run_left(teacher: Path, tmp_path: Path) -> None:
    model = fresh(teacher)
    list(steps(model, EXAMPLES, RECIPE))
    save(model, tmp_path)
    again = begin(tmp_path, teacher, RECIPE)
    assert again.adaptation == model.adaptation
    assert torch.allclose(logits(again), logits(model), atol=2e-3)
    list(steps(again, EXAMPLES, RECIPE))
    assert trained_state(again).keys() == trained_state(model).keys()
    assert not torch.allclose(logits(again), logits(model), atol=2e-3)


def test_adapters_of_another_shape_are_refused(teacher: Path, tmp_path: Path) -> None:
    save(fresh(teacher), tmp_path)
    record = json.loads((tmp_path / "adapter.json").read_text())
    (tmp_path / "adapter.json").write_text(json.dumps({**record, "layers": 1}))
    with pytest.raises(ValueError, match=r"layer\.1\."):
        load(tmp_path, teacher)


def test_a_resumed_run_of_adapters_ends_with_the_weights_of_an_uninterrupted_one(
    teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = replace(RECIPE, checkpoint_steps=2)
    train(fresh(teacher), EXAMPLES, recipe, tmp_path / "whole")
    taken = loop.run

    def cut_off(*args: object) -> Iterator[Step]:
        for step in taken(*args):
            if step.number == 3:
                raise KeyboardInterrupt
            yield step

    monkeypatch.setattr(loop, "run", cut_off)
    with pytest.raises(KeyboardInterrupt):
        train(fresh(teacher), EXAMPLES, recipe, tmp_path / "halves")
    monkeypatch.undo()
    train(fresh(teacher), EXAMPLES, recipe, tmp_path / "halves", resume=True)
    whole, halves = (load_file(tmp_path / name / ADAPTER) for name in ("whole", "halves"))
    assert same(whole, halves)
    kept = torch.load(tmp_path / "whole" / CHECKPOINT, weights_only=True)
    assert kept["model"].keys() == whole.keys() == kept["average"]["weights"].keys()


def test_a_run_is_not_resumed_on_another_encoder(teacher: Path, tmp_path: Path) -> None:
    train(fresh(teacher), EXAMPLES, RECIPE, tmp_path)
    model = fresh(teacher)
    with torch.no_grad():
        model.encoder.embeddings.LayerNorm.bias += 1
    with pytest.raises(ValueError, match="other rows or another recipe"):
        train(model, EXAMPLES, RECIPE, tmp_path, resume=True)


def test_the_end_of_a_run_can_be_moved_while_it_is_under_way(
    teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates: list[float] = []
    monkeypatch.setattr(loop, "set_rates", lambda optimizer, share: rates.append(share))
    recipe = replace(RECIPE, epochs=3, checkpoint_steps=1)
    train(fresh(teacher), EXAMPLES, recipe, tmp_path, last=3)
    train(fresh(teacher), EXAMPLES, recipe, tmp_path, resume=True, last=8)
    assert rates == [1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0, 0.5]


def test_the_rates_are_level_until_they_fall() -> None:
    rate = falling(100, 0.1, 20)
    values = [rate(step) for step in range(101)]
    assert values[10:81] == [1.0] * 71
    assert values[90] == pytest.approx(0.5)
    assert values[100] == 0.0
    assert falling(100, 0.1, 500)(55) == falling(100, 0.1)(55)


@pytest.mark.parametrize("native", [True, False], ids=["bfloat16", "float32"])
def test_training_reads_what_the_model_says(
    teacher: Path, monkeypatch: pytest.MonkeyPatch, native: bool
) -> None:
    monkeypatch.setattr(precision, "has_bfloat16", lambda _: native)
    model = fresh(teacher).eval()
    read, exact = logits_of(model, BATCH), logits(model)
    assert torch.allclose(read, exact, atol=0.1)
    assert torch.allclose(read, exact, atol=1e-5) is not native


def test_what_is_frozen_is_held_as_training_reads_it(
    teacher: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precision, "has_bfloat16", lambda _: True)
    model = fresh(teacher)
    before = logits_of(model.eval(), BATCH)
    hold_in_bfloat16(model.encoder)
    assert torch.equal(logits_of(model, BATCH), before)
    layer = model.encoder.encoder.layer
    assert layer[0].output.dense.weight.dtype == torch.bfloat16
    assert {p.dtype for p in model.parameters() if p.requires_grad} == {torch.float32}
