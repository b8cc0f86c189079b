"""Whatever the text: offsets are exact, nothing is lost, and settled means settled."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from guard.records import Span
from guard.text import (
    clean,
    gaps,
    segments,
    sentences,
    settled_end,
    windows,
    within_tags,
)
from tests.repeats import repeats

PIECES = st.sampled_from(
    [
        *("Hello", "mr", "Dr", "etc", "no", "U.S", "J", "3", "x" * 120, "\u4f60\u597d", "I"),
        *(".", "...", "!", "?!", "\u2026", "\u3002", "\uff1f", ". ", ".\n", ".\n\n", "\n", "\n- "),
        *(" ", "  ", "\t", "\u2028", '"', "\u201d", ")", "*", "\U0001f600", "\u200d", "\ufe0f"),
        *("<p>", "</p>", "<td class='a'>", "</td>", "</tr>", "<br/>", "<li", ">", "<", "</", "<b>"),
        *("\0", "\ud800", "\udfff", "\u202e", "\u0627\u0644", "e\u0301", "\uac00", "\x0b", "word "),
    ]
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=60).map("".join),
    st.text(st.characters(codec=None), max_size=200),
    st.builds(lambda unit, times, end: unit * times + end, PIECES, st.integers(1, 700), PIECES),
)


@given(TEXTS)
@settings(max_examples=repeats(150, soak=1500))
def test_sentences_hold_every_character_that_is_not_blank(text: str) -> None:
    found = sentences(text)
    assert gaps(text, found) == ()
    assert all(one.end <= two.start for one, two in itertools.pairwise(found))
    for span in found:
        part = text[span.start : span.end]
        assert part
        assert part == part.strip()


@given(TEXTS, st.lists(st.integers(1, 60), min_size=8, max_size=30))
@settings(max_examples=repeats(100, soak=1000))
def test_what_is_settled_while_streaming_is_what_the_whole_text_has(
    text: str, steps: list[int]
) -> None:
    whole = {span.end for span in sentences(text)}
    seen = settled = 0
    for step in steps * (1 + len(text) // sum(steps)):
        seen += step
        again = settled_end(text[:seen], settled)
        assert again == settled or again in whole
        assert again >= settled
        assert again == settled_end(text[:seen], 0)
        settled = again


@given(st.lists(st.sampled_from(("<p>", "</p>", "<td>", "</td>", "<br>", "a ", "b")), max_size=12))
def test_a_passage_loses_tags_alone_and_keeps_those_that_match(pieces: list[str]) -> None:
    text = "".join(pieces)
    whole = Span(start=0, end=len(text))
    kept = within_tags(text, whole)
    assert whole.contains(kept)
    left = text[: kept.start] + text[kept.end :]
    assert not {"a", "b"} & set(left.replace("<br>", ""))
    for name in ("p", "td"):
        inside = text[kept.start : kept.end]
        assert left.count(f"<{name}>") - left.count(f"</{name}>") == (
            text.count(f"<{name}>") - text.count(f"</{name}>")
        ) - (inside.count(f"<{name}>") - inside.count(f"</{name}>"))


@given(TEXTS, st.integers(1, 64))
def test_segments_lie_end_to_end(text: str, size: int) -> None:
    found = list(segments(text, size=size))
    assert "".join(text[span.start : span.end] for span in found) == text
    assert all(0 < span.end - span.start <= size for span in found)


@given(TEXTS)
def test_cleaning_keeps_length_and_makes_text_encodable(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) == len(text)
    assert len(cleaned.encode()) >= len(text)
    assert clean(cleaned) == cleaned


@given(st.lists(st.integers(0, 3), max_size=200), st.integers(1, 20), st.data())
def test_windows_cover_all_tokens_and_keep_to_their_size(
    steps: list[int], size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, size // 2))
    words = [sum(steps[: at + 1]) for at in range(len(steps))]
    found = windows(words, size=size, overlap=overlap)
    assert {token for window in found for token in window} == set(range(len(words)))
    assert all(0 < len(window) <= size for window in found)
    for one, two in itertools.pairwise(found):
        assert one.start < two.start <= one.stop < two.stop
        assert one.stop - two.start <= overlap


@given(st.lists(st.integers(0, 3), min_size=1, max_size=200), st.integers(0, 200))
def test_windows_but_the_last_stay_when_more_tokens_come(steps: list[int], cut: int) -> None:
    words = [sum(steps[: at + 1]) for at in range(len(steps))]
    early = windows(words[:cut], size=12, overlap=4)[:-1]
    assert windows(words, size=12, overlap=4)[: len(early)] == early


@given(st.text(max_size=50), st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50))))
def test_gaps_are_what_no_span_covers(text: str, pairs: list[tuple[int, int]]) -> None:
    covered = [Span(start=min(pair), end=max(pair)) for pair in pairs]
    inside = {at for span in covered for at in range(span.start, span.end)}
    open_ = {at for span in gaps(text, covered) for at in range(span.start, span.end)}
    assert not inside & open_
    assert all(text[at].isspace() for at in set(range(len(text))) - inside - open_)
