"""Formulas of TeX as their displays show them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.formulas import shown_formulas
from guard.text.markup import as_shown

SHOWN = [
    r"$Y\smash{}ou\ a\smash{}re\ kind.$",
    r"$\mathrm{Y\hphantom{X}ou~a\vphantom{X}re~kind.}$",
    r"$$Y\kern0pt ou\quad a\mkern1mu re\ kind.$$",
    "\\(Y% a note\nou\\ a%\n  re\\ kind.\\)",
    r"\[Y\cdot o\cdot u\;a\cdot r\cdot e\:k\cdot i\cdot n\cdot d.\]",
    r"$\char" + '"59' + r" \char111 \char'165~\char`a\unicode{114}\unicode{x65}\ kind\unicode{46}$",
    r"$Y_{o}^{u}\ {a}r_e~ki\displaystyle nd.$",
    r"$\text{You are }\textcolor{red}{kind.}$",
    r"$Y\rule{0pt}{0pt}ou\\are\hspace{1em} kind.$",
    "\\begin{align}\n\\text{You}&\\ % the weather\n\\text{are kind.}\n\\end{align}",
    r"\begin{alignat*}{2}\char89 ou\label{the weather}\ are & kind.\end{alignat*}",
    r"\begin{array}{l|r}\text{You} & \text{are} \\ \text{kind.}\end{array}",
    "```math\n\\char89 ou\\ \\text{are kind.}\n```",
    r'<script type="math/tex">\char89 ou\ \text{are kind.}</script>',
    r"$\mathchoice{fine}{\text{You}}{day}{}\ \@firstoftwo{are}{not}\ \@secondoftwo{no}{kind}.$",
    r"$$\mathchoice{You\ are}{fine}{day}{}\ \toggle{kind}{no}{one}\endtoggle\texttip{.}{no}$$",
    r"$You\ are\ k\imath nd.$",
    r"$\text{You}\phantom{\text{\textbf{the \textit{we}}}}\ \text{are kind.}$",
    r"$$Y\text{ou}\hphantom{costs $5}\ are\ \text{kind}.$$",
    r"$Y\omicron \upsilon\ \alpha r\epsilon \ \kappa \iota nd.$",
    r"$\gamma\sigma\mu\ \alpha r\varepsilon\ k\imath\eta\partial.$".replace(r"\gamma", "Y"),
    r"Y$\omicron$$\upsilon$ $\alpha$r$\epsilon$ k\(\iota\)nd.",
    r"$\large Y$$\rm o$$\char" + '"75$ ar$\\tiny e$ k$\\relax$ind.',
    r"Yo$\scriptstyle$u a\(\bf\)re $\mathrm{k\iota nd}$.",
    r"$Y$$_o$u $\alpha$re kind.".replace("$Y$", "Y"),
    r"$\href{https://example.com/what/the-weather-is-like-today}{\text{You}}\ \text{are kind.}$",
]


@pytest.mark.parametrize("formula", SHOWN)
def test_a_formula_is_read_as_it_is_shown(formula: str) -> None:
    found = as_shown(formula)
    assert " ".join(found.replace("\u200b", "").replace("\n", " ").split()) == "You are kind."
    assert len(found) == len(formula)


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 for one and $10 for three.",
        "$x$ and $y$",
        "$x^2 + 1$",
        r"the set \{1, 2\} and C:\temp\new",
        "a$ $b and $ $"[2:6],
        "echo $HOME/$USER",
    ],
)
def test_what_says_nothing_stays(text: str) -> None:
    assert shown_formulas(text) == text


CAPITALS = [
    r"$Y\Omicron U\ \Alpha R\Epsilon\ \Kappa \Iota \Nu D.$",
    r"$\mathrm{\Upsilon\Theta U}$ $\mathrm{\Lambda R\Sigma}$ $\mathrm{K\Im\Pi D}$.",
]


@pytest.mark.parametrize("formula", CAPITALS)
def test_capitals_by_greek_names_are_read_as_latin_ones(formula: str) -> None:
    assert as_shown(formula).replace("\u200b", "") == "YOU ARE KIND."


def test_names_of_functions_are_letters_within_words() -> None:
    assert as_shown(r"$thin{\ker}s,\ 2\sin x$").replace("\u200b", "") == "thinkers, 2x"


@pytest.mark.parametrize(
    "text", [r"the $\alpha$ and $\beta$ of it", r"CO$_2$ and H$_2$O", r"a $\to$ b"]
)
def test_a_short_formula_beside_words_stays(text: str) -> None:
    assert shown_formulas(text) == text


def test_a_formula_of_any_length_is_read() -> None:
    rest = "\\\\ x^2 + y^2 = z^2\n" * 200
    assert "You" in as_shown(rf"$$ \char89 \char111 \char117 {rest} $$").replace("\u200b", "")


@given(st.text(st.sampled_from("$\\{}~^_% \nabcx1\"'`"), max_size=80))
def test_the_length_stays(text: str) -> None:
    assert len(shown_formulas(text)) == len(text)


@pytest.mark.parametrize(
    "piece", ["$", "$ ", "$a\\", "\\(", "\\[a", "$$a", "\\char", "$%", "{", "\\$"]
)
def test_much_bait_is_read_in_linear_time(piece: str) -> None:
    text = piece * (60_000 // len(piece)) + "!"
    assert len(shown_formulas(text)) == len(text)
