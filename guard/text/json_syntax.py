"""JSON as those read it who parse it: strings without the quotation marks around them."""

from __future__ import annotations

import re

_ENTRY = re.compile(r"""[{,]\s{0,40}(["'])[^"'\n]{1,80}+\1\s{0,8}:""")
_OPENING = re.compile(r"""(?<=[{\[,:])(\s{0,40})["']""")
_CLOSING = re.compile(r"""["'](?=\s{0,40}(?:[,:}\]]|\Z))""")


def unquoted(text: str) -> str:
    """`text` with spaces for the quotation marks of keys and values, where it has any; same length.

    In prose they would say that somebody else is quoted, which classifiers take for milder.
    """
    if _ENTRY.search(text) is None:
        return text
    return _CLOSING.sub(" ", _OPENING.sub(r"\1 ", text))
