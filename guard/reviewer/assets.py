"""The few files that pages load: read once, named one by one, so that no path leads elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

STATIC: Final = Path(__file__).with_name("static")
FILES: Final = {
    "style.css": "text/css; charset=utf-8",
    "desk.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


def routes() -> list[Route]:
    """One for each file."""
    return [_route(name, media) for name, media in FILES.items()]


def _route(name: str, media: str) -> Route:
    content = (STATIC / name).read_bytes()

    async def endpoint(_: Request) -> Response:
        return Response(content, media_type=media)

    return Route(f"/static/{name}", endpoint, methods=["GET"])
