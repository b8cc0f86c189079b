"""Every address of the review page, the role it needs and the function that answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guard.review.accounts import Role
from guard.review_web import account_pages, case_pages, queue_pages, report_pages
from guard.review_web.context import PageRequest

Handler = Callable[[PageRequest], Response]
STATIC: Final = Path(__file__).with_name("static")
STATIC_FILES: Final = {
    "style.css": "text/css; charset=utf-8",
    "review.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRoute:
    """A path and a method, the role it needs, and its handler. role: None lets everybody in."""

    method: str
    path: str
    role: Role | None
    handler: Handler


ROUTES: Final = tuple(
    PageRoute(method=method, path=path, role=role, handler=handler)
    for method, path, role, handler in (
        ("GET", "/", None, account_pages.home),
        ("GET", "/sign-in", None, account_pages.show_sign_in),
        ("POST", "/sign-in", None, account_pages.sign_in),
        ("POST", "/sign-out", Role.REVIEWER, account_pages.sign_out),
        ("GET", "/queue", Role.REVIEWER, queue_pages.show_queue),
        ("POST", "/next", Role.REVIEWER, queue_pages.next_case),
        ("GET", "/case/{case}", Role.REVIEWER, case_pages.show_case),
        ("POST", "/case/{case}/vote", Role.REVIEWER, case_pages.vote),
        ("POST", "/case/{case}/skip", Role.REVIEWER, case_pages.skip),
        ("POST", "/undo", Role.REVIEWER, case_pages.undo),
        ("GET", "/adjudication", Role.ADJUDICATOR, queue_pages.show_disputed),
        ("POST", "/case/{case}/reveal", Role.ADJUDICATOR, case_pages.reveal),
        ("POST", "/case/{case}/adjudicate", Role.ADJUDICATOR, case_pages.adjudicate),
        ("GET", "/statistics", Role.REVIEWER, report_pages.show_statistics),
        ("GET", "/account", Role.REVIEWER, account_pages.show_account),
        ("POST", "/account/password", Role.REVIEWER, account_pages.set_password),
        ("GET", "/keys", Role.REVIEWER, queue_pages.show_keys),
        ("GET", "/people", Role.ADMIN, account_pages.show_people),
        ("POST", "/people/add", Role.ADMIN, account_pages.add),
        ("POST", "/people/change", Role.ADMIN, account_pages.change),
        ("POST", "/people/remove", Role.ADMIN, account_pages.remove),
        ("GET", "/export", Role.ADMIN, report_pages.show_export),
        ("POST", "/export", Role.ADMIN, report_pages.export),
        ("GET", "/audit", Role.ADMIN, report_pages.show_audit),
    )
)


def static_routes() -> list[Route]:
    """One route for each file, read once: no path can lead to another file."""
    return [_static_route(name, media) for name, media in STATIC_FILES.items()]


def _static_route(name: str, media: str) -> Route:
    content = (STATIC / name).read_bytes()

    async def endpoint(_: Request) -> Response:
        return Response(content, media_type=media)

    return Route(f"/static/{name}", endpoint, methods=["GET"])
