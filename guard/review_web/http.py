"""HTTP for the review page: response headers, host check, forms, and safe redirect targets."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from guard.review_web.options import ReviewOptions

HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-robots-tag": "noindex, nofollow",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": (
        "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(),"
        " magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()"
    ),
}
"""Sent with every response, errors included."""
MAX_HEADER_BYTES: Final = 16_384
MAX_FORM_BYTES: Final = 65_536
MAX_FORM_FIELDS: Final = 64
FORM_SECONDS: Final = 10.0
FORM_TYPE: Final = "application/x-www-form-urlencoded"
HOME: Final = "/queue"
_STRICT_TRANSPORT: Final = (b"strict-transport-security", b"max-age=31536000")
_OTHER_HOST: Final = (
    "This page is not served under that address. Use the address printed at the start, or start"
    " the page with --url and the address you use.\n"
)
_OWN_PAGE: Final = re.compile(
    r"/(queue|adjudication|statistics|people|export|audit|account|keys|case/[A-Za-z0-9_-]{1,64})"
    r"(\?[A-Za-z0-9_.~%&=+-]{0,1000})?"
)
RawHeaders = list[tuple[bytes, bytes]]


class SecurityMiddleware:
    """Checks size and Host of a request, and adds the security headers to every response."""

    def __init__(self, app: ASGIApp, options: ReviewOptions) -> None:
        self._app = app
        self._options = options
        encoded = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
        self._headers = [*encoded, *([_STRICT_TRANSPORT] if options.secure else [])]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; other protocols than HTTP get no answer."""
        if scope["type"] != "http":
            return
        app = self._app_for(scope)
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message = {**message, "headers": self._replace_headers(message.get("headers", ()))}
            await send(message)

        try:
            await app(scope, receive, send_with_headers)
        except Exception:
            if started:
                raise
            failed = PlainTextResponse("Something went wrong.\n", 500)
            await failed(scope, receive, send_with_headers)
            raise

    def _app_for(self, scope: Scope) -> ASGIApp:
        headers = scope["headers"]
        size = len(scope["query_string"]) + sum(len(name) + len(value) for name, value in headers)
        if size > MAX_HEADER_BYTES:
            return PlainTextResponse("The headers of this request are too large.\n", 431)
        return self._app if self._is_own_host(headers) else PlainTextResponse(_OTHER_HOST, 421)

    def _is_own_host(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        hosts = [value for name, value in headers if name == b"host"]
        return len(hosts) == 1 and self._options.serves(hosts[0].decode("latin-1"))

    def _replace_headers(self, headers: Iterable[tuple[bytes, bytes]]) -> RawHeaders:
        ours = {name for name, _ in self._headers}
        return [*(one for one in headers if one[0].lower() not in ours), *self._headers]


async def read_form(request: Request) -> Mapping[str, str]:
    """The fields of a form; of a repeated field, the last value.

    Raises HTTPException: 415 for another content type, 413 above 64 KiB, 408 after ten seconds,
    400 when the client disconnects or sends too many fields.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM_TYPE:
        raise HTTPException(415)
    try:
        async with asyncio.timeout(FORM_SECONDS):
            body = await _read_body(request)
    except TimeoutError:
        raise HTTPException(408) from None
    except ClientDisconnect:
        raise HTTPException(400) from None
    return parse_fields(body.decode("utf-8", "replace"))


def parse_fields(text: str) -> Mapping[str, str]:
    """The fields of a query or a form. Raises HTTPException 400 for too many."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS)
    except ValueError:
        raise HTTPException(400) from None
    return dict(pairs)


async def _read_body(request: Request) -> bytes:
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > MAX_FORM_BYTES:
        raise HTTPException(413)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise HTTPException(413)
    return bytes(body)


def is_same_origin(request: Request, options: ReviewOptions) -> bool:
    """Whether a page of ours sent a form, by what the browser says of its origin.

    The token of the session is checked besides. Our pages send no referrer, so browsers name the
    origin of our own forms `null`; those that send Sec-Fetch-Site tell the difference there.
    """
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin", "null").lower()
    own = options.origin(request.url.scheme, request.headers.get("host", ""))
    return site == "same-origin" and origin in {"null", own}


def redirect_target(path: str) -> str:
    """The path, if it is one of our pages, else the queue: no redirect leaves this site."""
    return path if _OWN_PAGE.fullmatch(path) else HOME


def sign_in_url(path: str, query: Mapping[str, str], *, expired: bool) -> str:
    """The sign-in page, which goes on to `path`. expired: there was a session, and it is over."""
    kept = {name: value for name, value in query.items() if name != "said"}
    target = redirect_target(f"{path}?{urlencode(kept)}" if kept else path)
    fields = {"next": "" if target == HOME else target, "said": "expired" if expired else ""}
    written = urlencode({name: value for name, value in fields.items() if value})
    return f"/sign-in?{written}" if written else "/sign-in"
