"""Which cases a page is about: from the query of its address, and back into links and forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from guard.records import CaseFilter, CaseKind, CaseState

TEXTS: Final = ("use_case", "attribute", "reason")
LONGEST: Final = 200
AGES: Final[Mapping[str, tuple[str, float]]] = {
    "hour": ("over an hour", 3600.0),
    "day": ("over a day", 86_400.0),
    "week": ("over a week", 604_800.0),
    "month": ("over 30 days", 2_592_000.0),
}
KINDS: Final = {str(kind): kind for kind in CaseKind}
STATES: Final = {str(state): state for state in CaseState}


def chosen(query: Mapping[str, str]) -> dict[str, str]:
    """The filters that are set; what is not known is left out."""
    texts = {name: query.get(name, "").strip()[:LONGEST] for name in TEXTS}
    codes = {"kind": list(KINDS), "state": list(STATES), "age": list(AGES)}
    fixed = {name: query.get(name, "") for name, one in codes.items() if query.get(name) in one}
    return {name: value for name, value in {**texts, **fixed}.items() if value}


def where_of(query: Mapping[str, str], now: float) -> CaseFilter:
    """The cases a query asks for. now: Unix seconds."""
    found = chosen(query)
    age = AGES.get(found.get("age", ""))
    return CaseFilter(
        use_case=found.get("use_case"),
        attribute=found.get("attribute"),
        reason=found.get("reason"),
        kind=KINDS.get(found.get("kind", "")),
        state=STATES.get(found.get("state", "")),
        opened_before=now - age[1] if age else None,
    )


def address(path: str, query: Mapping[str, str], **more: str) -> str:
    """A path with the filters of a query, and more."""
    written = urlencode({**chosen(query), **{name: text for name, text in more.items() if text}})
    return f"{path}?{written}" if written else path
