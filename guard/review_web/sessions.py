"""Sessions of browsers: a signed cookie, and nothing on the server.

A session ends after idle time, by age, and when the session version of its account changes, which
signing out does.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, Final

from itsdangerous import BadData, URLSafeSerializer

from guard.review_web.capacity import BrowserKind
from guard.review_web.options import ReviewOptions

MIN_KEY_BYTES: Final = 32
MAX_COOKIE_LENGTH: Final = 2048
KNOWN_SECONDS: Final = 180 * 86_400
"""How long a browser is known after a sign-in."""
MAX_SKEW_SECONDS: Final = 300.0
"""How far ahead the clock may be by which a session began: another machine's, or this one's before
it was set back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSession:
    """One browser. name: who is signed in, empty for nobody yet. Times are Unix seconds.

    id: drawn anew at every sign-in, so that a session planted in a browser is worth nothing.
    """

    id: str
    began: float
    seen: float
    name: str = ""
    version: int = 0


class Sessions:
    """Makes and reads session cookies and the CSRF tokens of their forms.

    key: at least 32 secret bytes. new_id: draws unguessable ids. cookie: the name of the cookie of
    a signed-in user.
    """

    def __init__(self, key: bytes, options: ReviewOptions, new_id: Callable[[], str]) -> None:
        if len(key) < MIN_KEY_BYTES:
            raise ValueError(f"the key of the review page needs {MIN_KEY_BYTES} bytes")
        self._key = key
        self._options = options
        self._new_id = new_id
        self._serializer = _serializer(key, "session")
        self._known_serializer = _serializer(key, "browser")
        # Cookies are shared by all ports of a host: another page there must not overwrite ours.
        own = f"evenguard-{self._digest('cookie')[:16]}"
        self.cookie: Final = f"__Host-{own}" if options.secure else own

    @property
    def visit(self) -> str:
        """The name of the cookie of a browser in which nobody is signed in.

        A browser that follows a link from another site withholds its strict cookies. The response
        must not overwrite the session that the browser did not send.
        """
        return f"{self.cookie}-visit"

    @property
    def known(self) -> str:
        """The name of the cookie that tells in which browser a user was signed in before."""
        return f"{self.cookie}-known"

    def make_known(self, name: str) -> str:
        """The value of that cookie: not who it was, and no way in."""
        at = int(self._options.clock())
        made = {"id": self._new_id(), "of": self._digest("known", name), "at": at}
        return str(self._known_serializer.dumps(made))

    def known_as(self, name: str, cookies: Mapping[str, str]) -> str:
        """The id of a browser in which this user was signed in not long ago; empty for others."""
        found = self._read_known(cookies)
        return found["id"] if found.get("of") == self._digest("known", name) else ""

    def kind_of(self, cookies: Mapping[str, str]) -> BrowserKind:
        """What the cookies of a browser say of it; whether an account still exists is not known."""
        session = self.read(cookies)
        if session is not None and session.name:
            return BrowserKind.SIGNED_IN
        return BrowserKind.KNOWN if self._read_known(cookies) else BrowserKind.UNKNOWN

    def begin(self, name: str = "", version: int = 0) -> BrowserSession:
        """A new one, for a user or for nobody yet. version: the session version of the account."""
        now = self._options.clock()
        return BrowserSession(id=self._new_id(), began=now, seen=now, name=name, version=version)

    def read(self, cookies: Mapping[str, str]) -> BrowserSession | None:
        """The session of a browser, signed in or not; None without a valid one."""
        session = self._read(cookies.get(self.cookie, ""))
        if session is not None and session.name:
            return session
        visit = self._read(cookies.get(self.visit, ""))
        return visit if visit is not None and not visit.name else None

    def write(self, session: BrowserSession) -> str:
        """The value of the cookie of a session, seen now."""
        seen = replace(session, seen=self._options.clock())
        return str(self._serializer.dumps(asdict(seen)))

    def token(self, session: BrowserSession) -> str:
        """The CSRF token of every form of this session; no other site knows it."""
        return self._digest("form", session.id, session.name, session.version)

    def fits(self, session: BrowserSession, token: str) -> bool:
        """Whether a token is of this session, compared in constant time."""
        return hmac.compare_digest(token.encode(errors="replace"), self.token(session).encode())

    def _read(self, cookie: str) -> BrowserSession | None:
        """None for a cookie that was not signed with our key, or whose session is over."""
        if not cookie or len(cookie) > MAX_COOKIE_LENGTH:
            return None
        try:
            session = BrowserSession(**self._serializer.loads(cookie))
        except (BadData, ValueError):
            return None
        return session if self._is_alive(session) else None

    def _read_known(self, cookies: Mapping[str, str]) -> Mapping[str, str]:
        """What the cookie of a known browser says; empty without a valid one."""
        cookie = cookies.get(self.known, "")
        try:
            found: dict[str, Any] = self._known_serializer.loads(cookie[:MAX_COOKIE_LENGTH])
        except (BadData, ValueError):
            return {}
        return found if self._options.clock() - found["at"] < KNOWN_SECONDS else {}

    def _is_alive(self, session: BrowserSession) -> bool:
        now, options = self._options.clock(), self._options
        idle, age = now - session.seen, now - session.began
        if age < -MAX_SKEW_SECONDS:  # it would outlive all others
            return False
        return idle < options.idle_seconds and age < options.session_seconds

    def _digest(self, purpose: str, *about: object) -> str:
        return hmac.digest(self._key, json.dumps([purpose, *about]).encode(), sha256).hex()


def _serializer(key: bytes, purpose: str) -> URLSafeSerializer:
    """What is signed for one purpose is worth nothing for another."""
    signing = {"key_derivation": "hmac", "digest_method": sha256}
    return URLSafeSerializer(key, salt=purpose, signer_kwargs=signing)
