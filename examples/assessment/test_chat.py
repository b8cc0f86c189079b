"""A test of a model with the fixture `assess`, which pytest finds where evenguard is installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from chat_model import answer

HERE = Path(__file__).parent


def test_groups_are_treated_alike(assess: Callable[..., Any]) -> None:
    """Fails with the rules that are not kept and why; too few data to say is no pass either."""
    results = assess(
        HERE / "prompts.jsonl",
        call=answer,
        rules=HERE / "rules.toml",
        use_case="chat",
        attributes=["gender"],
        m=2,
        generations=2,
    )
    assert results.coverage.missing == 0
