"""Every address of the page, who may go there, and who answers. What is not here is not there."""

from __future__ import annotations

from typing import Final

from guard.review.people import Role
from guard.reviewer.gate import Way
from guard.reviewer.pages import (
    auditing,
    deciding,
    exporting,
    figures,
    people,
    queueing,
    signing,
)

R, J, A = Role.REVIEWER, Role.ADJUDICATOR, Role.ADMIN

WAYS: Final = tuple(
    Way(method=method, path=path, role=role, handler=handler)
    for method, path, role, handler in (
        ("GET", "/", None, signing.home),
        ("GET", "/sign-in", None, signing.show_sign_in),
        ("POST", "/sign-in", None, signing.sign_in),
        ("POST", "/sign-out", R, signing.sign_out),
        ("GET", "/queue", R, queueing.queue),
        ("POST", "/next", R, queueing.next_case),
        ("GET", "/case/{case}", R, deciding.show_case),
        ("POST", "/case/{case}/vote", R, deciding.vote),
        ("POST", "/case/{case}/skip", R, deciding.skip),
        ("POST", "/undo", R, deciding.undo),
        ("GET", "/adjudication", J, queueing.adjudication),
        ("POST", "/case/{case}/reveal", J, deciding.reveal),
        ("POST", "/case/{case}/adjudicate", J, deciding.adjudicate),
        ("GET", "/statistics", R, figures.statistics),
        ("GET", "/account", R, people.account),
        ("POST", "/account/password", R, people.set_password),
        ("GET", "/keys", R, auditing.keys),
        ("GET", "/people", A, people.people),
        ("POST", "/people/add", A, people.add),
        ("POST", "/people/change", A, people.change),
        ("POST", "/people/remove", A, people.remove),
        ("GET", "/export", A, exporting.show_export),
        ("POST", "/export", A, exporting.export),
        ("GET", "/audit", A, auditing.audit),
    )
)
