"""Words and letters in markup of dialects, each in a colour or link of its own, as shown."""

from __future__ import annotations

import re
from typing import Final

from guard.text.omissions import shown_alone

_WORDS = r"(?P<shown>[^\[\]\n]++)"
_LINKS: Final = (
    re.compile(rf"\[\[[^\[\]|\n]++\]\[{_WORDS}\]\]"),  # Org
    re.compile(rf"(?<!\w)(?:link|xref|https?|mailto):[^\s\[\]<>]{{1,300}}+\[{_WORDS}\]"),
    re.compile(r"<<[#\w./ -]++,(?P<shown>[^<>\n]++)>>"),  # AsciiDoc
    re.compile(  # Textile
        r"(?<![^\s(*_])\"(?P<shown>[^\"\n]++)\":(?![\d{\[\"\s-])[^\s,;\"{}\[\]]++"
    ),
    re.compile(
        r"(?<!\[)\[(?P<shown>[^\[\]|\n]++)\|(?:\w++:|[#^~/.])[^\[\]|\n\s]++\](?!\])"
    ),  # Jira
    re.compile(rf"\[(?:https?:)?//[^\s\[\]]++ {_WORDS}\]"),  # MediaWiki
    re.compile(r"<[a-z]{2,8}:[^<>|\s]++\|(?P<shown>[^<>|\n]++)>"),  # Slack
    re.compile(
        r"!\[[^\[\]\n]*+\]\(https?://img\.shields\.io/badge/(?P<shown>[^()\s/-]++)-[^()\s]++\)"
    ),
)
_COLOURS: Final = (
    re.compile(rf"(?<!:):[a-z][a-z-]{{0,30}}+\[{_WORDS}\](?:\{{[^{{}}\n]*+\}})?+"),  # Streamlit
    re.compile(rf"\[(?P<style>[a-z#][\w# .-]{{0,40}}+)\]{_WORDS}\[/(?P=style)?\]"),  # Rich
    re.compile(r"\{color:[^{}\n]++\}(?P<shown>[^{}\n]++)\{color\}"),  # Jira
    re.compile(r"(?:\{[a-z][\w:-]{0,30}+\}|(?<!\w):[a-z][\w-]{0,30}+:)`(?P<shown>[^`\n]++)`"),
    re.compile(r"\{\{[A-Za-z][^{}|\n]*+\|(?:[^{}|\n]*+\|)?(?P<shown>[^{}|\n]++)\}\}"),  # MediaWiki
    re.compile(rf"#[a-z]{{2,20}}+(?:\([^()\n]*+\))?+\[{_WORDS}\]"),  # Typst
)
_SIGNS: Final = (("[", "<<", '":', "|"), ("[", "{", ":"))
"""What a text with such has, by kind."""
_FEWEST = 3
"""Of them in a text."""


def without_dialects(text: str) -> str:
    """`text` with the words of links and colours of a dialect alone where it has several of these;
    same length."""
    for signs, forms in zip(_SIGNS, (_LINKS, _COLOURS), strict=True):
        if any(sign in text for sign in signs):
            for form in forms:
                if sum(1 for _ in form.finditer(text)) >= _FEWEST:
                    text = form.sub(shown_alone, text)
    return text
