"""What settings of a shadow make of its options."""

from __future__ import annotations

import pytest

from guard.bootstrap.shadow import test_families as families_of
from guard.settings import parse_settings

SETTINGS = (
    "version: 1\nuse_cases:\n  chat:\n    shadow: {share: 1.0, attributes: [gender], CHANGED}\n"
)


@pytest.mark.parametrize(
    ("changed", "has_contrasts"),
    [
        ("generations: 1", True),
        ("deterministic: true", True),
        ("parameters: {temperature: 0}", True),
        ("control: false", False),
        ("control: false, generations: 4", False),
    ],
)
def test_the_tests_of_a_use_case_without_a_control_have_no_contrasts(
    changed: str, has_contrasts: bool
) -> None:
    settings = parse_settings(SETTINGS.replace("CHANGED", changed), source="test")
    tests = {one.metric for one in families_of(settings)["chat"]}
    assert ("token_contrast" in tests) is has_contrasts
    assert "length_gap" in tests
