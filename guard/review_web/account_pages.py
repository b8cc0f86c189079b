"""Signing in and out, one's own account, and the accounts of everybody for administrators."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Final

from starlette.responses import Response

from guard.errors import StoreError
from guard.review.accounts import AccountError, Role, User
from guard.review_web.capacity import RETRY_SECONDS
from guard.review_web.context import Outcome, PageRequest, PasswordCheck, see_other
from guard.review_web.http import HOME, redirect_target
from guard.review_web.rate_limit import AttemptKey, change_keys, sign_in_keys
from guard.review_web.rendering import as_sentence

WRONG_SIGN_IN: Final = "This name and password do not match."
BUSY: Final = "Several people are signing in at this moment. Please try again."
OWN_ACCOUNT: Final = (
    "This is your own account. Another administrator has to change it, so that one always remains."
)
DIFFERENT: Final = "The two passwords are not the same."
NOT_YOURS: Final = "That is not your password."
_log = logging.getLogger("guard.review_web")


def home(_request: PageRequest) -> Response:
    """The queue is the first page."""
    return see_other(HOME)


def show_sign_in(request: PageRequest) -> Response:
    """The form; whoever is signed in is sent on.

    A browser that comes from another site withholds its strict cookies: a page of ours sends it on
    once more, this time with them.
    """
    target = redirect_target(request.query.get("next", ""))
    if request.user:
        return see_other(target)
    if request.cross_site:
        response = request.page("arriving.html", target=target)
        response.headers["refresh"] = f"0; url={target}"
        return response
    return _sign_in_form(request, target)


def sign_in(request: PageRequest) -> Outcome:
    """A new session for the right password."""
    name, target = request.field("name"), redirect_target(request.form.get("next", ""))
    known_browser = request.context.sessions.known_as(name, request.cookies)
    keys = sign_in_keys(name, request.client_address, known_browser)
    if wait := request.context.limiter.attempt(keys):
        problem = f"Too many attempts. Please wait {ceil(wait / 60)} min and try again."
        response = _sign_in_form(request, target, problem=problem, status=429)
        response.headers["retry-after"] = str(ceil(wait))
        return response

    def refuse() -> Response:
        request.context.limiter.withdraw(keys)
        return _later(_sign_in_form(request, target, problem=BUSY, status=503))

    return PasswordCheck(
        known=bool(known_browser),
        then=lambda: _check_sign_in(request, keys, target),
        refuse=refuse,
    )


def _check_sign_in(request: PageRequest, keys: Sequence[AttemptKey], target: str) -> Response:
    try:
        user = request.context.accounts.check(
            request.field("name"), request.form.get("password", "")
        )
    except StoreError:
        request.context.limiter.withdraw(keys)
        raise
    if user is None:
        _log.warning("review: a sign-in from %s failed", request.client_address or "a proxy")
        return _sign_in_form(request, target, problem=WRONG_SIGN_IN, status=403)
    request.context.limiter.succeeded(keys)
    request.note("signed_in", actor=user.name)
    return _with_new_session(request, user, target)


def sign_out(request: PageRequest) -> Response:
    """End every session of this user: a copied cookie is worth nothing any more."""
    request.context.accounts.sign_out_everywhere(request.user_name)
    request.note("signed_out")
    response = see_other("/sign-in?said=signed-out")
    request.context.sign_out(response)
    return response


def show_account(request: PageRequest) -> Response:
    """One's own account."""
    return request.page("account.html", problem="")


def set_password(request: PageRequest) -> Outcome:
    """A new password for oneself; every other session ends."""
    keys = change_keys(request.user_name)
    if request.context.limiter.attempt(keys):
        return request.error(429)

    def refuse() -> Response:
        request.context.limiter.withdraw(keys)
        return _later(request.error(429, BUSY))

    return PasswordCheck(known=True, then=lambda: _set_own_password(request, keys), refuse=refuse)


