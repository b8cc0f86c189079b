"""Every address of the review page with something to send there, so that none is left out."""

from __future__ import annotations

from guard.reviewer.gate import Way
from guard.reviewer.ways import WAYS

FIELDS: dict[str, dict[str, str]] = {
    "/sign-in": {"name": "nobody", "password": "a-password-for-tests"},
    "/sign-out": {},
    "/next": {},
    "/case/{case}/vote": {"verdict": "biased"},
    "/case/{case}/skip": {},
    "/undo": {},
    "/case/{case}/reveal": {},
    "/case/{case}/adjudicate": {"verdict": "biased"},
    "/account/password": {
        "password": "a-password-for-tests",
        "new": "another-password",
        "again": "another-password",
    },
    "/people/add": {"name": "mallory", "role": "admin", "password": "a-password-for-tests"},
    "/people/change": {"name": "victim", "what": "role", "role": "admin"},
    "/people/remove": {"name": "victim"},
    "/export": {"format": "jsonl"},
}
"""By path, what a form of ours would send there."""


def posts() -> list[Way]:
    """All that change something."""
    return [way for way in WAYS if way.method == "POST"]


def gets() -> list[Way]:
    """All that show something."""
    return [way for way in WAYS if way.method == "GET"]


def at(way: Way, case_id: str) -> str:
    """The path for a certain case."""
    return way.path.replace("{case}", case_id)
