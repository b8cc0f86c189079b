"""Marks of sources within sentences are left out, and those behind them stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.citations import without_citations
from guard.text.escapes import NOTHING

PIECES = ("You are", "such a nice", "person.")


@pytest.mark.parametrize(
    "mark",
    [
        "【4:0†file.pdf】",
        " \ue200cite\ue202turn0search1\ue201",
        "~\\cite{smith2020}",
        "\\citep[p. 3]{smith2020}",
        "~(see Figure~\\ref{fig:1})",
        "\\footnote{See page 1.}",
        "{{cite web|url=x}}",
        " [cite: 1, 2]",
        " [source: a.pdf]",
        " (https://example.com/a/1)",
    ],
)
def test_a_sentence_is_read_without_the_marks_in_it(mark: str) -> None:
    text = f"{mark} ".join(PIECES)
    read = without_citations(text)
    assert len(read) == len(text)
    assert " ".join(read.replace(NOTHING, "").split()) == " ".join(PIECES)


@pytest.mark.parametrize(
    "text",
    [
        "One mark【4:0†file.pdf】 in it, and one behind it.【4:1†file.pdf】",
        "It rains.【4:0†a.pdf】 It pours.【4:1†b.pdf】 It snows.",
        "See [the source: of it](x) and f(refs) or a[cite] here",
        "Costs {{name}} and {{place}}.",
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert without_citations(text) == text


@given(st.lists(st.sampled_from(["{{x}}", "【a】", " b", "\\cite{", "}", "(https://x)", "\n"])))
def test_the_length_stays(parts: list[str]) -> None:
    text = "".join(parts)
    assert len(without_citations(text)) == len(text)
