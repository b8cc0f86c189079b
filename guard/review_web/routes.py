"""Every address of the review page, the role it needs and the function that answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guard.render.plots import STYLE as PLOT_STYLE
from guard.review.accounts import Role
from guard.review_web import account_pages, case_pages, finding_pages, queue_pages, report_pages
from guard.review_web.context import Outcome, PageRequest

Handler = Callable[[PageRequest], Outcome]
STATIC: Final = Path(__file__).with_name("static")
STATIC_FILES: Final = {
    "style.css": ("text/css; charset=utf-8", (STATIC / "style.css", PLOT_STYLE)),
    "review.js": ("text/javascript; charset=utf-8", (STATIC / "review.js",)),
    "icon.svg": ("image/svg+xml", (STATIC / "icon.svg",)),
}


@dataclass(frozen=True, slots=True)
class PageRoute:
    """A path and a method, the role it needs, and its handler. role: None lets everybody in."""

    method: str
    path: str
    role: Role | None
    handler: Handler


ROUTES: Final = (
    PageRoute("GET", "/", None, account_pages.home),
    PageRoute("GET", "/sign-in", None, account_pages.show_sign_in),
    PageRoute("POST", "/sign-in", None, account_pages.sign_in),
    PageRoute("POST", "/sign-out", Role.REVIEWER, account_pages.sign_out),
    PageRoute("GET", "/queue", Role.REVIEWER, queue_pages.show_queue),
    PageRoute("POST", "/next", Role.REVIEWER, queue_pages.next_case),
    PageRoute("GET", "/case/{case}", Role.REVIEWER, case_pages.show_case),
    PageRoute("POST", "/case/{case}/vote", Role.REVIEWER, case_pages.vote),
    PageRoute("POST", "/case/{case}/skip", Role.REVIEWER, case_pages.skip),
    PageRoute("POST", "/undo", Role.REVIEWER, case_pages.undo),
    PageRoute("GET", "/adjudication", Role.ADJUDICATOR, queue_pages.show_disputed),
    PageRoute("POST", "/case/{case}/reveal", Role.ADJUDICATOR, case_pages.reveal),
    PageRoute("POST", "/case/{case}/adjudicate", Role.ADJUDICATOR, case_pages.adjudicate),
    PageRoute("GET", "/statistics", Role.REVIEWER, report_pages.show_statistics),
    PageRoute("GET", "/findings", Role.ADMIN, finding_pages.show_findings),
    PageRoute("POST", "/findings/acknowledge", Role.ADMIN, finding_pages.acknowledge),
    PageRoute("GET", "/candidates", Role.ADMIN, finding_pages.show_candidates),
    PageRoute("GET", "/account", Role.REVIEWER, account_pages.show_account),
    PageRoute("POST", "/account/password", Role.REVIEWER, account_pages.set_password),
    PageRoute("GET", "/keys", Role.REVIEWER, queue_pages.show_keys),
    PageRoute("GET", "/people", Role.ADMIN, account_pages.show_people),
    PageRoute("POST", "/people/add", Role.ADMIN, account_pages.add),
    PageRoute("POST", "/people/change", Role.ADMIN, account_pages.change),
    PageRoute("POST", "/people/remove", Role.ADMIN, account_pages.remove),
    PageRoute("GET", "/export", Role.ADMIN, report_pages.show_export),
    PageRoute("POST", "/export", Role.ADMIN, report_pages.export),
    PageRoute("GET", "/audit", Role.ADMIN, report_pages.show_audit),
)


def static_routes() -> list[Route]:
    """One route for each name, its files read once: no path can lead to another file."""
    return [_static_route(name, media, paths) for name, (media, paths) in STATIC_FILES.items()]


def _static_route(name: str, media: str, paths: Sequence[Path]) -> Route:
    content = b"".join(path.read_bytes() for path in paths)

    async def endpoint(_: Request) -> Response:
        return Response(content, media_type=media)

    return Route(f"/static/{name}", endpoint, methods=["GET"])
