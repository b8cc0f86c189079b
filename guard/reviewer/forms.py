"""Reading a form: small, plain, and in time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

LARGEST_BODY: Final = 65_536
MOST_FIELDS: Final = 64
BODY_SECONDS: Final = 10.0
PLAIN: Final = "application/x-www-form-urlencoded"


async def read_form(request: Request) -> Mapping[str, str]:
    """The fields of a form; of one that is given twice, the last.

    Raises HTTPException: 415 for what is not a plain form, 413 for more than 64 KiB, 408 for one
    that takes longer than ten seconds, 400 for one that breaks off or has too many fields.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != PLAIN:
        raise HTTPException(415)
    try:
        async with asyncio.timeout(BODY_SECONDS):
            body = await _body(request)
    except TimeoutError:
        raise HTTPException(408) from None
    except ClientDisconnect:
        raise HTTPException(400) from None
    return fields(body.decode("utf-8", "replace"))


def fields(text: str) -> Mapping[str, str]:
    """Those of a query or a plain form. Raises HTTPException 400 for too many."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise HTTPException(400) from None
    return dict(pairs)


async def _body(request: Request) -> bytes:
    told = request.headers.get("content-length", "0")
    if not told.isdecimal() or int(told) > LARGEST_BODY:
        raise HTTPException(413)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST_BODY:
            raise HTTPException(413)
    return bytes(body)
