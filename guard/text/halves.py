"""Characters that came in two pieces of a stream."""

from __future__ import annotations

import re

from guard.text.escapes import NOTHING

_UTF_16 = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_UTF_8 = re.compile("[\udc80-\udcff]{2,}")


def joined_halves(text: str) -> str:
    """`text` with each of them as that character, and zero-width spaces in the place of the rest.

    Halves are surrogates of UTF-16, or bytes of UTF-8 as `surrogateescape` decodes them. Same
    length; what is no whole character stays.
    """
    if text.isascii():
        return text
    return _UTF_8.sub(_from_bytes, _UTF_16.sub(_from_surrogates, text))


def _from_surrogates(match: re.Match[str]) -> str:
    return match[0].encode("utf-16", "surrogatepass").decode("utf-16") + NOTHING


def _from_bytes(match: re.Match[str]) -> str:
    found = match[0].encode("ascii", "surrogateescape").decode("utf-8", "surrogateescape")
    return "".join(sign + NOTHING * (_bytes_of(sign) - 1) for sign in found)


def _bytes_of(sign: str) -> int:
    return len(sign.encode("utf-8", "surrogateescape"))
