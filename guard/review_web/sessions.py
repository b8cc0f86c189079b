"""Who is signed in: a signed cookie, nothing kept on the server.

A cookie ends by rest, by age, and when its person's generation is raised, which signing out does.
"""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Final

from guard.review_web.options import ReviewOptions

LONGEST: Final = 2048
"""Characters of a cookie that are looked at."""
ANYBODY: Final = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSession:
    """One browser. name: who is signed in, empty for nobody yet. Times are Unix seconds.

    id: drawn anew at every sign-in, so that what a browser was given before is worth nothing.
    """

    id: str
    began: float
    seen: float
    name: str = ANYBODY
    generation: int = 0


class Sessions:
    """Makes and reads session cookies and the tokens of their forms.

    key: at least 32 secret bytes. new_id: draws what nobody can guess.
    """

    def __init__(self, key: bytes, options: ReviewOptions, new_id: Callable[[], str]) -> None:
        if len(key) < 32:
            raise ValueError("the key of the review page needs 32 bytes")
        self._key = key
        self._options = options
        self._new_id = new_id
        # Cookies are shared by all ports of a host: another page there must not overwrite ours.
        own = f"evenguard-{self._made('cookie')[:8].hex()}"
        self._cookie: Final = f"__Host-{own}" if options.secure else own

    @property
    def cookie(self) -> str:
        """The name of the cookie of who is signed in."""
        return self._cookie

    @property
    def visit(self) -> str:
        """That of a browser in which nobody is.

        Strict cookies stay at home when a link elsewhere leads here. The answer to that must not
        overwrite the session that the browser did not show.
        """
        return f"{self._cookie}-visit"

    def begin(self, name: str = ANYBODY, generation: int = 0) -> BrowserSession:
        """A new one, for a person or for nobody yet."""
        now = self._options.clock()
        return BrowserSession(
            id=self._new_id(), began=now, seen=now, name=name, generation=generation
        )

    def read(self, cookies: Mapping[str, str]) -> BrowserSession | None:
        """The session of a browser, signed in or not; None where it has none that lasts."""
        session = self._read(cookies.get(self.cookie, ""))
        if session is not None and session.name:
            return session
        visit = self._read(cookies.get(self.visit, ""))
        return visit if visit is not None and not visit.name else None

    def write(self, session: BrowserSession) -> str:
        """The cookie of a session, seen now."""
        fresh = asdict(replace(session, seen=self._options.clock()))
        written = _encoded(json.dumps(fresh).encode())
        return f"{written}.{self._mark(written)}"

    def token(self, session: BrowserSession) -> str:
        """What every form of this session carries, and no other page knows."""
        return self._made("form", session.id, session.name, session.generation).hex()

    def fits(self, session: BrowserSession, token: str) -> bool:
        """Whether a form is of this session; takes the same time for every wrong one."""
        return hmac.compare_digest(token.encode(errors="replace"), self.token(session).encode())

    def _read(self, cookie: str) -> BrowserSession | None:
        """What a cookie says; None for one that was not made here, or is over."""
        if not cookie or len(cookie) > LONGEST:
            return None
        written, _, mark = cookie.partition(".")
        if not hmac.compare_digest(mark.encode(), self._mark(written).encode()):
            return None
        session = BrowserSession(**json.loads(_decoded(written)))
        return session if self._lives(session) else None

    def _lives(self, session: BrowserSession) -> bool:
        now = self._options.clock()
        rested = now - session.seen
        return (
            rested < self._options.idle_seconds
            and now - session.began < self._options.session_seconds
        )

    def _mark(self, written: str) -> str:
        return _encoded(self._made("session", written))

    def _made(self, purpose: str, *about: object) -> bytes:
        return hmac.digest(self._key, json.dumps([purpose, *about]).encode(), sha256)


def _encoded(what: bytes) -> str:
    """In letters that a cookie may have: no `=`."""
    return urlsafe_b64encode(what).decode().rstrip("=")


def _decoded(written: str) -> bytes:
    return urlsafe_b64decode(written + "=" * (-len(written) % 4))
