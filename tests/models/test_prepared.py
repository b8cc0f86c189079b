"""Rows that are prepared for a machine without the data, and a teacher's labels of them."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from train import __main__ as command
from train import prepared, teach
from train.batches import Example, collate, encode, read_tokenizer
from train.checkpoint import fingerprint
from train.loop import logits_of, plan_of, steps
from train.model import load, pretrained, save, seeded
from train.prepared import read_examples, write_examples
from train.recipe import RECIPES, Recipe
from train.sampling import split_rows
from train.soft_labels import coded, read_soft_labels
from train.weighting import weigh


@pytest.fixture
def examples(data: Path, base: Path, recipe: Recipe) -> list[Example]:
    rows = weigh(split_rows(data, recipe).training, recipe)
    return encode(rows, read_tokenizer(base), recipe)


def test_a_file_of_examples_trains_to_the_same_weights(
    examples: list[Example], base: Path, recipe: Recipe, tmp_path: Path
) -> None:
    write_examples(examples, tmp_path / "examples.npz")
    read = read_examples(tmp_path / "examples.npz")
    assert [(e.windows, e.targets, e.key) for e in read] == [
        (e.windows, e.targets, e.key) for e in examples
    ]
    assert plan_of(read, recipe) == plan_of(examples, recipe)
    weights = []
    for several in (examples, read):
        seeded(3)
        model = pretrained(base, 0.1)
        list(steps(model, several[:20], replace(recipe, epochs=1)))
        weights.append(model.heads.weight.detach())
    assert torch.equal(*weights)


def test_examples_of_other_heads_are_refused(examples: list[Example], tmp_path: Path) -> None:
    path = tmp_path / "examples.npz"
    write_examples(examples[:3], path)
    with np.load(path) as arrays:
        changed = {**arrays, "heads": np.array(["anger"] * 13)}
    np.savez(path, **changed)
    with pytest.raises(ValueError, match=r"examples\.npz have other heads: \['anger'"):
        read_examples(path)


def test_labels_of_prepared_rows_are_what_the_teacher_says(
    examples: list[Example], base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = replace(examples[0], windows=(examples[0].windows[0], examples[1].windows[0]), key=1)
    several = [long, *examples[:9]]
    write_examples(several, tmp_path / "examples.npz")
    seeded(5)
    save(pretrained(base, 0.0), tmp_path / "run")
    monkeypatch.setattr(teach, "BATCH_TOKENS", 40)
    told(
        monkeypatch,
        "--examples", tmp_path / "examples.npz",
        "--weights", tmp_path / "run",
        "--out", tmp_path / "soft.npz",
    )  # fmt: skip
    teach.main()
    labels = read_soft_labels(tmp_path / "soft.npz")
    model = load(tmp_path / "run")
    for each in several:
        with torch.no_grad():
            code = coded(logits_of(model, collate([each])).numpy())[0]
        read = np.frombuffer(labels.found[each.key], np.uint8)
        assert np.abs(read.astype(int) - code).max() <= 1


def told(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["", *map(str, arguments)])


def test_a_run_reads_prepared_rows_and_their_labels(
    data: Path, base: Path, recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that only a teacher labels are left out where there are no labels."""
    taught = replace(recipe, soft_share=0.5, replayed_rows=True, epochs=1)
    monkeypatch.setitem(RECIPES, "first", replace(recipe, epochs=1))
    monkeypatch.setitem(RECIPES, "refining", taught)
    file, run, soft = tmp_path / "examples.npz", tmp_path / "run", tmp_path / "soft.npz"
    told(monkeypatch, "--data", data, "--recipe", "refining", "--base", base, "--out", file)
    prepared.main()
    told(monkeypatch, "--examples", file, "--base", base, "--out", run, "--last", "1")
    command.main()
    told(monkeypatch, "--examples", file, "--base", base, "--weights", run, "--out", soft)
    teach.main()
    labels = read_soft_labels(soft)
    known, all_rows = command.read_prepared(file), command.read_prepared(file, labels)
    assert 0 < len(known) < len(all_rows) == len(read_examples(file))
    assert all(each.soft for each in all_rows)
    arguments = ("--recipe", "refining", "--examples", file, "--base", base, "--last", "1")
    told(monkeypatch, *arguments, "--soft", soft, "--out", tmp_path / "student")
    command.main()
    assert load(tmp_path / "student").heads.weight.isfinite().all()


def test_a_run_has_one_source_of_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    told(monkeypatch, "--out", tmp_path)
    with pytest.raises(SystemExit):
        command.main()
    assert "one of the arguments --data --examples is required" in capsys.readouterr().err


def test_a_checkpoint_knows_the_order_and_the_rows(
    examples: list[Example], base: Path, recipe: Recipe
) -> None:
    model = pretrained(base, 0.0)
    other = replace(examples[2], targets=examples[0].targets, windows=examples[0].windows)
    prints = {
        fingerprint(recipe, examples[:3], [[0, 1], [2]], model),
        fingerprint(recipe, examples[:3], [[2], [0, 1]], model),
        fingerprint(recipe, examples[:3], [[0, 2], [1]], model),
        fingerprint(recipe, [*examples[:2], other], [[0, 1], [2]], model),
    }
    assert len(prints) == 4
