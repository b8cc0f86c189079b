"""What a page is asked, after everything about the request has been checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from guard.review.people import User
from guard.reviewer.sessions import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request. person: who is signed in. at, path, query, form: untrusted texts.

    session: one of nobody for who is not signed in. fresh: the browser does not know it yet.
    ended: the browser came with one that is over. led_here: a link elsewhere led to this page, and
    the browser has kept its strict cookies to itself. address: of the machine that asks.
    """

    session: Session
    at: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, str]
    person: User | None = None
    address: str = ""
    ended: bool = False
    led_here: bool = False
    fresh: bool = False

    @property
    def me(self) -> str:
        """The name of who is signed in."""
        return self.person.name if self.person else ""

    def said(self, name: str, longest: int = 200) -> str:
        """A field of the form, without the space around it, cut at `longest` characters."""
        return self.form.get(name, "").strip()[:longest]
