"""What of a passage of HTML can go so that the tags that stay match."""

import pytest

from guard.records import Span
from guard.text import within_tags


@pytest.mark.parametrize(
    ("before", "inside", "after"),
    [
        ("<td>", "Go home.", "</td>"),
        ("<ul><li>", "Go <b>home</b>.", "</li></ul>"),
        ("", "Go home.", "</p>"),
        ("<br>", "Go home.", ""),
        ("<P>\n", "Go home.", "\n</p >"),
        ("", '<p class="a">Go home.</p>', ""),
        ("", "<b>Go</b> home.", ""),
        ("", "Go <b>home.</b>", ""),
        ("<p>", "Go.</p><p>Home.", "</p>"),
        ("", "<p></p>", ""),
        ("", "</td>", ""),
        ("", "Go home.", ""),
        ("<!--", " Go home.", ""),
        ("", "Go home. ", "-->"),
        ("", "<!-- Go home. -->", ""),
        ("", "Go home. --><!-- Bye.", ""),
    ],
)
def test_tags_around_a_passage_stay(before: str, inside: str, after: str) -> None:
    text = f"Hi. {before}{inside}{after} Bye."
    start = len("Hi. ")
    kept = within_tags(text, Span(start=start, end=len(text) - len(" Bye.")))
    assert text[kept.start : kept.end] == inside
