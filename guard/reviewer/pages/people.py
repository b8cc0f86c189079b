"""Who may sign in, for administrators; and one's own account."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from starlette.responses import Response

from guard.review.people import PeopleError, Role
from guard.reviewer.asked import Asked
from guard.reviewer.site import Site, to
from guard.reviewer.wording import sentence

SELF: Final = "This is you. Somebody else has to change that, so that an administrator remains."
UNLIKE: Final = "The two passwords are not the same."
WRONG: Final = "That is not your password."


def people(site: Site, asked: Asked) -> Response:
    """Everybody, and a form for somebody new."""
    return _listing(site, asked)


def add(site: Site, asked: Asked) -> Response:
    """Somebody new."""

    def adding(name: str) -> None:
        with site.checking():
            site.people.add(name, asked.form.get("password", ""), _role(asked))
        site.note(asked.me, "person_added", f"{name} as {_role(asked)}")

    return _done(site, asked, adding, "added")


def remove(site: Site, asked: Asked) -> Response:
    """Somebody less; the votes stay."""

    def removing(name: str) -> None:
        site.people.remove(name)
        site.note(asked.me, "person_removed", name)

    return _done(site, asked, _not_oneself(asked, removing), "removed")


def change(site: Site, asked: Asked) -> Response:
    """Another role or password, shut out or let in again; signed out in any case."""
    return _done(site, asked, _not_oneself(asked, _change(site, asked)), "changed")


def account(site: Site, asked: Asked) -> Response:
    """One's own."""
    return site.page(asked, "account.html", problem="")


def set_password(site: Site, asked: Asked) -> Response:
    """A new password for oneself; every other session ends."""
    new, wait = asked.form.get("new", ""), site.tries.begin(asked.me, asked.address)
    if wait:
        return site.error(asked, 429)
    with site.checking():
        right = site.people.check(asked.me, asked.form.get("password", ""))
    problem = WRONG if right is None else UNLIKE if new != asked.form.get("again") else ""
    if problem:
        return site.page(asked, "account.html", status=403, problem=problem)
    site.tries.right(asked.me, asked.address)
    try:
        person = site.people.set_password(asked.me, new)
    except PeopleError as error:
        return site.page(asked, "account.html", status=400, problem=sentence(error))
    site.note(asked.me, "password_changed", asked.me)
    session = site.sessions.begin(person.name, person.generation)
    return site.signed(to("/account?said=password"), session)


def _change(site: Site, asked: Asked) -> Callable[[str], None]:
    what, known = asked.said("what"), site.people

    def changing(name: str) -> None:
        match what:
            case "role":
                known.set_role(name, _role(asked))
            case "password":
                with site.checking():
                    known.set_password(name, asked.form.get("password", ""))
            case "disable" | "enable":
                known.set_disabled(name, disabled=what == "disable")
            case "sign-out":
                known.sign_out_everywhere(name)
            case _:
                raise PeopleError("choose what to change")
        site.note(asked.me, "person_changed", f"{name} {what}")

    return changing


def _not_oneself(asked: Asked, how: Callable[[str], None]) -> Callable[[str], None]:
    def checked(name: str) -> None:
        if name == asked.me:
            raise PeopleError(SELF)
        how(name)

    return checked


def _role(asked: Asked) -> Role:
    try:
        return Role(asked.said("role"))
    except ValueError:
        raise PeopleError("choose a role") from None


def _done(site: Site, asked: Asked, how: Callable[[str], None], said: str) -> Response:
    try:
        how(asked.said("name"))
    except PeopleError as error:
        return _listing(site, asked, problem=sentence(error), kept=asked.form, status=400)
    return to(f"/people?said={said}")


def _listing(
    site: Site,
    asked: Asked,
    *,
    problem: str = "",
    kept: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    return site.page(
        asked,
        "people.html",
        status=status,
        everybody=site.people.users(),
        roles=[str(role) for role in Role],
        problem=problem,
        kept=kept or {},
    )
