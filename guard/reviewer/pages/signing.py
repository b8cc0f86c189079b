"""Signing in and out."""

from __future__ import annotations

import logging
from math import ceil

from starlette.responses import Response

from guard.reviewer.asked import Asked
from guard.reviewer.leaving import HOME, ours
from guard.reviewer.site import Site, to

log = logging.getLogger("guard.reviewer")
WRONG = "That name and password do not belong together."
BUSY = "Several people are signing in at this moment. Please try again."


def show_sign_in(site: Site, asked: Asked) -> Response:
    """The form; whoever is signed in goes on.

    Who was led here from elsewhere may be signed in all the same: a page of ours asks again.
    """
    wanted = ours(asked.query.get("next", ""))
    if asked.person:
        return to(wanted)
    if asked.led_here:
        answer = site.page(asked, "arriving.html", wanted=wanted)
        answer.headers["refresh"] = f"0; url={wanted}"
        return answer
    return _form(site, asked, wanted=wanted)


def sign_in(site: Site, asked: Asked) -> Response:
    """A new session for the right password."""
    name, wanted = asked.said("name"), ours(asked.form.get("next", ""))
    wait = site.tries.begin(name, asked.address)
    if wait:
        told = f"Too many tries. Please wait {ceil(wait / 60)} min and try again."
        return _form(site, asked, wanted=wanted, problem=told, status=429)
    with site.checking() as free:
        if not free:
            return _form(site, asked, wanted=wanted, problem=BUSY, status=503)
        person = site.people.check(name, asked.form.get("password", ""))
    if person is None:
        log.warning("review: a sign-in from %s failed", asked.address)
        return _form(site, asked, wanted=wanted, problem=WRONG, status=403)
    site.tries.right(name, asked.address)
    site.note(person.name, "signed_in")
    return site.signed(to(wanted), site.sessions.begin(person.name, person.generation))


def sign_out(site: Site, asked: Asked) -> Response:
    """The end of every session of this person: a copied cookie is worth nothing any more."""
    site.people.sign_out_everywhere(asked.me)
    site.note(asked.me, "signed_out")
    return site.signed_out(to("/sign-in?said=signed-out"))


def home(_site: Site, _asked: Asked) -> Response:
    """The queue is the first page."""
    return to(HOME)


def _form(
    site: Site, asked: Asked, *, wanted: str, problem: str = "", status: int = 200
) -> Response:
    return site.page(
        asked,
        "sign_in.html",
        status=status,
        next="" if wanted == HOME else wanted,
        problem=problem,
        name=asked.said("name"),
    )
