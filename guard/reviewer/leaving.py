"""Where to go after signing in: to a page of ours, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

HOME: Final = "/queue"
_OURS: Final = re.compile(
    r"/(queue|adjudication|statistics|people|export|audit|account|keys|case/[A-Za-z0-9_-]{1,64})"
    r"(\?[A-Za-z0-9_.~%&=+-]{0,1000})?"
)


def ours(path: str) -> str:
    """The path, if it is a page of ours, else the queue."""
    return path if _OURS.fullmatch(path) else HOME


def sign_in_before(path: str, query: Mapping[str, str], *, ended: bool) -> str:
    """Sign in, then go on to that page. ended: there was a session, and it is over."""
    kept = {name: value for name, value in query.items() if name != "said"}
    wanted = ours(f"{path}?{urlencode(kept)}" if kept else path)
    asked = {"next": "" if wanted == HOME else wanted, "said": "expired" if ended else ""}
    written = urlencode({name: value for name, value in asked.items() if value})
    return f"/sign-in?{written}" if written else "/sign-in"
