"""What displays show nothing of, between words and within them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text import readings
from guard.text.unseen import without_short_unseen, without_unseen

ELEMENTS = [
    "<template>{}</template>",
    "<TEMPLATE><b>{}</b></template >",
    "<template></div><p>{}</template>",
    "<script>if (a < b) say('<p>{}');</script>",
    "<style>p::before {{ content: '{}' }}</style>",
    "<title>{}</title>",
    "<noscript>{}</noscript>",
    "<datalist><option>{}</datalist>",
    "<select><option>{}</option></select>",
    "<dialog>{}</dialog>",
    "<details><summary>more</summary>{}</details>",
    "<canvas>{}</canvas>",
    "<audio>{}</audio>",
    "<video>{}</video>",
    "<iframe>{}</iframe>",
    '<object data="a.png">{}</object>',
    "<progress>{}</progress>",
    "<svg><desc>{}</desc></svg>",
    "<svg width=0 height=0>{}</svg>",
    '<svg width="1px" height="20"><text>{}</text></svg>',
    "<svg>{}</svg>",
    "<svg><g><a>{}</a></g></svg>",
    "<svg><text><set>{}</set></text></svg>",
    "<svg><foreignObject>{}</foreignObject></svg>",
    "<svg><foo><text>{}</text></foo></svg>",
    "<svg><text><foo>{}</foo></text></svg>",
    "<svg><text><text>{}</text></text></svg>",
    "<svg><tspan>{}</tspan></svg>",
    "<svg><text><textPath>{}</textPath></text></svg>",
    "<svg><text systemLanguage='xx'>{}</text></svg>",
    "<svg><switch><text></text><text>{}</text></switch></svg>",
    "<svg width=9/><text></text>{}</svg>",
    '<svg style="width: 0"><text>{}</text></svg>',
    "<math><mspace>{}</mspace></math>",
    "<math>{}</math>",
    "<math><mrow>{}</mrow></math>",
    "<math><mfrac><none>{}</none></mfrac></math>",
    "<math><mtext><mglyph>{}</mglyph></mtext></math>",
    "<math><semantics><mtext></mtext><mtext>{}</mtext></semantics></math>",
    "<math><maction><mtext></mtext><mtext>{}</mtext></maction></math>",
    "<span><template shadowrootmode='open'></template>{}</span>",
    "<svg><title>{}</title></svg>",
    "<svg><defs><text>{}</text></defs></svg>",
    "<svg><metadata>{}</metadata></svg>",
    '<svg><text display="none">{}</text></svg>',
    "<math><annotation>{}</annotation></math>",
    "<math><semantics><annotation-xml encoding='text/html'><p>{}</annotation-xml></math>",
    "<math><mphantom><mtext>{}</mtext></mphantom></math>",
    "<span hidden>{}</span>",
    "<span hidden>a <span>b</span> {}</span>",
    '<div class="a" hidden="">{}</div>',
    "<div popover>{}</div>",
    '<i style="color: red; DISPLAY : none">{}</i>',
    "<i style='visibility:hidden'>{}</i>",
    "<i style='opacity: 0.0; margin: 0'>{}</i>",
    "<i style='font-size:0px'>{}</i>",
    '<i class="a sr-only">{}</i>',
    "<b><span hidden>{}</b>",
    "<!-- a > b {} -->",
    "<!-- <template> {} --!>",
    "<![CDATA[{}]]>",
    "<ref>{}</ref>",
    '<ref name="a">{}</ref>',
    "((({})))",
    "{{# {} #}}",
    "{{/* {} */}}",
    "%% {} %%",
    "{{::comment}}{}{{:/comment}}",
    '{{: title="{}"}}',
    "||{}||",
    ">!{}!<",
    "\x1b[8m{}\x1b[0m",
    "\\e[8m{}\\033[0m",
    "\x1b[0;8m{}\x1b[28m",
]
LINES = [
    "\n\n[//]: # ({})\n\n",
    '\n\n[comment]: <> "{}"\n\n',
    "\n\n[a]: https://example.com\n  '{}'\n\n",
    "\n\n[^1]: {}\n\n",
    "\n{}\r\x1b[K",
    "\n{}\x1b[2K\r",
]
OTHER_WORDS = ["the weather is fine", "we went to the market", "dinner is at six", "green apples"]
_NOTHING = re.compile("\u200b|\\x1b\\[K")
SAID = ["You", "are", "an", "idiot."]


def read(text: str) -> list[str]:
    """What is read of it, each with single blanks."""
    return [" ".join(_NOTHING.sub("", one.text).split()) for one in readings(text)]


@pytest.mark.parametrize("form", ELEMENTS)
def test_between_words_it_is_read_as_nothing(form: str) -> None:
    gaps = [f" {form.format(words)} " for words in OTHER_WORDS]
    text = "".join(word + gap for word, gap in zip(SAID, gaps, strict=True))
    assert "You are an idiot." in read(text)
    assert any("the weather is fine" in one for one in read(text))
    assert len(without_unseen(text)) == len(text)


@pytest.mark.parametrize("form", LINES)
def test_so_are_lines(form: str) -> None:
    gaps = [form.format(words) for words in OTHER_WORDS]
    text = "".join(gap + word for word, gap in zip(SAID, gaps, strict=True))
    assert "You are an idiot." in read(text)


def test_so_are_cells_beyond_the_head_of_a_table() -> None:
    rows = "".join(
        f"| {word} | {words} | b |\n" for word, words in zip(SAID, OTHER_WORDS, strict=True)
    )
    table = f"Word\n| W |\n|---|\n{rows}"
    assert any("You are an idiot." in one.replace("| ", "") for one in read(table))
    whole = "| A | B |\n|:-|-:|\n| a \\| b | c |\n| d |\n\n| e | f | g |"
    assert without_unseen(whole) == whole


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_so_is_what_follows_the_language_of_a_block(fence: str) -> None:
    blocks = [
        f"{fence}{words}\n{word}\n{fence}\n" for word, words in zip(SAID, OTHER_WORDS, strict=True)
    ]
    assert any("You are an idiot." in one for one in read("".join(blocks)))
    assert without_unseen(f"{fence}python\nx = 1\n{fence}\n") == f"{fence}python\nx = 1\n{fence}\n"


@pytest.mark.parametrize("form", ELEMENTS)
def test_within_words_it_is_read_as_nothing(form: str) -> None:
    text = f"You are an id{form.format('a kind word')}iot."
    assert "You are an idiot." in read(text)


def test_tags_of_subtitles_are_read_as_nothing() -> None:
    text = "".join(rf"{{\k{20 + at}\1c&HFF0000&}}{sign}" for at, sign in enumerate(" ".join(SAID)))
    assert "You are an idiot." in read(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<p hidden>a<p>You<p hidden>b<p>are", "<p>You<p>are"),
        ("<ul><li hidden>a<ul><li>b</ul>c<li>You</ul>", "<ul><li>You</ul>"),
        ("<table><tr><td hidden>a<td>You</table>", "<table><tr><td>You</table>"),
        ('<template title="</template>">a</template>You', "You"),
        ("<!-- <template> -->You</template> are", "You</template> are"),
        ("<input hidden>You<br hidden/>are", "<input hidden>You<br hidden/>are"),
        ("<svg><desc/><text>You</text></svg>", "<svg><desc/><text>You</text></svg>"),
        ("<svg>no<p>You</p></svg>", "<svg><p>You</p></svg>"),
        ("<svg><svg>no<p>You</p>are", "<svg><svg><p>You</p>are"),
        ("<svg width=0>no<div>You</div>are", "<div>You</div>are"),
        ("<svg><text>You</text>no</p>are", "<svg><text>You</text></p>are"),
        ("<svg>no<font>no</font><font color=red>You", "<svg><font color=red>You"),
        ("<svg><style>no</svg>You</style>", "<svg>You</style>"),
        ("<math><mrow>no<p>You</p>are", "<math><mrow><p>You</p>are"),
        (
            "<p><template shadowrootmode=open>You <slot></slot></template>are</p>",
            "<p><template shadowrootmode=open>You <slot></slot></template>are</p>",
        ),
        (
            "<p>no<template shadowrootmode='open'>You</template>no</p> are",
            "<p>no<template shadowrootmode='open'>You</template> are",
        ),
        ("You \x1b[?1049hno\x1b[?1049l are", "You  are"),
        ("You \x1b[?1049hare", "You \x1b[?1049hare"),
        (r"You \e[?25;47hno\x1b[?47l are", "You  are"),
        ("You \x9b?1047hno\x9b?1047l are", "You  are"),
        ("You <template>a</template> are <template>b", "You  are <template>b"),
        ("the first train" + "\b" * 15 + "You", "You"),
        ("the first train" + "\b \b" * 15 + "You", "You"),
        ("an apple\x1b[8m\x1b[31ma\x1b[0m You", "an apple You"),
    ],
)
def test_it_ends_where_displays_end_it(text: str, shown: str) -> None:
    assert without_unseen(text).replace("\u200b", "") == shown


@pytest.mark.parametrize(
    "text",
    [
        "The <template> tag holds what is not shown, and <script> a program.",
        "<dialog open>You</dialog> <details open>are</details>",
        "<object>You</object> <desc>are</desc> <mask>an</mask>",
        '<b aria-hidden="true" data-hidden title="a hidden gem">You</b>',
        '<i style="opacity: 0.5; font-size: 0.8em; display: block">You</i>',
        "a <!-- b",
        r"{\bf You} are {\it kind} and {\small so} is {\k}",
        "<svg><text><![CDATA[You]]></text></svg>",
        "<svg width='100' height='20'><g><text>You <tspan>are</tspan></text></g></svg>",
        "<svg><foreignObject width=90 height=9>You <p>are</p></foreignObject></svg>",
        "<svg><foreignObject style='width:9em; height:2em'><line>You</line></foreignObject></svg>",
        "<svg width=0 style='width:9em'><text>You</text></svg> <svg/>are</svg>",
        "<svg><text hidden>You <tspan systemLanguage='de, en-GB'>are</tspan></text></svg>",
        "<svg><switch><text>You</text></switch></svg>",
        "<mspace>You</mspace> <mphantom>are</mphantom>",
        "<math><mrow><mtext>You</mtext><mi>are</mi></mrow></math>",
        "<math><mtable><mtr><mtd>You</mtd> are</mtr></mtable></math>",
        "<svg><text><textPath href='#a'>You</textPath></text></svg>",
        "<math><semantics><mrow><mtext>You</mtext><mi>are</mi></mrow></semantics></math>",
        "<math><mtext><![CDATA[You]]> <b>are</b></mtext></math>",
        "<p style='color: red' style='display: none'>You</p>",
        "<svg>You are",
        "max(((a + b) * c)) and ((((x))))",
        "[Note]: it is so.\n[a][b]: c d",
        "[Name|Surname]: [Ann|Bob].\n[One|Two]: [Three|Four].",
        "it is 50%% of {all} and {#this",
        "\x1b[1mYou\x1b[0m and \x1b[38;5;8mgrey\x1b[0m",
    ],
)
def test_what_is_shown_stays(text: str) -> None:
    assert without_unseen(text) == text


def test_on_wikis_a_formula_is_shown() -> None:
    assert "You are an idiot." in read("You <ref>a</ref> are <math>an~idiot</math>.")


PIECES = [
    *("a ", "<template>", "</template>", "<p hidden>", "<p>", "</p>", "<svg>", "<desc/>", "<desc>"),
    *("<math>", "<mi>", "</mi>", "<semantics>", "</math>", "<switch>", "<foreignObject>", "</p>"),
    *("<g>", "<text>", "<template shadowrootmode=open>", "<svg width=0>", "\x1b[?47h", "\x1b[?47l"),
    *("</svg>", "<script>", "</script>", "<!--", "-->", "<td hidden>", "<b", '"', "'", ">", "%%"),
    *("{#", "#}", "\x1b[8m", "\x1b[0m", "\r\x1b[K", "\b \b", "\n", "[a]: b", "</div>", "<!"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_the_length_stays(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert len(without_unseen(text)) == len(text)
    assert len(without_short_unseen(text, 9)) == len(text)
