"""The labels of a diagram are read as one text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.diagrams import labels_of_diagrams
from guard.text.escapes import NOTHING

PIECES = ("You are", "such a nice", "person.")


@pytest.mark.parametrize(
    "lines",
    [
        [f"    {'ABC'[n]}[{piece}] --> {'BCD'[n]}" for n, piece in enumerate(PIECES)],
        [f'    {"ABC"[n]}["{piece}"]' for n, piece in enumerate(PIECES)],
        [f"    {'ABC'[n]}(({piece})) --- {'BCD'[n]}" for n, piece in enumerate(PIECES)],
        [f"    A -->|{piece}| B" for piece in PIECES],
        [f"    Bot->>User: {piece}" for piece in PIECES],
        [f"    Bot-->>-User Two: {piece}" for piece in PIECES],
    ],
)
def test_the_labels_of_a_diagram_are_put_together(lines: list[str]) -> None:
    text = "See:\n```mermaid\nflowchart TD\n" + "\n".join(lines) + "\n```\nThat is it."
    read = labels_of_diagrams(text)
    assert len(read) == len(text)
    plain = " ".join(read.replace(NOTHING, "").split())
    assert plain == f"See: ```mermaid {' '.join(PIECES)} ``` That is it."


@pytest.mark.parametrize("line_end", ["<br/>", "<br>", "<BR />"])
@pytest.mark.parametrize("blank", ["_", " ", "&nbsp;", ""])
def test_a_label_with_a_letter_a_line_is_read_as_words(line_end: str, blank: str) -> None:
    label = line_end.join(blank if sign == " " else sign for sign in "You are so kind.")
    text = f'```mermaid\ngraph LR\nA["{label}"]\n```'
    read = labels_of_diagrams(text)
    assert len(read) == len(text)
    plain = " ".join(read.replace(NOTHING, "").split())
    assert plain == f"```mermaid {'You are so kind.' if blank else 'Youaresokind.'} ```"


def test_a_label_of_several_lines_keeps_its_words() -> None:
    read = labels_of_diagrams("```mermaid\ngraph LR\nA[You<br/>are<br/>kind]\n```")
    assert read.replace(NOTHING, "").split() == ["```mermaid", "You", "are", "kind", "```"]


def test_what_is_no_diagram_stays() -> None:
    text = "```python\na[0] --> b\n```\nA[You] and mermaid"
    assert labels_of_diagrams(text) == text


@given(
    st.lists(st.sampled_from(["```mermaid\n", "```", "\n", "A[x]", "-->|", "|", "->>B: hm", '"']))
)
def test_the_length_stays(parts: list[str]) -> None:
    text = "".join(parts)
    assert len(labels_of_diagrams(text)) == len(text)
