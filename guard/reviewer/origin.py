"""Whether a form was sent by one of our own pages."""

from __future__ import annotations

from collections.abc import Mapping


def from_us(headers: Mapping[str, str], origin: str) -> bool:
    """Judged by what the browser says; the token of the session is asked for besides.

    Since our pages send no referrer, browsers call the origin of our own forms `null`; those that
    also send Sec-Fetch-Site tell us there.
    """
    site = headers.get("sec-fetch-site", "same-origin")
    said = headers.get("origin", "null").lower()
    return site == "same-origin" and said in {"null", origin}
