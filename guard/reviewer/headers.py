"""What every answer says to the browser, whatever the answer is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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
ENCODED: Final = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
STRICT_TRANSPORT: Final = (b"strict-transport-security", b"max-age=31536000")
