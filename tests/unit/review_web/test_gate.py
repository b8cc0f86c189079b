"""Who gets where: every address, every role, every kind of wrong form."""

from __future__ import annotations

import pytest

from guard.review.accounts import Role
from guard.review_web.routes import ROUTES, PageRoute
from tests.unit.review_web.visiting import PEOPLE, Site, site_of

PUBLIC = {"/", "/sign-in"}
WITH_ROLE = [way for way in ROUTES if way.role is not None]
POSTS = [way for way in ROUTES if way.method == "POST"]
GETS = [way for way in ROUTES if way.method == "GET"]


def path_of(way: PageRoute) -> str:
    return way.path.replace("{case}", "p1")


def name_of(way: PageRoute) -> str:
    return f"{way.method} {way.path}"


def standing(site: Site) -> object:
    """All that a form could change."""
    return (site.store.case("p1"), site.store.case("r1"), site.people.users(), site.desk.audit())


def test_only_the_way_in_is_public() -> None:
    assert {way.path for way in ROUTES if way.role is None} == PUBLIC


@pytest.mark.parametrize("way", WITH_ROLE, ids=name_of)
def test_nobody_gets_anywhere_without_signing_in(site: Site, way: PageRoute) -> None:
    before = standing(site)
    form = {"csrf": "0" * 64} if way in POSTS else None
    answer = site.browser().request(way.method, path_of(way), data=form)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/sign-in")
    assert standing(site) == before


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize("way", WITH_ROLE, ids=name_of)
def test_every_role_gets_what_it_may_and_nothing_else(
    site: Site, way: PageRoute, name: str
) -> None:
    allowed = PEOPLE[name].includes(way.role or Role.REVIEWER)
    browser = site.browser(name)
    form = {"csrf": browser.token()} if way in POSTS else None
    before = standing(site)
    answer = browser.request(way.method, path_of(way), data=form)
    if allowed:
        assert answer.status_code in {200, 303, 400, 403, 404, 409}
        assert (answer.status_code == 403) == (way.path == "/account/password")
    else:
        assert answer.status_code == 403
        assert standing(site) == before


@pytest.mark.parametrize("way", POSTS, ids=name_of)
def test_a_form_needs_the_token_of_its_own_session(site: Site, way: PageRoute) -> None:
    browser, other = site.browser("ada"), site.browser("ada")
    own, foreign = browser.token(), other.token()
    assert own != foreign
    before = standing(site)
    for token in (None, "", foreign, own[:-1], own.upper() if own.upper() != own else "x", "é"):
        form = {"verdict": "biased"} if token is None else {"csrf": token, "verdict": "biased"}
        assert browser.post(path_of(way), data=form).status_code == 403
    assert standing(site) == before


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "https://localhost"},
        {"origin": "http://localhost:8080"},
        {"origin": "http://localhost.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
    ],
    ids=str,
)
def test_a_right_token_from_another_origin_is_refused(site: Site, headers: dict[str, str]) -> None:
    browser = site.browser("ada")
    form = {"csrf": browser.token()}
    before = standing(site)
    for way in POSTS:
        assert browser.post(path_of(way), data=form, headers=headers).status_code == 403
    assert standing(site) == before


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://localhost", "sec-fetch-site": "same-origin"},
        {"origin": "null", "sec-fetch-site": "same-origin"},
        {"origin": "null"},
    ],
    ids=str,
)
def test_our_own_forms_are_taken(site: Site, headers: dict[str, str]) -> None:
    browser = site.browser("ben")
    answer = browser.post("/next", data={"csrf": browser.token()}, headers=headers)
    assert answer.headers["location"] == "/case/p1"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", ""])
def test_a_name_that_was_pointed_here_is_not_served(site: Site, host: str) -> None:
    answer = site.browser("ada").get("/queue", headers={"host": host})
    assert answer.status_code == 421
    assert "--url" in answer.text


