"""A toxicity head that other heads bear out."""

import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from train import combined_heads
from train.combined_heads import BESIDE, combine
from train.heads import KEYS, index_of
from train.model import load, pretrained, save


def test_the_logit_is_the_sum_and_no_other_changes() -> None:
    heads, features = nn.Linear(8, len(KEYS)), torch.randn(5, 8)
    before = heads(features)
    combine(heads, {"stereotype": 0.5, "sentiment": -2.0})
    after = heads(features)
    added = 0.5 * before[:, index_of("stereotype")] - 2.0 * before[:, index_of("sentiment")]
    assert torch.allclose(after[:, 0], before[:, 0] + added, atol=1e-5)
    assert torch.equal(after[:, 1:], before[:, 1:])


def test_the_command_writes_weights_and_leaves_the_first_ones(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(pretrained(base, 0.0), tmp_path / "before")
    arguments = ["combined_heads", str(tmp_path / "after"), str(tmp_path / "before")]
    monkeypatch.setattr(sys, "argv", arguments)
    combined_heads.main()
    before, after = load(tmp_path / "before"), load(tmp_path / "after")
    combine(before.heads, BESIDE)
    assert torch.equal(before.heads.weight, after.heads.weight)
    assert torch.equal(before.heads.bias, after.heads.bias)
