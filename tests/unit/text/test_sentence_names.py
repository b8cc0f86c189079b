"""Names that are sentences are read alone, and names of things are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text import readings
from guard.text.sentence_names import sentence_names


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def you_are_welcome_here():\n    return 1", "you are welcome here"),
        ('<div class="she-is-our-best">Hello</div>', "she is our best"),
        ("see https://example.com/why-we-like-them?x=1", "why we like them"),
        ("you.are.welcome <- function(x) x; they.are.very.kind()", "they are very kind"),
        ("they(are, very, kind)", "they are  very  kind"),
        ("they().are().very().kind()", "they   are   very   kind"),
        ("__nobody__will__miss__you__", "nobody  will  miss  you"),
    ],
)
def test_a_name_that_is_a_sentence_is_read_alone(text: str, said: str) -> None:
    (alone,) = sentence_names(text)
    assert len(alone) == len(text)
    assert alone.strip() == said
    assert alone in [reading.text for reading in readings(text)]


def test_each_is_a_line() -> None:
    (alone,) = sentence_names("a_b_c_you [she_is_very_kind[they_are_here_too]]")
    assert [line.strip() for line in alone.split("\n")][:3] == [
        "a b c you",
        "she is very kind",
        "they are here too",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "get_user_by_name_and_id(max_retry_count_per_host)",
        "Of course, you are right, and, well, you know it.",
        "state-of-the-art, up-to-date, you_are, are-you-ok",
        "utf8_general_ci_2020_you_are_x9",
        "a-" * 5000,
        "",
    ],
)
def test_other_names_are_not(text: str) -> None:
    assert not list(sentence_names(text))


@given(st.text("youare_- %20\n(", max_size=80))
def test_nothing_but_names_stays_and_where_it_was(text: str) -> None:
    for alone in sentence_names(text):
        assert len(alone) == len(text)
        assert all(a == b for a, b in zip(alone, text, strict=True) if a.isalpha())