def test_the_name_people_use_is_served_and_no_other() -> None:
    site = site_of(url="https://review.example.org")
    assert site.browser(base="https://review.example.org").get("/sign-in").status_code == 200
    assert site.browser(base="http://localhost").get("/sign-in").status_code == 421


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "GETT"])
@pytest.mark.parametrize("path", ["/queue", "/case/p1/vote", "/people/add", "/sign-in"])
def test_other_methods_do_nothing(site: Site, method: str, path: str) -> None:
    browser = site.browser("ada")
    before = standing(site)
    answer = browser.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["allow"]
    assert standing(site) == before


@pytest.mark.parametrize(
    "path",
    [
        "/queue/",
        "/QUEUE",
        "/queue;x",
        "/case/",
        "/case/p1/",
        "/case/a/b",
        "/case/..%2fpeople",
        "/static/",
        "/static/../sessions.py",
        "/static/%2e%2e/sessions.py",
        "/static/..%2f..%2fgate.py",
        "/static//etc/passwd",
        "/static/style.css/",
        "/%00",
        "/people%2fadd",
        "/.well-known/x",
    ],
)
def test_paths_that_are_not_there_lead_nowhere(site: Site, path: str) -> None:
    answer = site.browser("ada").get(path)
    assert answer.status_code in {404, 405}
    assert "Go to the queue" in answer.text or "/sign-in" in answer.text


@pytest.mark.parametrize("path", ["/case/p1/vote", "/next", "/undo", "/people/add", "/sign-out"])
def test_what_changes_something_cannot_be_done_by_a_link(site: Site, path: str) -> None:
    browser = site.browser("ada")
    before = standing(site)
    assert browser.get(f"{path}?verdict=biased&csrf={browser.token()}").status_code == 405
    assert standing(site) == before


def test_a_method_cannot_be_put_into_a_header(site: Site) -> None:
    browser = site.browser("ada")
    answer = browser.get("/people/add", headers={"x-http-method-override": "POST"})
    assert answer.status_code == 405


def test_a_case_that_is_not_there_is_said_to_be_so(site: Site) -> None:
    answer = site.browser("ben").get("/case/nope")
    assert answer.status_code == 404


def test_the_body_of_a_form_is_bounded(site: Site) -> None:
    browser = site.browser("ben")
    form = {"csrf": browser.token(), "note": "x" * 70_000}
    assert browser.post("/case/p1/vote", data=form).status_code == 413


def test_a_body_without_a_length_is_bounded_too(site: Site) -> None:
    browser = site.browser("ben")
    headers = {"content-type": "application/x-www-form-urlencoded"}
    pieces = (b"note=" + b"x" * 10_000 for _ in range(10))
    assert browser.post("/case/p1/vote", content=pieces, headers=headers).status_code == 413


@pytest.mark.parametrize("length", ["-1", "x", "99999999999999999999", "1e3"])
def test_a_length_that_is_none_is_refused(site: Site, length: str) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded", "content-length": length}
    answer = site.browser("ben").post("/next", content=b"", headers=headers)
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "kind", ["multipart/form-data; boundary=x", "text/plain", "application/json", ""]
)
def test_only_plain_forms_are_read(site: Site, kind: str) -> None:
    browser = site.browser("ada")
    body = f"csrf={browser.token()}".encode()
    answer = browser.post("/next", content=body, headers={"content-type": kind})
    assert answer.status_code == 415


def test_a_form_of_many_fields_is_refused(site: Site) -> None:
    browser = site.browser("ada")
    form = {"csrf": browser.token(), **{f"f{number}": "x" for number in range(100)}}
    assert browser.post("/next", data=form).status_code == 400


def test_a_query_of_many_fields_is_left_out(site: Site) -> None:
    query = "&".join(f"f{number}=1" for number in range(1000))
    assert site.browser("ada").get(f"/queue?{query}").status_code == 200
