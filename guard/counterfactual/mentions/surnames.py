"""Surnames: which words after a first name are one, and where it stands without that name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from guard.counterfactual.mentions.protected import inside
from guard.records import Span

_PARTICLES = (
    "de la|de los|de las|del|de|da|dos|di|van der|van den|van|von|bin|ibn|al|el"
    "|von der|Van der|Van den|Von der|De la|De los|De las|Al|El|De|Del|Di|Van|Von|Ben|La|Le|St\\.?"
)
_WORD = r"[^\W\d_]+(?:['’](?=[A-Z])[^\W\d_]+)?"
_SURNAME = rf"(?:(?:{_PARTICLES})[ -])?{_WORD}(?:-{_WORD})?"
_AFTER_FIRST_NAME = re.compile(rf" (?:[A-Z]\.? )?({_SURNAME})(?![\w-])")


def surname_after(text: str, end: int, no_names: Collection[str]) -> Span | None:
    """The surname that follows the first name that ends at this character; None: there is none.

    no_names: words in lower case that are none though they have a capital ("Juan I know").
    """
    found = _AFTER_FIRST_NAME.match(text, end)
    if found is None:
        return None
    last = re.split(r"[ -]", found[1])[-1]
    if not last[0].isupper() or len(found[1]) < 2 or found[1].lower() in no_names:
        return None
    return Span(start=found.start(1), end=found.end(1))


def places_of(
    surnames: Mapping[str, object], text: str, taken: Sequence[Span]
) -> Iterator[tuple[str, Span]]:
    """Where these surnames stand, outside the ranges that are taken, which are in order."""
    if not surnames:
        return
    starts = [span.start for span in taken]
    either = "|".join(sorted(map(re.escape, surnames), key=len, reverse=True))
    for match in re.finditer(rf"(?<![\w'’-])(?:{either})(?![\w-])", text):
        start, end = match.span()
        if not inside(taken, starts, start, end):
            yield match[0], Span(start=start, end=end)
