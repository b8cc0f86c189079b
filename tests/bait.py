"""Pieces that are costly to read over and over: of marks, markup, quotation and words apart."""

from __future__ import annotations

RLO, LRO, TAG_A = "\u202e", "\u202d", "\U000e0061"

BAIT = (
    *(f"{RLO}", f"{RLO}{LRO}", f"{RLO}ab\u2067\u2068c\u2069\u202c", f"{RLO}\u2068", "a<b "),
    *("a<!--", "a<!-- >", 'a<b "', "a<''<'\"", "a<b>", "<bdo dir=", "a[a](b)", "a[a]("),
    *("a[a](()", "a[a](\n", "a[a][b", "a[b]\n[b]: c\n", "a<style>", "a<style>b</"),
    *("a<style>b</style>", "a<b hidden>c", "a<b style='display:none", "*a", "*a*", "_a_*"),
    *("\x1b]0;", '{"', '{"a":', '"a",', "['a','", "a==", "a==b==", "[a][", "<a:|", "<![CDATA["),
    *("a\\b", "a\\\n", "%20", "=20", "\\64 ", "," + " " * 39, "a\b", "\ufe0f"),
    *("a\u0301\u0301\u0301", "[](", "a[b", "\\ab{c}", "{}", "&#00000000", f"a{TAG_A}", TAG_A),
    *("<template>", "</template>", "<p hidden>", "<td hidden>", "a<script>", "<script></", "<!a"),
    *("<svg><desc>", "<!--<p hidden>-->", "<p hidden a='", "<p hidden a=b ", "<li><ul hidden>"),
    *("[a\\", "[a|", "[^a]", "{a}`", ":a[b]", "<p dir=rtl>", "<bdi>a</bdi>", "$\\alpha$ "),
    *("\u200fa", "\u2067a\u200f", "<td dir=rtl>", "&rlm;a"),
    *("%%", "{#", "{/* ", "{a=", '{a="', "{.a ", "[a]:", "[a]:\n", "[a]: b 'c", "[^a]: b\n"),
    *("\x1b[8m", "\x1b[8ma\x1b[0m", "a\r\x1b[K", "a\x1b[2K", "\b \b", "a|\n-|\n", "a|b|\n"),
    *("```a b\n", "```math\n", "<script math/tex>", "\\begin{math}", "\\(", "\\[a", "$a\\b"),
    *("\\mathchoice{", "\\phantom{{}{}", "\\phantom{a}", "\\toggle{a}{b}", "$$\\begin{a}", "\\$"),
    *("||a", "||a ", ">!", ">!a!", "\\e[8m", "z"),
)
"""Of whatever has readings of its own."""

WORDS_APART = (
    *("a\n", "\n- ", "\n1. a", '"a" ', '"', "`a`", "1a", "1a,", "aa ", "\n\u200b", "a@", "a||"),
    *("@", "```\n", "aж", "('a'),"),
)
"""Of words that stand one by one."""

ABOUT_PEOPLE = (
    *("*", "**a ", "_a ", "__a", "~~a ", "<b ", "<br>", " \n", "  ", "&quot;", '\\"', "\\n"),
    *("her\n", "her $1,", "her – ", "\u00a0", "\u200b\u00a0", "\u0455h\u0435 "),
    *("her #a ", "#her", "her @a_", "her 😍", "😍", "her, uh, ", "THANKS TOM ", "Yes Tom Tom "),
    *("DEAR MR TOM ", "Tom and Anna ", "she ", "As a man, ", "72, "),
    *("female\nmale\n", "female ", "male, female, "),
)
"""Around words about people."""


def much(piece: str, length: int) -> str:
    """`piece` over and over, about `length` characters."""
    return piece * (length // len(piece))
