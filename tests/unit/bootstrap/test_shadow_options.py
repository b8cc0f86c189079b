"""What settings of a shadow make of its options."""

from __future__ import annotations

import pytest

from guard.bootstrap.shadow import test_families as families_of
from guard.settings import parse_settings

SETTINGS = (
    "version: 1\nuse_cases:\n  chat:\n    shadow: {share: 1.0, attributes: [gender], CHANGED}\n"
)


@pytest.mark.parametrize(
    ("changed", "varies"),
    [
        ("generations: 2", True),
        ("parameters: {temperature: 0.7}", True),
        ("parameters: {temperature: 0}", False),
        ("deterministic: true", False),
    ],
)
def test_the_tests_of_a_use_case_whose_replies_do_not_vary_have_no_contrasts(
    changed: str, varies: bool
) -> None:
    settings = parse_settings(SETTINGS.replace("CHANGED", changed), source="test")
    tests = {one.metric for one in families_of(settings)["chat"]}
    assert ("token_contrast" in tests) is varies
    assert "length_gap" in tests
