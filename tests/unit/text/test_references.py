"""Links and footnotes with words as labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.readings import readings
from guard.text.references import without_references

DEFINED = "\n\n[moon]: /moon\n[Big  Tree]: <https://example.com/tree> 'A tree'\n[^hill]: A hill."
SHOWN = {
    "[You][moon] [are][big tree] kind" + DEFINED: "You are kind",
    "[You][MOON] are[^hill] kind" + DEFINED: "You are kind",
    "[moon] ![are][big\ntree] kind" + DEFINED: "moon are kind",
    "Y[][moon]ou are kind" + DEFINED: "You are kind",
    "[You][moon] are kind\n\n> [moon]: /moon": "You are kind",
    "[You][moon] are kind\n\n- [moon]: /moon": "You are kind",
    "[You][a] [are][b] [kind][c]": "You are kind",
    "You[^a] are[^b] kind[^c]": "You are kind",
    "You^[a hill] are^[a tree] kind^[a moon]": "You are kind",
    "You [@hill20] are [@tree] kind [-@moon, p. 3]": "You are kind",
}


@pytest.mark.parametrize(("text", "said"), SHOWN.items())
def test_the_words_of_links_are_read_alone(text: str, said: str) -> None:
    found = without_references(text)
    assert found.replace("\u200b", "").split("\n\n")[0] == said
    assert len(found) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "[1] and [x] and [todo]",
        "[a] [b] and [c] [d] or [e] [f]",
        "m[i][j] + m[k][l]",
        "a task [x] with a note[^1], which nothing defines",
    ],
)
def test_what_is_no_link_stays(text: str) -> None:
    assert without_references(text) == text


def test_definitions_are_not_read_with_the_words() -> None:
    text = "[You][moon] [are][tree] [kind][hill]\n\n[moon]: /a\n[tree]: /b\n[hill]: /c"
    shown = [one.text.replace("\u200b", "").strip() for one in readings(text)]
    assert "You are kind" in shown


@given(st.text(alphabet='[]()^@|<>":,/-\\ \nab'))
def test_texts_keep_their_length(text: str) -> None:
    assert len(without_references(text)) == len(text)
