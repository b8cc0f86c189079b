"""The mean of several runs."""

import sys
from pathlib import Path

import pytest
import torch
from transformers import BertConfig

from train import average
from train.average import averaged
from train.model import Classifier, load, pretrained, save, seeded


@pytest.fixture
def runs(base: Path, tmp_path: Path) -> list[Path]:
    for number in range(3):
        seeded(number)
        save(pretrained(base, 0.0), tmp_path / str(number))
    return [tmp_path / str(number) for number in range(3)]


def test_every_weight_is_the_mean(runs: list[Path]) -> None:
    found, states = averaged(runs), [load(run).state_dict() for run in runs]
    assert torch.allclose(found["heads.weight"], sum(s["heads.weight"] for s in states) / 3)
    assert averaged(runs[:1]).keys() == states[0].keys()


def test_the_command_writes_a_run(
    runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["average", str(tmp_path / "out"), *map(str, runs)])
    average.main()
    written = load(tmp_path / "out").state_dict()
    assert all(torch.allclose(written[name], w) for name, w in averaged(runs).items())


def test_runs_of_other_shapes_are_refused(runs: list[Path], tmp_path: Path) -> None:
    config = BertConfig.from_json_file(runs[0] / "config.json")
    config.num_hidden_layers = 1
    save(Classifier(config), tmp_path / "small")
    with pytest.raises(ValueError, match="2 shapes"):
        averaged([runs[0], tmp_path / "small"])
