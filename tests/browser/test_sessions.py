"""Nobody gets into a session that is not theirs, or does what their role does not allow."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from itsdangerous import URLSafeSerializer
from playwright.sync_api import expect

from guard.review.accounts import Role
from guard.review_web.routes import ROUTES, PageRoute
from tests.browser.conftest import Desk
from tests.browser.serving import ReviewServer
from tests.browser.visitor import Visitor
from tests.browser.ways import FIELDS, at, gets, posts
from tests.servers import PATIENCE_SECONDS

STORES = ("redis",)
Cookie = tuple[str, str]


def gets_in(desk: Desk, cookie: Cookie) -> bool:
    with Visitor(desk.origin, cookie) as visitor:
        return visitor.get("/account").status_code == 200


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(desk: Desk) -> None:
    page = desk.page_of(desk.person())
    cookies = page.context.cookies()
    assert cookies
    for cookie in cookies:
        assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/")
        assert cookie["domain"] == "127.0.0.1"
    assert page.evaluate("document.cookie") == ""
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0


def test_every_answer_says_what_a_browser_may_do_with_it(desk: Desk) -> None:
    with desk.visitor(desk.person(Role.ADMIN)) as visitor:
        paths = [at(way, "none") for way in gets()]
        for path in (*paths, "/static/review.js", "/static/style.css", "/nothing", "/.env"):
            headers = visitor.get(path).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["x-content-type-options"] == "nosniff"
            assert "no-store" in headers["cache-control"]
            assert "server" not in headers
            assert "access-control-allow-origin" not in headers


def test_a_session_that_was_there_before_signing_in_is_worth_nothing_after(desk: Desk) -> None:
    person = desk.person()
    with Visitor(desk.origin) as attacker:
        attacker.get("/sign-in")
        planted = attacker.cookie
    page = desk.session().page
    context = page.context
    context.add_cookies([{"name": planted[0], "value": planted[1], "url": desk.origin}])
    desk.sign_in(page, person)
    cookies = {cookie["name"]: cookie["value"] for cookie in context.cookies()}
    assert planted[1] not in cookies.values()
    assert not gets_in(desk, planted)


def test_signing_out_ends_copies_of_the_cookie(desk: Desk) -> None:
    person = desk.person()
    page = desk.page_of(person)
    with desk.visitor(person) as elsewhere:
        stolen = elsewhere.cookie
        assert gets_in(desk, stolen)
        with page.expect_navigation():
            page.click("#sign-out button")
        assert not gets_in(desk, stolen)
    page.go_back()
    page.goto(desk.queue)
    expect(page.locator("#sign-in")).to_be_visible()


@pytest.mark.parametrize("what", ["password", "role", "disable", "sign-out", "remove"])
def test_what_an_administrator_changes_ends_the_sessions(desk: Desk, what: str) -> None:
    person = desk.person(Role.ADMIN)
    with desk.visitor(person) as visitor, desk.visitor(desk.person(Role.ADMIN)) as admin:
        fields = {"csrf": admin.token, "name": person.name, "what": what}
        path = "/people/remove" if what == "remove" else "/people/change"
        answer = admin.post(path, {**fields, "password": "another-password", "role": "reviewer"})
        assert answer.status_code == 303
        assert visitor.get("/people").status_code == 303
        assert not gets_in(desk, visitor.cookie)


def forged(cookie: str) -> Iterator[str]:
    """Cookies like this one that the server never made."""
    written, _, mark = cookie.rpartition(".")
    known = URLSafeSerializer(b"").load_payload(written.encode())
    for change in ({"name": "admin-0-0"}, {"version": 99}, {"seen": 4e9}, {"began": 4e9}):
        encoded = base64.urlsafe_b64encode(json.dumps({**known, **change}).encode()).decode()
        changed = encoded.rstrip("=")
        yield f"{changed}.{mark}"
        yield f"{changed}."
        yield changed
    yield f"{written}.{mark[:-2]}AA"
    yield f"{written}.{mark}.{mark}"
    yield f".{mark}"
    yield f"{written}A.{mark}"
    yield "A" * 5000
    yield "\u00ff\u00fe.\u00ff"
    yield "e30=.e30="


def test_no_forged_cookie_gets_in(desk: Desk) -> None:
    with desk.visitor(desk.person()) as visitor:
        name, value = visitor.cookie
        assert gets_in(desk, (name, value))
        for cookie in forged(value):
            header = f"{name}={cookie}".encode("latin-1")
            answer = httpx.get(
                f"{desk.origin}/account", headers={b"cookie": header}, timeout=PATIENCE_SECONDS
            )
            assert answer.status_code == 303, cookie


def test_behind_https_cookies_are_secure_and_of_this_host_alone(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/store.db"
    server = ReviewServer(tmp_path, store, options=("--url", "https://review.example.org"))
    server.start(host="review.example.org")
    try:
        host = {"host": "review.example.org"}
        answer = httpx.get(f"{server.origin}/sign-in", headers=host, timeout=PATIENCE_SECONDS)
        elsewhere = httpx.get(f"{server.origin}/sign-in", timeout=PATIENCE_SECONDS)
    finally:
        server.stop()
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith("__host-")
    assert "; secure" in cookie
    assert "max-age" in answer.headers["strict-transport-security"]
    assert (elsewhere.status_code, "set-cookie" in elsewhere.headers) == (421, False)


def named(one: PageRoute | Role) -> str:
    return f"{one.method} {one.path}" if isinstance(one, PageRoute) else str(one)


WITH_ROLE = [
    (way, role) for way in ROUTES for role in Role if way.role and not role.includes(way.role)
]


@pytest.mark.parametrize(("way", "role"), WITH_ROLE, ids=named)
def test_no_role_does_what_only_a_higher_one_may(desk: Desk, way: PageRoute, role: Role) -> None:
    (case,) = desk.file_pairs(1)
    person = desk.person(role)
    before = repr(desk.store.accounts())
    with desk.visitor(person) as visitor:
        path = at(way, case.id)
        if way.method == "GET":
            answer = visitor.get(path)
        else:
            answer = visitor.post(path, {**FIELDS[way.path], "csrf": visitor.token})
        assert answer.status_code == 403
        assert "csrf" not in answer.text.partition("<main")[2]
    assert repr(desk.store.accounts()) == before
    assert [entry.event for entry in desk.audit(case.id)] == ["opened"]


@pytest.mark.parametrize("way", [way for way in ROUTES if way.role], ids=named)
def test_nobody_gets_anywhere_without_signing_in(desk: Desk, way: PageRoute) -> None:
    (case,) = desk.file_pairs(1)
    with Visitor(desk.origin) as visitor:
        (form,) = visitor.forms("/sign-in")
        path = at(way, case.id)
        if way.method == "GET":
            answer = visitor.get(path)
        else:
            answer = visitor.post(path, {**FIELDS[way.path], **form.fields})
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/sign-in")
    assert [entry.event for entry in desk.audit(case.id)] == ["opened"]


def test_every_address_is_known_here() -> None:
    assert {way.path for way in posts()} == set(FIELDS)


def test_methods_and_paths_that_are_not_there_do_nothing(desk: Desk) -> None:
    with desk.visitor(desk.person(Role.ADMIN)) as visitor:
        for path in ("/case/", "/static/", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/x"):
            assert visitor.get(path).status_code == 404
        for method in ("PUT", "DELETE", "PATCH", "TRACE", "OPTIONS"):
            answer = httpx.request(method, f"{desk.origin}/people", timeout=PATIENCE_SECONDS)
            assert answer.status_code in {404, 405}


def test_after_signing_in_nobody_is_led_elsewhere(desk: Desk) -> None:
    for wanted in (
        "//evil.example",
        "https://evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
        "/case/../../evil",
        "/queue\r\nset-cookie: a=b",
        "/sign-out",
    ):
        person = desk.person()
        with Visitor(desk.origin) as visitor:
            (form,) = visitor.forms("/sign-in")
            answer = visitor.post(
                "/sign-in",
                {**form.fields, "name": person.name, "password": person.password, "next": wanted},
            )
            assert answer.headers["location"] == "/queue"
