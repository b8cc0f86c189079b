"""Signing in and out, one's own account, and the accounts of everybody for administrators."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from math import ceil
from typing import Final

from starlette.responses import Response

from guard.review.accounts import AccountError, Role
from guard.review_web.context import PageContext, PageRequest, see_other
from guard.review_web.http import HOME, redirect_target
from guard.review_web.labels import as_sentence

WRONG_SIGN_IN: Final = "This name and password do not match."
BUSY: Final = "Several people are signing in at this moment. Please try again."
OWN_ACCOUNT: Final = (
    "This is your own account. Another administrator has to change it, so that one always remains."
)
DIFFERENT: Final = "The two passwords are not the same."
NOT_YOURS: Final = "That is not your password."
_log = logging.getLogger("guard.review_web")


def home(_context: PageContext, _request: PageRequest) -> Response:
    """The queue is the first page."""
    return see_other(HOME)


def show_sign_in(context: PageContext, request: PageRequest) -> Response:
    """The form; whoever is signed in is sent on.

    A browser that comes from another site withholds its strict cookies: a page of ours sends it on
    once more, this time with them.
    """
    target = redirect_target(request.query.get("next", ""))
    if request.user:
        return see_other(target)
    if request.cross_site:
        response = context.page(request, "arriving.html", target=target)
        response.headers["refresh"] = f"0; url={target}"
        return response
    return _sign_in_form(context, request, target)


def sign_in(context: PageContext, request: PageRequest) -> Response:
    """A new session for the right password."""
    name, target = request.field("name"), redirect_target(request.form.get("next", ""))
    wait = context.limiter.attempt(name, request.client_address)
    if wait:
        problem = f"Too many attempts. Please wait {ceil(wait / 60)} min and try again."
        return _sign_in_form(context, request, target, problem=problem, status=429)
    with context.password_check() as free:
        if not free:
            return _sign_in_form(context, request, target, problem=BUSY, status=503)
        user = context.accounts.check(name, request.form.get("password", ""))
    if user is None:
        _log.warning("review: a sign-in from %s failed", request.client_address)
        return _sign_in_form(context, request, target, problem=WRONG_SIGN_IN, status=403)
    context.limiter.succeeded(name, request.client_address)
    context.note(user.name, "signed_in")
    response = see_other(target)
    context.sign_in(response, context.sessions.begin(user.name, user.session_version))
    return response


def sign_out(context: PageContext, request: PageRequest) -> Response:
    """End every session of this user: a copied cookie is worth nothing any more."""
    context.accounts.sign_out_everywhere(request.user_name)
    context.note(request.user_name, "signed_out")
    response = see_other("/sign-in?said=signed-out")
    context.sign_out(response)
    return response


def show_account(context: PageContext, request: PageRequest) -> Response:
    """One's own account."""
    return context.page(request, "account.html", problem="")


def set_password(context: PageContext, request: PageRequest) -> Response:
    """A new password for oneself; every other session ends."""
    name, new = request.user_name, request.form.get("new", "")
    if context.limiter.attempt(name, request.client_address):
        return context.error(request, 429)
    with context.password_check():
        right = context.accounts.check(name, request.form.get("password", ""))
    if right is None or new != request.form.get("again"):
        problem = NOT_YOURS if right is None else DIFFERENT
        return context.page(request, "account.html", status=403, problem=problem)
    context.limiter.succeeded(name, request.client_address)
    try:
        user = context.accounts.set_password(name, new)
    except AccountError as error:
        problem = as_sentence(error)
        return context.page(request, "account.html", status=400, problem=problem)
    context.note(name, "password_changed", name)
    response = see_other("/account?said=password")
    context.sign_in(response, context.sessions.begin(user.name, user.session_version))
    return response


def show_people(context: PageContext, request: PageRequest) -> Response:
    """All accounts, and a form for a new one."""
    return _people_page(context, request)


def add(context: PageContext, request: PageRequest) -> Response:
    """A new account."""

    def add_account(name: str) -> None:
        with context.password_check():
            context.accounts.add(name, request.form.get("password", ""), _role(request))
        context.note(request.user_name, "person_added", f"{name} as {_role(request)}")

    return _changed(context, request, add_account, "added")


def remove(context: PageContext, request: PageRequest) -> Response:
    """Remove an account; its votes stay."""

    def remove_account(name: str) -> None:
        _refuse_own(request, name)
        context.accounts.remove(name)
        context.note(request.user_name, "person_removed", name)

    return _changed(context, request, remove_account, "removed")


def change(context: PageContext, request: PageRequest) -> Response:
    """Another role or password, disabled or enabled; its sessions end in any case."""
    what, accounts = request.field("what"), context.accounts

    def change_account(name: str) -> None:
        _refuse_own(request, name)
        match what:
            case "role":
                accounts.set_role(name, _role(request))
            case "password":
                with context.password_check():
                    accounts.set_password(name, request.form.get("password", ""))
            case "disable" | "enable":
                accounts.set_disabled(name, disabled=what == "disable")
            case "sign-out":
                accounts.sign_out_everywhere(name)
            case _:
                raise AccountError("choose what to change")
        context.note(request.user_name, "person_changed", f"{name} {what}")

    return _changed(context, request, change_account, "changed")


def _sign_in_form(
    context: PageContext,
    request: PageRequest,
    target: str,
    *,
    problem: str = "",
    status: int = 200,
) -> Response:
    return context.page(
        request,
        "sign_in.html",
        status=status,
        next="" if target == HOME else target,
        problem=problem,
        name=request.field("name"),
    )


def _refuse_own(request: PageRequest, name: str) -> None:
    if name == request.user_name:
        raise AccountError(OWN_ACCOUNT)


def _role(request: PageRequest) -> Role:
    try:
        return Role(request.field("role"))
    except ValueError:
        raise AccountError("choose a role") from None


def _changed(
    context: PageContext, request: PageRequest, apply: Callable[[str], None], message: str
) -> Response:
    try:
        apply(request.field("name"))
    except AccountError as error:
        problem = as_sentence(error)
        return _people_page(context, request, problem=problem, entered=request.form, status=400)
    return see_other(f"/people?said={message}")


def _people_page(
    context: PageContext,
    request: PageRequest,
    *,
    problem: str = "",
    entered: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    return context.page(
        request,
        "people.html",
        status=status,
        accounts=context.accounts.users(),
        roles=[str(role) for role in Role],
        problem=problem,
        entered=entered or {},
    )
