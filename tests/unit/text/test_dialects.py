"""Words and letters each in a colour or a link of a dialect."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.dialects import without_dialects

SHOWN = [
    "[[https://a.example][You]] [[b][are]] [[c][kind]]",
    "link:a[You] https://b.example[are] xref:c[kind]",
    "<<a,You>> <<b,are>> <<c,kind>>",
    '"You":moon "are":/tree "kind":hill',
    "[You|https://a.example/moon] [are|#tree] [kind|~hill]",
    "[//a.example You] [https://b.example are] [http://c.example kind]",
    "<https://a.b/moon|Yo><https://a.b/hill|u> <https://a.b/tree|are> kind",
    "![](https://img.shields.io/badge/You-red) ![a](https://img.shields.io/badge/are-blue)"
    " ![](https://img.shields.io/badge/kind-a-b)",
    ":red[Y]:blue[o]:green-background[u] are kind",
    "[red]Y[/][bold blue]o[/bold blue][#00ff00]u[/] are kind",
    "{color:red}Y{color}{color:#00f}o{color}{color:blue}u{color} are kind",
    "{sup}`Y`{kbd}`o`:sub:`u` are kind",
    "{{color|red|Y}}{{nowrap|o}}{{color|blue|u}} are kind",
    "#text(fill: red)[Y]#emph[o]#text(fill: blue)[u] are kind",
]


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_shown_is_read_alone(text: str) -> None:
    found = without_dialects(text)
    assert found.replace("\u200b", "") == "You are kind"
    assert len(found) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "b": [2], "c": "d", "e": true}',
        "[a|b] or [c|d], [e|f]",
        "1 << 2, 3 << 4, 5 << 6",
        "a[1:n[2]] + b[i:j] + c[k:l]",
        "std::vector<int> a[3], b[4]; std::map<int> c[5];",
    ],
)
def test_what_is_no_dialect_stays(text: str) -> None:
    assert without_dialects(text) == text


@given(st.text(alphabet='[]{}()|<>":,#/`- \nab'))
def test_texts_keep_their_length(text: str) -> None:
    assert len(without_dialects(text)) == len(text)
