"""Words that markup of any language cuts are put together, and plain lines are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text import readings
from guard.text.cut_words import cut_words
from guard.text.escapes import NOTHING

WORDS = ("wonderful", "friend", "hello")
BETWEEN = [
    "<rp>(</rp>",
    "<![CDATA[x]]>",
    "<audio>no sound</audio>",
    "<svg width=0><title>x</title></svg>",
    r"\hspace{0pt}",
    r"\vphantom{x}",
    r"\index{word}",
    r"\hskip0pt{}",
    "{}{}",
    "{zwsp}",
    r"{\i1}",
    "%\n  ",
    "\\ ",
    "\x0304",
    "\x02",
    "[1]",
    "[noparse][/noparse]",
    "†",
    "¶",
    "・",
    "％",
    "¹",
    "【4†source】",
    "\ue200cite\ue202turn0search0\ue201",
    "[[1]](https://example.com)",
]
AROUND = [
    (r"{\bf ", "}"),
    (r"\href{https://example.com}{", "}"),
    (r"\(", r"\)"),
    (r"$\text{", "}$"),
    (r"\fB", r"\fP"),
    ("[[", "]]"),
    ("[[page|", "]]"),
    ("''", "''"),
    ("{color:red}", "{color}"),
    ("[", "]{.small}"),
    ("{{{", "}}}"),
    ("<ruby>", "<rp>(</rp><rt>x</rt><rp>)</rp></ruby>"),
    (r"_{\text{", "}}"),
    (r"\small ", r"\Large "),
    ("(", ")"),
    ("“", "”"),
    ("'", "'"),
    ("「", "」"),
]
AT_THE_END = ["/", "@", "=", "--", "_", "+"]


def said(text: str) -> list[str]:
    return [" ".join(each.replace(NOTHING, "").split()) for each in cut_words(text)]


@pytest.mark.parametrize(
    "between", [*BETWEEN, "_", "._", "_-", "&amp;", "&lowbar;", "’", "’’", "&rsquo;"]
)
def test_what_stands_between_letters_vanishes(between: str) -> None:
    text = " ".join(f"{word[:3]}{between}{word[3:]}" for word in WORDS)
    assert " ".join(WORDS) in said(text)


@pytest.mark.parametrize("mark", AT_THE_END)
def test_the_same_mark_on_both_sides_of_the_end_of_words(mark: str) -> None:
    assert " ".join(WORDS) in said(" ".join(f"{w[:2]}{mark}{w[2:]}{mark}" for w in WORDS))
    assert " ".join(WORDS) in said(" ".join(f"{mark}{w[:2]}{mark}{w[2:]}" for w in WORDS))


def test_letters_of_a_formula_with_a_command_each() -> None:
    letters = r"\ ".join("".join(rf"\mathrm {one}" for one in word) for word in WORDS)
    assert [" ".join(WORDS)] == [
        one.removeprefix(r"$\mathrm ")[:-1] for one in said(f"${letters}$")
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Well—known, so—called and self—made.",
        "Don’t, can’t, won’t.",
        "I’ll say y’all and d’Artagnan’s and O’Brien’s don’t; we’ve, they’re.",
        "AT&amp;T and R&amp;D, with a user_id.",
        "max_size = min(to_int(a_value), other_size)",
        "Add the item(s) to the list.",
        "See /usr/lib/x and a=b=c.",
        r"Let $x \in A$ and $y \le z$.",
    ],
)
def test_lines_with_few_of_these_stay(line: str) -> None:
    assert said(line) == []


@pytest.mark.parametrize(("before", "after"), [*AROUND, ("<", ">"), ("<", "/>"), (">", "<")])
def test_what_stands_around_a_part_of_a_word_vanishes(before: str, after: str) -> None:
    text = " ".join(f"{word[:2]}{before}{word[2:4]}{after}{word[4:]}" for word in WORDS)
    assert " ".join(WORDS) in said(text)


@pytest.mark.parametrize(
    "text",
    [
        "Plain words, e.g. these, and well-known ones; don't change them.",
        "He/she is a state-of-the-art engineer, and that's all there is to say here today.",
        "Use `foo` and *bar*, or [a link](https://example.com), at $5 (or {six}).",
        "<p>One</p><p>two</p> <b>three</b> and <i>four</i>.",
        "x = a[i] + b{2} - 3^4 | 5 ~ 6",
        "I'll go, you'll go, he'll go; who're they? We're friends.",
        "pen.is.down and pen.is.up, self.pen.is_down(x)",
        "|as|is|in|a|table|, key=\nvalue and a%",
    ],
)
def test_plain_lines_are_left_alone(text: str) -> None:
    assert list(cut_words(text)) == []


def test_blocks_of_a_page_part_words() -> None:
    assert list(cut_words("<li>one</li><li>two</li>one<br>two<td>three</td>four")) == []


def test_other_lines_are_not_read_again() -> None:
    first, cut, last = "A plain line.", r"a wo\(nd\)erful line", "Another one."
    assert said(f"{first}\n{cut}\n{last}") == ["a wonderful line"]


def test_such_lines_are_excerpts_in_place() -> None:
    text = "A plain line.\n" + r"a wo\(nd\)erful line"
    (found,) = [each for each in readings(text) if each.excerpt]
    at = found.text.index("erful")
    assert text[found.written(at) :] == "erful line"


@given(st.text(alphabet="ab <>/{}[]()\\|'=%$^`*~\n\x03-."))
def test_each_has_the_same_length(text: str) -> None:
    assert all(len(each) == len(text) for each in cut_words(text))
