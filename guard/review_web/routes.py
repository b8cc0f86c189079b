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
from guard.review_web.context import PageRequest
from guard.review_web.pages import accounts, cases, queue, reports

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
        ("GET", "/", None, accounts.home),
        ("GET", "/sign-in", None, accounts.show_sign_in),
        ("POST", "/sign-in", None, accounts.sign_in),
        ("POST", "/sign-out", Role.REVIEWER, accounts.sign_out),
        ("GET", "/queue", Role.REVIEWER, queue.show_queue),
        ("POST", "/next", Role.REVIEWER, queue.next_case),
        ("GET", "/case/{case}", Role.REVIEWER, cases.show_case),
        ("POST", "/case/{case}/vote", Role.REVIEWER, cases.vote),
        ("POST", "/case/{case}/skip", Role.REVIEWER, cases.skip),
        ("POST", "/undo", Role.REVIEWER, cases.undo),
        ("GET", "/adjudication", Role.ADJUDICATOR, queue.show_disputed),
        ("POST", "/case/{case}/reveal", Role.ADJUDICATOR, cases.reveal),
        ("POST", "/case/{case}/adjudicate", Role.ADJUDICATOR, cases.adjudicate),
        ("GET", "/statistics", Role.REVIEWER, reports.show_statistics),
        ("GET", "/account", Role.REVIEWER, accounts.show_account),
        ("POST", "/account/password", Role.REVIEWER, accounts.set_password),
        ("GET", "/keys", Role.REVIEWER, queue.show_keys),
        ("GET", "/people", Role.ADMIN, accounts.show_people),
        ("POST", "/people/add", Role.ADMIN, accounts.add),
        ("POST", "/people/change", Role.ADMIN, accounts.change),
        ("POST", "/people/remove", Role.ADMIN, accounts.remove),
        ("GET", "/export", Role.ADMIN, reports.show_export),
        ("POST", "/export", Role.ADMIN, reports.export),
        ("GET", "/audit", Role.ADMIN, reports.show_audit),
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
