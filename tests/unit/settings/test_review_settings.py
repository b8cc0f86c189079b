"""What the `review` section may say, and what it does to texts."""

from __future__ import annotations

import pytest

from guard.bootstrap.review import kept_text
from guard.errors import SettingsError
from guard.settings import ReviewSettings, parse_settings

TEXT = "Write to jane@example.org today"


def test_by_default_contacts_are_redacted_and_cases_go_after_ninety_days() -> None:
    review = parse_settings("{}").review
    assert (review.redact, review.scores_only, review.retention_days) == (True, False, 90)
    assert kept_text(review)(TEXT) == "Write to [mail••••••••••] today"


def test_texts_are_kept_as_settings_say() -> None:
    assert kept_text(ReviewSettings(redact=False))(TEXT) == TEXT
    assert kept_text(ReviewSettings(scores_only=True))(TEXT) == ""


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("review: {redact: 1}", "review.redact"),
        ("review: {retention_days: 0}", "review.retention_days"),
        ("review: {retention_days: 1.5}", "review.retention_days"),
        ("review: {lease_minutes: 0}", "review.lease_minutes"),
        ("review: {lease_minutes: .inf}", "review.lease_minutes"),
        ("review: {keep: true}", "review.keep"),
    ],
)
def test_what_cannot_be_is_said_with_its_path(text: str, path: str) -> None:
    with pytest.raises(SettingsError, match=path):
        parse_settings(text)
