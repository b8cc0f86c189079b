"""Markup that cuts words vanishes; what is between words stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.markup import as_displayed, as_shown

HIDDEN = [
    '<b id="a" class="b"></b>',
    '<i title="hello there"></i>',
    '<i title="a>b"></i>',
    '<span style="color: red; font-weight: bold"></span>',
    "<x-y></x-y>",
    "<SVG></svg>",
    '<a href="https://example.com/page"></a>',
    "<!--abc-->",
    "<!-- two words --><!-->",
    "<!-- a > b -->",
    "<![CDATA[]]>",
    "<?x?>",
    "<>",
    "<don't>",
    "[](x)",
    "[](x/(y(z)))",
    "[![](x.png)](y)",
    "<!-- a>b>c>d>e>f>g>h>i>j>k>l -->",
    "![](x)",
    "[][a]",
    "{}",
    "[b]",
    "[color=red][b]",
    "\x1b]0;a title\x07",
    "\x9d0;a title\x07",
    "\x9d2;a title\x9c",
    "\x1bPq\x1b\\",
    r"\-",
    r"\/",
    "\\\n",
    "[^1]",
    r"\kern0pt ",
    r"\relax ",
]
EMOJI = "You :smile: are :tada: so :+1: kind. :heart:"


@pytest.mark.parametrize("markup", HIDDEN)
def test_markup_inside_a_word_vanishes(markup: str) -> None:
    text = f"an id{markup}iot."
    found = as_shown(text)
    assert found.replace("\u200b", "") == "an idiot."
    assert len(found) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "an [id](u)[iot](u).",
        "an id[iot](https://example.com).",
        "an id[iot](https://example.com/a_(b)).",
        "an id[iot](\nhttps://example.com\n).",
        f"an id[iot](https://example.com/{'a' * 900}).",
        "an *id*_i_**ot**.",
        "an i\bid\bdx\bix\box\bt.",
        "an idx\x1b[Diot.",
        "an ixyz\x1b[3Ddiot.",
        "an id\x1b[snice\x1b[uiot.",
        "an id\x1b7nice\x1b8iot.",
        "an [id](u)iot.",
        r"an \textbf{id}iot.",
        r"an id\text{iot}.",
        r"an \mathrm{i}\mathrm{d}\mathrm{i}\mathrm{o}\mathrm{t}.",
        "an id[b]iot[/b].",
        "an [id][1]iot.",
        "an id==iot==.",
        "an id++iot++.",
        "an id''iot''.",
        "an id<![CDATA[iot]]>.",
        "an <http://x|id>iot.",
        "an id<#C1|iot>.",
        "an <ruby>id<rt>x</rt></ruby>iot.".replace("<ruby>", "").replace("</ruby>", ""),
        "an id<rp>(</rp><RT class=a>no</RT><rp>)</rp>iot.",
        r"an \c{i}\d{d}\r{i}\k{o}\u{t}.",
        "an i^(d)iot.",
    ],
)
def test_parts_of_a_word_are_one(text: str) -> None:
    found = as_shown(text)
    assert found.replace("\u200b", "").replace("[/b]", "") == "an idiot."
    assert len(found) == len(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("$an~i^{d}i_{o}t$", "an idiot"),
        ("$an~i^di_ot$", "an idiot"),
        ("$a_{n}~i^{d}i^ot$", "an idiot"),
        (r"an \overset{x}{i}\stackrel{x}{d}iot.", "an idiot."),
        (r"an \resizebox{1em}{!}{id}\raisebox{1pt}{iot}.", "an idiot."),
        (r"an \fcolorbox{red}{blue}{id}\bbox[red]{iot}.", "an idiot."),
        (r"an \href{x}{id}iot.", "an idiot."),
    ],
)
def test_letters_of_formulas_and_in_boxes_are_one_word(text: str, shown: str) -> None:
    found = as_displayed(text)
    assert found.replace("\u200b", "") == shown
    assert len(found) == len(text)


@pytest.mark.parametrize("link", ["[iot][1]", "[iot][]", "[iot]"])
def test_a_reference_is_a_link_where_its_label_is_defined(link: str) -> None:
    text = f"an id{link}.\n\n[1]: https://example.com\n[IOT]: https://example.com"
    assert as_shown(text).replace("\u200b", "").startswith("an idiot.\n")
    assert as_shown(text[: text.index("\n")]) == text[: text.index("\n")]


def test_what_a_tag_turns_round_stands_between_marks() -> None:
    found = as_shown('an <bdo dir="rtl">toidi</bdo>.')
    assert found.replace("\u200b", "") == "an \u202etoidi\u202c."


@pytest.mark.parametrize(
    "text",
    [
        "one<br>two</p><p>three</td><td>four",
        "one <b>two</b> <!-- three --> four [link](u) and [another](v).",
        "a < b, c > d, if a<b: pass, x[i], \\section{One} two",
        "f{x} {y}z",
        "one <style>p {}</style> two, a *b* c_d_e, x[i][j]",
    ],
)
def test_markup_between_words_stays(text: str) -> None:
    assert as_shown(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"{\color{red}Y}ou {\color{blue}a}re", "You are"),
        (r"\color{red}Y\color{blue}ou are", "You are"),
        (r"{\bf Y}{\it o}u {\Large\bf a}re", "You are"),
        (r"{\cf1 Y}ou {\b a}re", "You are"),
    ],
)
def test_declarations_within_words_vanish(text: str, shown: str) -> None:
    assert as_shown(text).replace("\u200b", "") == shown


INSULT = "You are an idiot."
AROUND = {
    "tags": '<span style="color:red">{}</span>',
    "names": "<font>{}</font>",
    "links": '<a href="https://example.com/p/1">{}</a>',
    "markdown": "[{}](https://example.com/page)",
    "comments": "<!-- nice weather today -->{}",
    "codes": "[color=red]{}[/color]",
    "commands": r"\textcolor{{red}}{{{}}}",
    "colours": r"\textcolor[HTML]{{FF0000}}{{{}}}",
    "nested": r"\textcolor{{red}}{{\text{{{}}}}}",
}


@pytest.mark.parametrize("markup", AROUND)
@pytest.mark.parametrize("cut", [list, str.split], ids=["letters", "words"])
def test_much_markup_is_not_displayed(markup: str, cut: Callable[[str], list[str]]) -> None:
    space = " " if cut is str.split else ""
    text = space.join(AROUND[markup].format(one) for one in cut(INSULT))
    found = as_displayed(text)
    assert len(found) == len(text)
    assert found.replace("\u200b", "") == INSULT


def test_once_a_word_is_cut_no_markup_is_displayed() -> None:
    text = '<span style="color:red">Y</span>ou are <b>an</b> [id](u)iot, and that is all I say.'
    found = as_displayed(text).replace("\u200b", "")
    assert found == "You are an idiot, and that is all I say."


def test_blocks_stand_in_lines_of_their_own() -> None:
    text = "<div><p>Hello</p><p>World</p></div>"
    assert as_displayed(text).replace("\u200b", "").split() == ["Hello", "World"]


@pytest.mark.parametrize(
    "text",
    [
        "Use `if (a < b) { x[0] = {1}; }` for a List<String>, in the second line.",
        "It is 3 < 4, and [name] is not [b], and that is all there is to be said about it.",
    ],
)
def test_a_little_markup_is_read_as_it_is_written(text: str) -> None:
    assert as_displayed(text) == text


@pytest.mark.parametrize(
    "markup",
    [
        "<strong>idiot</strong>",
        '<a href="https://example.com/page">idiot</a>',
        "[color=red]idiot[/color]",
        "<!-- the weather is nice today -->idiot",
        "[idiot](https://example.com/page)",
    ],
)
def test_a_word_with_markup_around_it_is_displayed_without(markup: str) -> None:
    text = f"Thank you for writing. The parcel left today, and so on. You are an {markup}. Goodbye."
    found = as_displayed(text).replace("\u200b", "")
    assert found.endswith("and so on. You are an idiot. Goodbye.")


@pytest.mark.parametrize("code", ["` up `", "`` up ``", "`\nup\n`"])
def test_code_in_a_word_is_shown_without_the_blanks_within(code: str) -> None:
    assert as_shown(f"st{code}on").replace("\u200b", "") == "stupon"


@pytest.mark.parametrize("text", ["`a`, `b` and `c`", "Use ` a ` here.", "a` `b", "a`\n`b"])
def test_other_code_stays(text: str) -> None:
    assert as_shown(text) == text


@given(st.text(alphabet="ab `*_<>/{}[]()\\|'=\n-"))
def test_what_is_shown_has_the_same_length(text: str) -> None:
    assert len(as_shown(text)) == len(as_displayed(text)) == len(text)


def test_names_of_emoji_are_no_words() -> None:
    found = as_shown(EMOJI)
    assert found.replace("\u200b", "").split() == ["You", "are", "so", "kind."]


@pytest.mark.parametrize("text", ["at 10:30:45", "std::map::at", "Note: this :smile: is", "a:b"])
def test_other_colons_stay(text: str) -> None:
    assert as_shown(text) == text


def test_links_of_wikis_are_their_labels() -> None:
    found = as_shown("[[Apple|You]] are [[The Sun|so]] [[kind]].")
    assert found.replace("\u200b", "") == "You are so [[kind]]."
