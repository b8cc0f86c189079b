"""Formulas with a command at each letter, and letters by their numbers, as displays show them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.escapes import decoded
from guard.text.formulas import shown_formulas
from guard.text.markup import as_shown

TEXT = "You are kind."


def _shown(formula: str) -> str:
    found = as_shown(decoded(formula))
    assert len(found) == len(formula)
    return " ".join(found.replace("\u200b", "").split())


NUMBERS: list[Callable[[int], str]] = [
    lambda code: rf"\char {code} ",
    lambda code: rf'\char "{code:X} ',
    lambda code: rf"\char '{code:o} ",
    lambda code: rf"\char00{code} ",
    lambda code: rf"\@char{{{code}}}",
    lambda code: rf"\@char {{ {code} }}",
    lambda code: rf"\symbol{{{code}}}",
    lambda code: rf'\symbol {{"{code:X}}}',
    lambda code: rf"\unicode[Arial]{{x{code:X}}}",
    lambda code: rf"\unicode[1.2,.3][Arial]{{{code}}}",
    lambda code: rf"\unicode {{x{code:X}}}",
    lambda code: rf"\unicode{{0x{code:x}}}",
    lambda code: rf"\unicode{{ X{code:X} }}",
    lambda code: rf"\U{{{code:X}}}",
]


@pytest.mark.parametrize("number", NUMBERS)
def test_letters_by_number_are_read_with_the_blanks_and_options_that_tex_allows(
    number: Callable[[int], str],
) -> None:
    assert _shown(rf"$\text{{{''.join(number(ord(sign)) for sign in TEXT)}}}$") == TEXT


def test_letters_by_number_are_read_outside_of_formulas() -> None:
    assert decoded(r'\char"59\char 111\unicode {0x75}').replace("\u200b", "") == "You"


def test_a_number_of_no_character_is_nothing() -> None:
    assert _shown(r'$\text{You are\char"FFFFFF{} kind.}$') == TEXT


COMMANDS = [
    r"%s\rule[0em]{0em}{0em}",
    r"\text{%s}\rule {0em} {0em}",
    r"\raise0pt{%s}",
    r"\raise 1pt\hbox{%s}",
    r"\raise{1em}{%s}",
    r"\lower-1pt{%s}",
    r"\moveleft1pt\text{%s}",
    r"\enclose{circle}{%s}",
    r"\enclose{circle}[mathcolor=red]{%s}",
    r"\enclose {box,circle} {%s}",
    r"\mmlToken{mi}{%s}",
    r'\mmlToken{mi}[mathvariant="normal"]{%s}',
    r"\textcolor {red}{%s}",
    r"\textcolor[RGB]{255,0,0}{%s}",
    r"%s\color {red}",
    r"%s\hspace {0pt}",
    r"%s\hspace0pt ",
    r"%s\kern{0pt}",
    r"%s\kern 0 pt ",
    r"%s\kern+0pt ",
    r"%s\kern0bp ",
    r"%s\kern0pc ",
    r"%s\hskip0pt plus 1pt ",
    r"%s\Space{0em}{0em}{0em}",
    r"%s\message{garden}",
    r"%s\show m",
    r"%s\show\alpha ",
    r"%s\@ifnextchar\relax{}{}",
    r"\@ifnextchar x{z}{%s}",
    r"\genfrac{}{}{0pt}{}{%s}{}",
    r"%s\genfrac{}{}{0pt}{}{}{}",
    r"%s\require{color}",
    r"%s\ref{market}",
    r"\fcolorbox{red}{yellow}{%s}",
    r"\colorbox{red}{$%s$}",
    r"\mathmakebox[1em][c]{%s}",
    r"\overbracket[1pt][2pt]{%s}",
    r"\skew7{%s}",
    r"\xrightarrow[\text{%s}]{}",
    r"\overbrace{%s}^{x}",
    r"\unknown{word}{%s}",
    r"\text{$%s$}",
    r"\mbox{\(%s\)}",
    r"\raise1pt\hbox{$%s$}",
]


@pytest.mark.parametrize("blank", ["~", r"\quad "])
@pytest.mark.parametrize("command", COMMANDS)
def test_arguments_that_are_not_shown_are_left_out(command: str, blank: str) -> None:
    letters = (command.replace("%s", sign) if sign != " " else blank for sign in TEXT)
    assert _shown(f"${''.join(letters)}$") == TEXT


NESTED = [
    (r"$\text{", "$%s$", "}$"),
    (r"\(\text{", r"\(%s\)", r"}\)"),
    (r"\[\text{", "$%s$", r"}\]"),
    (r"$$\text{", "$%s$", "}$$"),
    (r"$\textcolor{red}{\text{", "$%s$", "}}$"),
    (r"$\text{\textbf{", "{$%s$}", "}}$"),
    (r"$\fcolorbox{red}{blue}{", "$%s$", "}$"),
    (r"$\fbox{$\text{", "%s", "}$}$"),
    (r"$\colorbox{yellow}{$\text{", "%s", "}$}$"),
]


@pytest.mark.parametrize(("begin", "letter", "end"), NESTED)
def test_formulas_within_texts_of_formulas_end_none(begin: str, letter: str, end: str) -> None:
    letters = "".join(letter % rf'\char"{ord(sign):X}' for sign in TEXT)
    assert _shown(begin + letters + end) == TEXT


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (r"\\(", r"\\)"),
        (r"\\[", r"\\]"),
        ("<math>", "</math>"),
        ('<math display="inline">', "</math>"),
        ("<chem>", "</chem>"),
        (r"\begin {gather}", r"\end {gather}"),
        (r"\begin{subequations}", r"\end{subequations}"),
        ("```math\n\\char`Y\\kern0pt ou\\ ", "\n```"),
    ],
)
def test_formulas_are_found_between_other_marks(begin: str, end: str) -> None:
    shown = TEXT.removeprefix("You ") if "Y" in begin else TEXT
    letters = "".join(rf'\char"{ord(sign):X} ' for sign in shown)
    assert _shown(f"{begin}\\text{{{letters}}}{end}") == TEXT


@pytest.mark.parametrize(
    "formula",
    [
        r'\\(\\text{\\char"59 ou are kind.}\\)',
        r'$\\text{\\char"59 ou are kind.}$',
        r"\\[\\textcolor{red}{\\text{You are}}\\quad \\text{kind.}\\]",
        r'$\text{You}\\\char"61 re\\\text{kind.}$',
    ],
)
def test_backslashes_that_markdown_has_doubled_are_read_as_one(formula: str) -> None:
    assert _shown(formula) == TEXT


def test_room_below_a_line_is_no_text() -> None:
    rows = r"\text{You}\\[2em] \text{are}\\*[1ex]\text{kind.}"
    assert _shown(rf"$$\begin{{array}}[t]{{@{{}}c@{{}}}}{rows}\end{{array}}$$") == TEXT


@pytest.mark.parametrize(
    "text",
    [
        r"We pay \text{$5 or more} each.",
        r"see `\rule{1em}{2pt}`",
        r"if re.match('\\(\d+\\', x):",
        "<math><mi>x</mi></math>",
    ],
)
def test_what_is_no_formula_stays(text: str) -> None:
    assert shown_formulas(text) == text


@pytest.mark.parametrize("text", [r"one\textwo three", r"one\nnewline", r"C:,\table"])
def test_escapes_that_are_no_commands_are_blanks(text: str) -> None:
    assert decoded(text) != text


def test_commands_that_begin_like_escapes_are_none() -> None:
    text = r"a\rule{1em}{1em}b\text{c}d\raise1pt{e}"
    assert decoded(text) == text


def test_words_of_a_formula_that_are_no_marks_stay() -> None:
    formula = r"$a\text{ if }b, c\text{ if }d, e\text{ or }f, g\text{ or }h, i, j, k, l$"
    assert _shown(formula).count("if") == 2


@given(st.text(st.sampled_from("$\\{}~^[]() \nabx1\"'`"), max_size=80))
def test_the_length_stays(text: str) -> None:
    assert len(shown_formulas(r"\text{$" + text)) == len(text) + 7


@pytest.mark.parametrize(
    "piece",
    [
        r"\text{", r"\text{{}", r"\text{$", r"{$}", r"\rule{", r"\rule[", r"\unicode[",
        r"\unicode{", r"\char ", r"\char0", r"\genfrac{}", r"\\(", r"\\[", "<math>",
        r"\hskip1pt plus ", r"\@ifnextchar", r"\\[1em", r"\begin{array}{@{", r"\xto[", r"\show ",
        "$a\\text{$}", r"\text{a}{", "x y",
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", ["{}!", "${}$", "$$ {} $$"])
def test_much_bait_is_read_in_linear_time(piece: str, around: str) -> None:
    text = around.replace("{}", piece * (60_000 // len(piece)))
    assert len(shown_formulas(decoded(text))) == len(text)
