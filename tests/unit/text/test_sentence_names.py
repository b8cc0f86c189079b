"""Names that are sentences are read alone, and names of things are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text import readings
from guard.text.sentence_names import sentence_names


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def you_are_so_welcome_here():\n    return 1", "you are so welcome here"),
        ('<div class="cats-are-our-best-friends">Hello</div>', "cats are our best friends"),
        ("see https://example.com/why-we-like-you-all?x=1", "why we like you all"),
        ("x <- function(x) x; you.are.a.kind.one()", "you are a kind one"),
        ("you(are, a, kind, one)", "you are  a  kind  one"),
        ("you().are().a().kind().one()", "you   are   a   kind   one"),
        ("__nobody__will__ever__miss__you__", "nobody  will  ever  miss  you"),
    ],
)
def test_a_name_that_is_a_sentence_is_read_alone(text: str, said: str) -> None:
    (alone,) = sentence_names(text)
    assert len(alone) == len(text)
    assert alone.strip() == said
    assert alone in [reading.text for reading in readings(text)]


def test_each_is_a_line() -> None:
    (alone,) = sentence_names("a_b_c_d_you [cats_are_very_kind_too[you_are_here_as_well]]")
    assert [line.strip() for line in alone.split("\n")][:3] == [
        "a b c d you",
        "cats are very kind too",
        "you are here as well",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "get_user_by_name_and_id(max_retry_count_per_host)",
        "def kill_all_their_children(self): execute_all_of_them_now_or_later(jobs)",
        "def attack_her_castle_and_burn(kill_zombies_if_they_are_close_to_us)",
        "you_are_dead.wav, const you_are_a_dummy = false;",
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
