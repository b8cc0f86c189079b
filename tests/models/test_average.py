"""The mean of several runs."""

import sys
from pathlib import Path

import pytest
import torch
from transformers import BertConfig

from train import average
from train.average import averaged
from train.model import (
    ADAPTER,
    Classifier,
    adapted,
    load,
    load_adapted,
    pretrained,
    save,
    seeded,
    trained_state,
)


@pytest.fixture
def runs(base: Path, tmp_path: Path) -> list[Path]:
    for number in range(3):
        seeded(number)
        save(pretrained(base, 0.0), tmp_path / str(number))
    return [tmp_path / str(number) for number in range(3)]


def states_of(runs: list[Path]) -> list[dict[str, torch.Tensor]]:
    return [load(run).state_dict() for run in runs]


def command(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["average", *map(str, arguments)])
    average.main()


def test_every_weight_is_the_mean(runs: list[Path]) -> None:
    states = states_of(runs)
    found = averaged(states)
    assert torch.allclose(found["heads.weight"], sum(s["heads.weight"] for s in states) / 3)
    assert averaged(states[:1]).keys() == states[0].keys()


def test_the_command_writes_a_run(
    runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command(monkeypatch, tmp_path / "out", *runs)
    written = load(tmp_path / "out").state_dict()
    assert all(torch.allclose(written[name], w) for name, w in averaged(states_of(runs)).items())


def test_the_mean_of_adapters_is_adapters_on_the_same_encoder(
    teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = [tmp_path / "one", tmp_path / "two"]
    for number, run in enumerate(both):
        seeded(number)
        run.mkdir()
        save(adapted(teacher, 0.0, 4, 2), run)
    command(monkeypatch, tmp_path / "out", *both, "--base", teacher)
    assert (tmp_path / "out" / ADAPTER).exists()
    found, *parts = (trained_state(load_adapted(run, teacher)) for run in (tmp_path / "out", *both))
    for name, mean in averaged(parts).items():
        assert torch.allclose(found[name], mean, atol=1e-3)


def test_runs_of_other_shapes_are_refused(runs: list[Path], tmp_path: Path) -> None:
    config = BertConfig.from_json_file(runs[0] / "config.json")
    config.num_hidden_layers = 1
    save(Classifier(config), tmp_path / "small")
    with pytest.raises(ValueError, match="2 shapes"):
        averaged(states_of([runs[0], tmp_path / "small"]))
