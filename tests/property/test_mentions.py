"""Whatever the text: mentions lie where they say, apart from each other and from what is kept."""

from __future__ import annotations

import itertools
from unicodedata import category

from hypothesis import given, settings
from hypothesis import strategies as st

from guard.counterfactual import bundled, find
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.find import matches
from guard.counterfactual.mentions.likelihood import confidence
from guard.counterfactual.tokens import Tokens, tokens_of
from tests.repeats import repeats

PIECES = st.sampled_from(
    [
        *("she", "Her", "Mr.", "actresses", "father-in-law", "Black", "white", "the blind", "Will"),
        *("May", "Christian", "African American", "gay", "people", "French", "with a disability"),
        *(" ", "  ", "\n", ", ", ". ", "-", "'s ", "’", '"', "'", "*", "_", "`", "```\n", "~~~"),
        *("https://a.b/", "x@y.org", "<b>", "</b>", "<code>", "/", "\\", "@", "#", "(", ")", "&"),
        *("\0", "\ud800", "\u202e", "\u0301", "\u00ad", "\u200b", "İ", "ß", "\u4f60", "\U0001f600"),
    ]
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=50).map("".join),
    st.lists(PIECES, max_size=30).map(" ".join),
    st.text(st.characters(codec=None), max_size=150),
)


@given(TEXTS)
@settings(max_examples=repeats(120, soak=1500))
def test_mentions_do_not_overlap_and_stay_out_of_what_is_kept(text: str) -> None:
    found = find(text, bundled(), generic=True)
    listed = sorted([*found.mentions, *found.unsure], key=lambda m: m.span.start)
    assert all(one.span.end <= two.span.start for one, two in itertools.pairwise(listed))
    assert all(
        mention.span.end <= kept.start or kept.end <= mention.span.start
        for mention in listed
        for kept in found.untouchable
    )


@given(TEXTS)
@settings(max_examples=repeats(120, soak=1500))
def test_offsets_are_true_and_words_whole(text: str) -> None:
    for mention in find(text, bundled()).mentions:
        start, end = mention.span.start, mention.span.end
        shown = "".join(sign for sign in text[start:end] if category(sign) != "Cf")
        written = " ".join(shown.replace("’", "'").split()).lower()
        assert written == mention.form.text.lower()
        assert not text[:start][-1:].isalnum()
        assert text[end - 1] == "." or not text[end : end + 1].isalnum()


@given(TEXTS, st.sampled_from(["gender", "race", "religion", "age", "nationality"]))
@settings(max_examples=repeats(60, soak=750))
def test_a_single_attribute_is_looked_for_in_the_same_places(text: str, attribute: str) -> None:
    every = find(text, bundled())
    one = find(text, bundled(), attributes=(attribute,))
    assert one.untouchable == every.untouchable
    assert {m.form.attribute for m in one.mentions} <= {attribute}
    own = {m.span.start for m in every.mentions if m.form.attribute == attribute}
    assert own <= {m.span.start for m in one.mentions}


@given(st.lists(PIECES, min_size=1, max_size=12), st.integers(20, 40))
@settings(max_examples=repeats(24, soak=300))
def test_the_work_grows_with_the_text_and_no_faster(pieces: list[str], times: int) -> None:
    unit = " ".join(pieces) + " . "
    short, long = work(unit * times), work(unit * 2 * times)
    assert long <= 2 * short + 1000


class Counting(list[str]):
    """A list that counts how often it is read."""

    read = 0

    def __getitem__(self, at: object) -> str:  # type: ignore[override]
        self.read += 1
        return super().__getitem__(at)  # type: ignore[index, return-value]


def work(text: str) -> int:
    """How many words are read while a text's mentions are judged."""
    made = tokens_of(text)
    lower = Counting(made.lower)
    tokens = Tokens(text, lower, made.starts, made.ends)
    for at, word in enumerate(made.lower):
        found = matches(tokens, at, bundled().terms(word), generic=True)
        for match in found:
            confidence(match.form, WordContext(tokens, at, match.last, bundled()))
    return lower.read
