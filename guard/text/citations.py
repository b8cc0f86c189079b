"""Marks of sources in the middle of sentences, which displays show small or leave out."""

from __future__ import annotations

import re
from typing import Final

from guard.text.escapes import NOTHING

_GOES_ON: Final = r"(?=[ \t]*(?-i:[a-z]))"
_CITATION: Final = re.compile(
    r"[ ~]?(?:"
    r"\u3010[^\u3010\u3011\n]{1,80}\u3011"
    r"|\ue200[^\ue200-\ue201\n]{1,80}\ue201"
    r"|\{\{[^{}\n]{1,120}\}\}"
    r"|\\(?:cite[a-z]{0,8}|(?:page|eq|auto|c)?ref|footnote(?:mark)?|label)(?:\[[^\]\n]{0,40}\])?"
    r"\{[^{}\n]{0,120}\}"
    r"|\((?:see )?[^()\n]{0,40}\\ref\{[^{}\n]{0,60}\}[^()\n]{0,20}\)"
    r"|[\[(](?:source|cite|citation|ref|via|from)s?\.?[: ][^\[\]()\n]{1,80}[\])]"
    r"|[\[(]https?://[^\s()\[\]]{1,200}[\])]"
    rf"){_GOES_ON}",
    re.IGNORECASE,
)
_FEWEST: Final = 2
"""Of them in a text: one alone hides no sentence."""


def without_citations(text: str) -> str:
    """`text` without the marks of sources within its sentences; same length."""
    found = list(_CITATION.finditer(text))
    if len(found) < _FEWEST:
        return text
    return _CITATION.sub(lambda mark: " " + NOTHING * (len(mark[0]) - 1), text)