def _set_own_password(request: PageRequest, keys: Sequence[AttemptKey]) -> Response:
    name, new = request.user_name, request.form.get("new", "")
    right = request.context.accounts.check(name, request.form.get("password", ""))
    if right is None or new != request.form.get("again"):
        problem = NOT_YOURS if right is None else DIFFERENT
        return request.page("account.html", status=403, problem=problem)
    request.context.limiter.succeeded(keys)
    try:
        user = request.context.accounts.set_password(name, new)
    except AccountError as error:
        problem = as_sentence(error)
        return request.page("account.html", status=400, problem=problem)
    request.note("password_changed", name)
    return _with_new_session(request, user, "/account?said=password")


def show_people(
    request: PageRequest, *, problem: str = "", entered: Mapping[str, str] | None = None
) -> Response:
    """All accounts, and a form for a new one. problem: why `entered` was not accepted."""
    return request.page(
        "people.html",
        status=400 if problem else 200,
        accounts=request.context.accounts.users(),
        roles=[str(role) for role in Role],
        problem=problem,
        entered=entered or {},
    )


def add(request: PageRequest) -> Outcome:
    """A new account."""

    def add_account(name: str) -> None:
        request.context.accounts.add(name, request.form.get("password", ""), _role(request))
        request.note("person_added", f"{name} as {_role(request)}")

    return _with_password(request, lambda: _change_account(request, add_account, "added"))


def remove(request: PageRequest) -> Response:
    """Remove an account; its votes stay."""

    def remove_account(name: str) -> None:
        _refuse_own(request, name)
        request.context.accounts.remove(name)
        request.note("person_removed", name)

    return _change_account(request, remove_account, "removed")


def change(request: PageRequest) -> Outcome:
    """Another role or password, disabled or enabled; its sessions end in any case."""
    what, accounts = request.field("what"), request.context.accounts

    def change_account(name: str) -> None:
        _refuse_own(request, name)
        match what:
            case "role":
                accounts.set_role(name, _role(request))
            case "password":
                accounts.set_password(name, request.form.get("password", ""))
            case "disable" | "enable":
                accounts.set_disabled(name, disabled=what == "disable")
            case "sign-out":
                accounts.sign_out_everywhere(name)
            case _:
                raise AccountError("choose what to change")
        done = f"role {_role(request)}" if what == "role" else what
        request.note("person_changed", f"{name} {done}")

    def answer() -> Response:
        return _change_account(request, change_account, "changed")

    return _with_password(request, answer) if what == "password" else answer()


def _with_password(request: PageRequest, answer: Callable[[], Response]) -> PasswordCheck:
    """For somebody who is signed in and gives a password to somebody else."""
    return PasswordCheck(known=True, then=answer, refuse=lambda: _later(request.error(429, BUSY)))


def _later(response: Response) -> Response:
    response.headers["retry-after"] = str(RETRY_SECONDS)
    return response


def _sign_in_form(
    request: PageRequest, target: str, *, problem: str = "", status: int = 200
) -> Response:
    return request.page(
        "sign_in.html",
        status=status,
        next="" if target == HOME else target,
        problem=problem,
        name=request.field("name"),
    )


def _with_new_session(request: PageRequest, user: User, path: str) -> Response:
    response = see_other(path)
    session = request.context.sessions.begin(user.name, user.session_version)
    request.context.sign_in(response, session)
    request.context.remember_browser(response, user.name)
    return response


def _refuse_own(request: PageRequest, name: str) -> None:
    if name == request.user_name:
        raise AccountError(OWN_ACCOUNT)


def _role(request: PageRequest) -> Role:
    try:
        return Role(request.field("role"))
    except ValueError:
        raise AccountError("choose a role") from None


def _change_account(request: PageRequest, apply: Callable[[str], None], message: str) -> Response:
    try:
        apply(request.field("name"))
    except AccountError as error:
        return show_people(request, problem=as_sentence(error), entered=request.form)
    return see_other(f"/people?said={message}")
