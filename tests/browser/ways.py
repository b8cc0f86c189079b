"""Every address of the review page with something to send there, so that none is left out."""

from __future__ import annotations

from guard.review_web.routes import ROUTES, PageRoute

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
    "/findings/acknowledge": {"use_case": "chat", "attribute": "gender"},
    "/export": {"format": "jsonl"},
}
"""By path, what a form of ours would send there."""


def posts() -> list[PageRoute]:
    """All that change something."""
    return [way for way in ROUTES if way.method == "POST"]


def gets() -> list[PageRoute]:
    """All that show something."""
    return [way for way in ROUTES if way.method == "GET"]


def at(way: PageRoute, case_id: str) -> str:
    """The path for a certain case."""
    return way.path.replace("{case}", case_id)
