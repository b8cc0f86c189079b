"""What is redacted in the end of a text that has not left yet."""

from __future__ import annotations

from guard.flow.unreleased import Unreleased
from guard.records import Span

TEXT = "<p>Hello.</p> <p> Go home. </p><p>Bye.</p>"


def passage(part: str) -> Span:
    start = TEXT.index(part)
    return Span(start=start, end=start + len(part))


def test_tags_around_a_passage_stay() -> None:
    end = Unreleased(text=TEXT, start=0, offset=0)
    spans = end.inside([passage(" <p> Go home. </p>")])
    assert end.redacted(spans, "[x]") == "<p>Hello.</p> <p> [x] </p><p>Bye.</p>"


def test_what_has_left_is_not_redacted() -> None:
    end = Unreleased(text=TEXT, start=TEXT.index("home"), offset=3)
    assert end.redacted(end.inside([passage("<p> Go home.")]), "[x]") == "[x] </p><p>Bye.</p>"
    assert end.inside([passage("<p>Hello.</p>")]) == ()
