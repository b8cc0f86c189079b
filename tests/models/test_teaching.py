"""A tiny MPNet in the place of the teacher trains, is interrupted, and goes on."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from evaluate import weights
from train import __main__ as command
from train import loop
from train.batches import Example, collate, encode, marks, read_tokenizer
from train.consistency import head_shares
from train.heads import KEYS, index_of
from train.loop import CHECKPOINT, steps, train
from train.loss import family_losses
from train.model import Classifier, load, pretrained, save, seeded
from train.optimiser import optimiser
from train.progress import Step
from train.recipe import INVARIANT, TEACHING, Recipe
from train.rows import Row, targets_of
from train.sampling import copied

BEGIN, END, FIRST_WORD, WORDS = 0, 2, 5, 40  # as the fixture `teacher` has them


RECIPE = replace(TEACHING, batch_rows=6, pool_batches=1, max_tokens=30, checkpoint_minutes=0.0)


def example(number: int) -> Example:
    """Copies in twos, of different length, so that the order of the batches matters."""
    words = tuple(FIRST_WORD + (number * k) % WORDS for k in range(1, 4 + number % 5))
    known = {"toxicity": float(number % 2), "stereotype": float(number % 3 == 0)}
    return Example(
        windows=((BEGIN, *words, END),),
        targets=targets_of(dict(known)),
        weight=1.0,
        bundle=f"pair {number // 2}",
    )


EXAMPLES = [example(number) for number in range(24)]


def fresh(teacher: Path) -> Classifier:
    seeded(7)
    return pretrained(teacher, dropout=0.1)


def same(left: dict[str, Tensor], right: dict[str, Tensor]) -> bool:
    return left.keys() == right.keys() and all(torch.equal(left[n], right[n]) for n in left)


def test_a_resumed_run_ends_with_the_weights_of_an_uninterrupted_one(
    teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = replace(RECIPE, checkpoint_steps=2)
    train(fresh(teacher), EXAMPLES, recipe, tmp_path / "whole")
    taken = loop.run

    def cut_off(*args: object) -> Iterator[Step]:
        for step in taken(*args):
            if step.number == 4:
                raise KeyboardInterrupt
            yield step

    monkeypatch.setattr(loop, "run", cut_off)
    with pytest.raises(KeyboardInterrupt):
        train(fresh(teacher), EXAMPLES, recipe, tmp_path / "halves")
    before = load(tmp_path / "halves").state_dict()
    monkeypatch.undo()
    train(fresh(teacher), EXAMPLES, recipe, tmp_path / "halves", resume=True)
    whole, halves = (load(tmp_path / name).state_dict() for name in ("whole", "halves"))
    assert same(whole, halves)
    assert not same(before, halves)
    assert not list(tmp_path.rglob("*.partial"))


def test_a_run_is_resumed_only_when_told_and_only_with_its_own_rows(
    teacher: Path, tmp_path: Path
) -> None:
    train(fresh(teacher), EXAMPLES, RECIPE, tmp_path)
    with pytest.raises(FileExistsError, match="earlier run"):
        train(fresh(teacher), EXAMPLES, RECIPE, tmp_path)
    for examples, recipe in (
        (EXAMPLES[:-1], RECIPE),
        (EXAMPLES, replace(RECIPE, encoder_rate=1e-3)),
    ):
        with pytest.raises(ValueError, match="other rows or another recipe"):
            train(fresh(teacher), examples, recipe, tmp_path, resume=True)
    done = load(tmp_path).state_dict()
    train(fresh(teacher), EXAMPLES, RECIPE, tmp_path, resume=True)
    assert same(done, load(tmp_path).state_dict())


def test_checkpoints_come_by_the_clock_too(
    teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 10_000, 400))
    monkeypatch.setattr(loop.time, "monotonic", lambda: float(next(clock)))
    kept: list[int] = []
    monkeypatch.setattr(loop.Keeper, "keep", lambda self, training: kept.append(training.done))
    train(fresh(teacher), EXAMPLES, replace(RECIPE, checkpoint_minutes=10.0), tmp_path)
    assert kept[:-1]


def test_each_layer_learns_slower_than_the_one_above(teacher: Path) -> None:
    model = fresh(teacher)
    names = {id(p): name for name, p in model.named_parameters()}
    recipe = replace(RECIPE, encoder_rate=1.0, head_rate=5.0, layer_decay=0.5)
    rates = {
        names[id(p)]: group["peak"]
        for group in optimiser(model, recipe).param_groups
        for p in group["params"]
    }
    assert rates["heads.weight"] == 5.0
    layers = [rates[f"encoder.encoder.layer.{n}.attention.attn.q.weight"] for n in range(3)]
    assert layers == [0.25, 0.5, 1.0]
    assert rates["encoder.encoder.relative_attention_bias.weight"] == 0.125
    assert rates["encoder.embeddings.position_embeddings.weight"] == 0.125
    assert "encoder.embeddings.word_embeddings.weight" not in rates


def test_texts_stand_between_the_marks_of_their_tokenizer(teacher: Path) -> None:
    made = read_tokenizer(teacher)
    assert marks(made) == (BEGIN, END)
    row = Row(text="w1 w2", key="w1w2", source="s", licence="MIT", targets=targets_of({}))
    (found,) = encode([row], made, RECIPE)
    assert found.windows == ((BEGIN, FIRST_WORD + 1, FIRST_WORD + 2, END),)


def test_padding_does_not_change_what_the_teacher_says(teacher: Path) -> None:
    model = fresh(teacher).eval()
    alone, padded = collate(EXAMPLES[:1]), collate([EXAMPLES[0], EXAMPLES[4]])
    assert padded.input_ids.shape[1] > alone.input_ids.shape[1]
    with torch.inference_mode():
        left = model(alone.input_ids, alone.attention_mask)[0]
        right = model(padded.input_ids, padded.attention_mask)[0]
    assert torch.allclose(left, right, atol=1e-5)


def test_encoders_of_other_kinds_are_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(ValueError, match="gpt2"):
        pretrained(tmp_path, 0.1)


def test_the_price_of_the_teacher_is_on_toxicity_alone() -> None:
    shares = head_shares(TEACHING.invariant)
    priced = {key for key, share in zip(KEYS, shares.tolist(), strict=True) if share}
    assert priced == {key for key in INVARIANT if key.startswith("toxicity")}
    assert shares.sum().item() == pytest.approx(1.0)


def public(text: str, **known: float) -> Row:
    return Row(text=text, key=text, source="s", licence="MIT", targets=targets_of(dict(known)))


def test_copies_are_not_labelled_for_what_another_group_changes() -> None:
    rows = [
        public("many mexicans live in this street", stereotype=1.0, sentiment=0.5),
        public("many mexicans work in this town", stereotype=1.0),
    ]
    (copy,) = copied(rows, TEACHING)
    assert copy.targets[index_of("stereotype")] is None
    assert copy.targets[index_of("sentiment")] == 0.5
    everything = list(copied(rows, replace(TEACHING, unknown_in_copies=())))
    assert [each.targets[index_of("stereotype")] for each in everything] == [1.0, 1.0]


def test_the_log_knows_the_loss_of_each_family() -> None:
    targets = torch.full((2, len(KEYS)), torch.nan)
    targets[0, index_of("toxicity")], targets[1, index_of("stereotype.race")] = 1.0, 0.0
    logits = torch.zeros(2, len(KEYS))
    logits[0, 0] = 9.0
    found = family_losses(logits, targets, torch.ones(2))
    assert found.keys() == {"toxicity", "stereotype"}
    assert found["toxicity"] < 0.01 < found["stereotype"]


def test_the_command_resumes(
    data: Path, teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(command.RECIPES, "first", replace(Recipe(), max_tokens=30))
    words = ["train", "--data", data, "--base", teacher, "--out", tmp_path, "--threads", "1"]
    for more in ([], ["--resume"]):
        monkeypatch.setattr(sys, "argv", [*map(str, words), *more])
        command.main()
    assert (tmp_path / CHECKPOINT).exists()
    assert (tmp_path / "train.log").exists()
    assert load(tmp_path).encoder.config.model_type == "mpnet"


def test_the_loss_of_the_teacher_falls(teacher: Path) -> None:
    recipe = replace(RECIPE, epochs=12, encoder_rate=3e-3, head_rate=3e-2, consistency=0.0)
    losses = [step.loss for step in steps(fresh(teacher), EXAMPLES, recipe)]
    assert mean(losses[-6:]) < 0.9 * mean(losses[:6])


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def test_the_weights_of_a_run_are_measured_without_an_export(
    data: Path,
    teacher: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    save(fresh(teacher), tmp_path)
    words = ["weights", tmp_path, "--data", data, "--base", teacher, "--recipe", "teaching"]
    monkeypatch.setattr(sys, "argv", [*map(str, words), "--sample", "12", "--threads", "1"])
    monkeypatch.setitem(weights.RECIPES, "teaching", RECIPE)
    weights.main()
    shown = capsys.readouterr().out
    assert shown.count("| 12 |") == 5
    assert "sent_sst2_test" in shown
