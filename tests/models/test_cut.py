"""A tiny teacher with fewer layers: kept, trained on, exported."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from train import cut as command
from train.__main__ import begin
from train.batches import Example, collate
from train.cut import cut
from train.loop import steps
from train.model import Classifier, adapted, load, load_adapted, pretrained, save, seeded
from train.recipe import DISTILLING_CUT
from train.rows import targets_of

RECIPE = replace(
    DISTILLING_CUT, batch_rows=6, pool_batches=1, max_tokens=30, cooldown_steps=0, average_decay=0.0
)


def example(number: int) -> Example:
    words = tuple(5 + (number * k) % 40 for k in range(1, 4 + number % 5))
    return Example(
        windows=((0, *words, 2),),
        targets=targets_of({"toxicity": float(number % 2)}),
        weight=1.0,
        soft=(2.0 * (number % 2) - 1.0,) * 13,
    )


BATCH = collate([example(number) for number in range(12)])


@pytest.fixture
def run(teacher: Path, tmp_path: Path) -> Path:
    """Adapters on the upper two of three layers."""
    seeded(1)
    model = adapted(teacher, 0.0, rank=4, layers=2)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith(".up"):
                torch.nn.init.normal_(weight, std=0.3)
    save(model, tmp_path / "run")
    return tmp_path / "run"


def logits(model: Classifier) -> Tensor:
    with torch.inference_mode():
        found: Tensor = model.eval()(BATCH.input_ids, BATCH.attention_mask)
    return found


def test_what_is_left_are_the_layers_that_are_kept(run: Path, teacher: Path) -> None:
    whole, model = load_adapted(run, teacher), load_adapted(run, teacher)
    cut(model, (0, 2))
    lowest, highest = model.encoder.encoder.layer
    assert model.encoder.config.num_hidden_layers == 2
    for left, right in ((lowest, 0), (highest, 2)):
        theirs = whole.encoder.encoder.layer[right].state_dict()
        assert all(torch.equal(w, theirs[name]) for name, w in left.state_dict().items())
    assert model.adaptation is not None
    assert (model.adaptation.kept, model.adaptation.layers) == ((0, 2), 1)


def test_a_cut_is_saved_as_adapters_and_cut_again(
    run: Path, teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = ["train.cut", str(run), str(tmp_path / "cut"), "--base", str(teacher), "--keep", "1,2"]
    monkeypatch.setattr(sys, "argv", told)
    command.main()
    model = load_adapted(run, teacher)
    cut(model, (1, 2))
    back = load_adapted(tmp_path / "cut", teacher)
    assert back.adaptation == model.adaptation
    assert torch.allclose(logits(back), logits(model), atol=5e-3)
    assert torch.allclose(logits(load(tmp_path / "cut", teacher)), logits(back), atol=1e-5)
    cut(back, (1,))
    assert back.adaptation is not None
    assert back.adaptation.kept == (2,)


def test_a_cut_learns_from_the_labels_of_its_teacher(run: Path, teacher: Path) -> None:
    model = load_adapted(run, teacher)
    cut(model, (0, 2))
    save(model, run)
    begun = begin(run, teacher, RECIPE)
    before = logits(begun)
    found = list(steps(begun, [example(number) for number in range(12)], replace(RECIPE, epochs=8)))
    assert found[-1].loss < found[0].loss
    assert not torch.equal(logits(begun), before)


@pytest.mark.parametrize("kept", [(), (2, 1), (1, 1), (0, 3), (-1, 2)])
def test_layers_that_there_are_not_cannot_be_kept(
    kept: tuple[int, ...], run: Path, teacher: Path
) -> None:
    with pytest.raises(ValueError, match=r"cannot keep|none has adapters"):
        cut(load_adapted(run, teacher), kept)


def test_a_cut_without_adapters_is_refused(run: Path, teacher: Path) -> None:
    with pytest.raises(ValueError, match="keep one from 1 on"):
        cut(load_adapted(run, teacher), (0,))
    with pytest.raises(ValueError, match="only adapters are cut"):
        cut(pretrained(teacher, 0.0), (0, 1))
