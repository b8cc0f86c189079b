"""What was done, by whom and when, for administrators."""

from __future__ import annotations

from starlette.responses import Response

from guard.reviewer.asked import Asked
from guard.reviewer.site import Site

LINES = 200


def audit(site: Site, asked: Asked) -> Response:
    """The record, from the beginning or after a number."""
    told = asked.query.get("after", "0")
    after = int(told) if told.isdecimal() and told.isascii() and len(told) < 16 else 0
    entries = site.desk.audit(after=after, limit=LINES + 1)
    later = entries[LINES - 1].number if len(entries) > LINES else None
    return site.page(asked, "audit.html", entries=entries[:LINES], later=later, after=after)


def keys(site: Site, asked: Asked) -> Response:
    """All keys, for who comes without the script."""
    return site.page(asked, "keys.html")
