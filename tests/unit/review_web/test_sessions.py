"""Signing in, staying in, and getting out."""

from __future__ import annotations

import json
import logging
from base64 import urlsafe_b64encode
from dataclasses import asdict

import pytest

from guard.errors import SettingsError, StoreError
from guard.review.accounts import Role
from guard.review_web import ReviewOptions
from guard.review_web.sessions import KNOWN_SECONDS, Sessions
from tests.unit.review.made import ManualClock
from tests.unit.review_web.visiting import PASSWORD, SECRET, Browser, Site, said, site_of


def is_in(browser: Browser) -> bool:
    return browser.get("/account").status_code == 200


def cookie_of(site: Site, browser: Browser) -> str:
    return str(browser.cookies[site.sessions.cookie])


def with_cookie(site: Site, value: str) -> Browser:
    browser = site.browser()
    browser.cookies.set(site.sessions.cookie, value)
    return browser


def test_the_right_password_leads_to_the_queue(site: Site) -> None:
    answer = site.browser().sign_in("ben")
    assert (answer.status_code, answer.headers["location"]) == (303, "/queue")


@pytest.mark.parametrize(
    ("name", "password"), [("ben", "wrong-password"), ("nobody", PASSWORD), ("", "")]
)
def test_anything_else_is_refused_in_the_same_words(site: Site, name: str, password: str) -> None:
    browser = site.browser()
    answer = browser.sign_in(name, password)
    assert answer.status_code == 403
    assert "do not match" in said(answer)
    assert password not in answer.text or not password
    assert not is_in(browser)


def test_who_is_shut_out_cannot_sign_in_and_is_out_at_once(site: Site) -> None:
    browser = site.browser("ben")
    site.people.set_disabled("ben", disabled=True)
    assert not is_in(browser)
    assert site.browser().sign_in("ben").status_code == 403


def test_the_cookie_is_for_this_page_alone(site: Site) -> None:
    said_so = site.browser().sign_in("ben").headers.get_list("set-cookie")
    (session,) = [one for one in said_so if one.startswith(f"{site.sessions.cookie}=")]
    assert {"HttpOnly", "Path=/", "SameSite=strict"} <= set(session.split("; "))
    assert "Secure" not in session
    assert "Domain" not in session


def test_under_https_it_travels_over_https_only() -> None:
    site = site_of(url="https://review.example.org")
    browser = site.browser(base="https://review.example.org")
    answer = browser.sign_in("ben")
    (session,) = [one for one in answer.headers.get_list("set-cookie") if "Max-Age" not in one]
    assert session.startswith("__Host-")
    assert "Secure" in session.split("; ")
    assert answer.headers["strict-transport-security"]


def test_a_session_begins_with_signing_in_and_not_before(site: Site) -> None:
    """Fixation: what an attacker put into a browser is worth nothing after its owner signs in."""
    victim, attacker = site.browser(), site.browser()
    attacker.get("/sign-in")
    planted = dict(attacker.cookies)
    victim.cookies.update(planted)
    assert victim.sign_in("ben").status_code == 303
    attacker.cookies.update(planted)
    assert not is_in(attacker)
    for name in (site.sessions.cookie, site.sessions.visit):
        again = site.browser()
        again.cookies.set(name, next(iter(planted.values())))
        assert not is_in(again)


def test_signing_in_again_makes_another_session(site: Site) -> None:
    browser = site.browser("ben")
    before, token = cookie_of(site, browser), browser.token()
    other = with_cookie(site, before)
    form = {"csrf": token, "name": "cleo", "password": PASSWORD}
    answer = other.post("/sign-in", data=form)
    assert answer.status_code == 303
    assert before not in answer.headers["set-cookie"]
    assert browser.post("/sign-in", data=form).status_code == 303
    assert browser.token() != token


def test_an_attackers_session_that_was_planted_ends_with_signing_in(site: Site) -> None:
    victim = site.browser("cleo")
    assert victim.get("/sign-in").headers["location"] == "/queue"
    victim.post("/sign-in", data={"csrf": victim.token(), "name": "ben", "password": PASSWORD})
    assert "ben" in said(victim.get("/account"))


def test_rest_ends_a_session(site: Site) -> None:
    browser = site.browser("ben")
    for _ in range(3):
        site.clock.now += 1799
        assert is_in(browser)
    site.clock.now += 1800
    answer = browser.get("/queue")
    assert answer.headers["location"] == "/sign-in?said=expired"
    assert "signed out after a period" in said(browser.get(answer.headers["location"]))


def test_age_ends_a_session_however_busy(site: Site) -> None:
    browser = site.browser("ben")
    for _ in range(43_200 // 1200 - 1):
        site.clock.now += 1200
        assert is_in(browser)
    site.clock.now += 1200
    assert not is_in(browser)


def test_an_older_cookie_of_a_busy_session_rests(site: Site) -> None:
    browser = site.browser("ben")
    old = cookie_of(site, browser)
    site.clock.now += 1000
    assert is_in(browser)
    assert cookie_of(site, browser) != old
    site.clock.now += 1000
    assert is_in(browser)
    assert not is_in(with_cookie(site, old))


def test_signing_out_ends_every_copy(site: Site) -> None:
    browser, elsewhere = site.browser("ben"), site.browser("ben")
    stolen = with_cookie(site, cookie_of(site, browser))
    assert is_in(stolen)
    assert browser.submit("/sign-out").headers["location"] == "/sign-in?said=signed-out"
    assert [is_in(one) for one in (browser, stolen, elsewhere)] == [False, False, False]
    assert is_in(site.browser("cleo"))


@pytest.mark.parametrize("how", ["set_password", "set_role", "sign_out_everywhere", "remove"])
def test_what_changes_a_person_ends_the_sessions(site: Site, how: str) -> None:
    browser = site.browser("ben")
    args = {"set_password": ("another-password",), "set_role": (Role.ADMIN,)}.get(how, ())
    getattr(site.people, how)("ben", *args)
    assert not is_in(browser)


def test_somebody_new_of_the_same_name_is_not_who_was_removed(site: Site) -> None:
    site.people.sign_out_everywhere("ben")
    browser = site.browser("ben")
    site.people.remove("ben")
    site.people.add("ben", "another-password", Role.ADMIN)
    assert not is_in(browser)


def tampered(site: Site, cookie: str) -> list[str]:
    written, _, mark = cookie.rpartition(".")
    session = site.sessions.read({site.sessions.cookie: cookie})
    assert session
    known = json.dumps({**asdict(session), "name": "ada"}).encode()
    forged = urlsafe_b64encode(known).decode().rstrip("=")
    return [
        "",
        ".",
        written,
        f"{written}.",
        f"{written}.{mark[:-1]}",
        f"{written}.{mark[:-2]}AA",
        f"{forged}.{mark}",
        f".{forged}.{mark}",
        f".{mark}",
        f"{mark}.{written}",
        f"{written}.{mark}.{mark}",
        "A" * 10_000,
        "\x7f\x80\xff",
        "null.null",
    ]


def test_a_tampered_cookie_is_nobodys(site: Site) -> None:
    good = cookie_of(site, site.browser("ben"))
    for bad in tampered(site, good):
        headers = {"cookie": f"{site.sessions.cookie}={bad}".encode("latin-1")}
        answer = site.browser().get("/account", headers=headers)
        assert answer.status_code == 303, bad[:80]


def test_a_cookie_of_another_key_is_nobodys(site: Site) -> None:
    other = Sessions(b"t" * 32, ReviewOptions(clock=site.clock), lambda: "id")
    forged = other.write(other.begin("ada", 1))
    assert not is_in(with_cookie(site, forged))
    assert other.cookie != site.sessions.cookie


def test_a_form_token_is_no_cookie_and_a_cookie_no_token(site: Site) -> None:
    browser = site.browser("ben")
    written, _, mark = cookie_of(site, browser).rpartition(".")
    assert not is_in(with_cookie(site, f"{written}.{browser.token()}"))
    assert browser.post("/next", data={"csrf": mark}).status_code == 403


def test_the_key_is_long_enough() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Sessions(b"short", ReviewOptions(clock=ManualClock()), lambda: "id")
    assert Sessions(SECRET, ReviewOptions(clock=ManualClock()), lambda: "id").cookie


def test_a_name_has_few_tries_from_one_address(site: Site) -> None:
    browser = site.browser()
    assert [browser.sign_in("ben", f"wrong-{n}").status_code for n in range(5)] == [403] * 5
    answer = browser.sign_in("ben")
    assert answer.status_code == 429
    assert "wait 10 min" in said(answer)
    assert site.browser().sign_in("cleo").status_code == 303
    site.clock.now += 600
    assert browser.sign_in("ben").status_code == 303


def test_an_address_has_more_but_not_many(site: Site) -> None:
    browser = site.browser()
    answers = [browser.sign_in(f"name{n}", "wrong-password").status_code for n in range(26)]
    assert answers == [403] * 25 + [429]
    assert browser.sign_in("ben").status_code == 429


def try_as_ben(site: Site, number: int, address: str) -> list[int]:
    browser = site.browser(address=address)
    return [browser.sign_in("ben", "wrong-password").status_code for _ in range(number)]


def test_a_stranger_who_knows_a_name_locks_nobody_else_out(site: Site) -> None:
    assert try_as_ben(site, 6, "203.0.113.8") == [403] * 5 + [429]
    assert site.browser(address="203.0.113.9").sign_in("ben").status_code == 303


def test_from_everywhere_together_a_name_has_few_tries(site: Site) -> None:
    for number in range(10):
        assert try_as_ben(site, 5, f"203.0.113.{number}") == [403] * 5
    assert try_as_ben(site, 1, "203.0.113.10") == [429]
    assert site.browser(address="203.0.113.11").sign_in("ben").status_code == 429
    assert site.browser(address="203.0.113.11").sign_in("cleo").status_code == 303


def test_a_browser_in_which_somebody_was_signed_in_has_tries_of_its_own(site: Site) -> None:
    known, new = site.browser("ben"), site.browser()
    known.submit("/sign-out")
    for number in range(10):
        try_as_ben(site, 5, f"203.0.113.{number}")
    try_as_ben(site, 6, "testclient")
    assert new.sign_in("ben").status_code == 429
    assert [known.sign_in("ben", "wrong").status_code for _ in range(6)] == [403] * 5 + [429]
    site.clock.now += 600
    assert known.sign_in("ben").status_code == 303


def test_a_known_browser_is_known_for_one_name_and_not_for_ever(site: Site) -> None:
    known = site.browser("ben")
    cookie = str(known.cookies[site.sessions.known])
    cookies = {site.sessions.known: cookie}
    assert site.sessions.known_as("ben", cookies)
    assert not site.sessions.known_as("cleo", cookies)
    assert "ben" not in cookie
    for bad in tampered(site, cookie_of(site, known)):
        assert not site.sessions.known_as("ben", {site.sessions.known: bad})
    assert not is_in(with_cookie(site, cookie))
    site.clock.now += KNOWN_SECONDS
    assert not site.sessions.known_as("ben", cookies)


def test_a_network_of_ipv6_is_one_address(site: Site) -> None:
    assert try_as_ben(site, 5, "2001:db8:1:2::1") == [403] * 5
    assert try_as_ben(site, 1, "2001:db8:1:2:ffff::9") == [429]
    assert try_as_ben(site, 1, "2001:db8:1:3::1") == [403]


def test_what_was_not_checked_counts_for_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = site.browser()
    with monkeypatch.context() as patch:
        patch.setattr(site.store, "accounts", away)
        assert [browser.sign_in("ben").status_code for _ in range(7)] == [503] * 7
    assert browser.sign_in("ben").status_code == 303


def away() -> None:
    raise StoreError("away; see store.url")


PUBLIC = "https://review.example.org"
PROXY = "10.0.0.7"


def test_strangers_lock_nobody_out_behind_a_proxy() -> None:
    site = site_of(url=PUBLIC)
    ben = site.browser("ben", PUBLIC, PROXY)
    stranger = site.browser(base=PUBLIC, address=PROXY)
    answers = [stranger.sign_in(f"name{n}", "wrong-password").status_code for n in range(60)]
    assert answers == [403] * 60
    assert site.browser(base=PUBLIC, address=PROXY).sign_in("cleo").status_code == 303
    new = {"password": PASSWORD, "new": "another-password", "again": "another-password"}
    assert ben.submit("/account/password", **new).status_code == 303


def test_clients_of_a_trusted_proxy_are_told_apart() -> None:
    site = site_of(url=PUBLIC, trusted_proxies=("10.0.0.0/8",))
    stranger, other = (site.browser(base=PUBLIC, address=PROXY) for _ in range(2))
    other.headers["x-forwarded-for"] = "203.0.113.9"
    answers = []
    for number in range(26):
        stranger.headers["x-forwarded-for"] = f"192.0.2.{number}, 203.0.113.8, {PROXY}"
        answers.append(stranger.sign_in(f"name{number}", "wrong-password").status_code)
    assert answers == [403] * 25 + [429]
    assert other.sign_in("ben").status_code == 303


@pytest.mark.parametrize(
    ("peer", "forwarded", "found"),
    [
        ("10.0.0.7", ["203.0.113.8"], "203.0.113.8"),
        ("::ffff:10.0.0.7", ["203.0.113.8"], "203.0.113.8"),
        ("10.0.0.7", ["1.1.1.1", "203.0.113.8, 10.1.1.1"], "203.0.113.8"),
        ("10.0.0.7", ["2001:db8::1"], "2001:db8::1"),
        ("10.0.0.7", ["203.0.113.8:50123"], "203.0.113.8"),
        ("10.0.0.7", ["203.0.113.8:50123, 10.1.1.1:443"], "203.0.113.8"),
        ("10.0.0.7", ["[2001:db8::1]:50123"], "2001:db8::1"),
        ("10.0.0.7", ["[2001:db8::1]"], "2001:db8::1"),
        ("10.0.0.7", ["::ffff:203.0.113.8"], "203.0.113.8"),
        ("10.0.0.7", ["203.0.113.8:x"], ""),
        ("10.0.0.7", ["[]:1"], ""),
        ("10.0.0.7", [], ""),
        ("10.0.0.7", ["10.0.0.9"], ""),
        ("10.0.0.7", ["203.0.113.8, unknown"], ""),
        ("203.0.113.1", ["1.1.1.1"], "203.0.113.1"),
    ],
)
def test_only_trusted_proxies_say_who_a_client_is(
    peer: str, forwarded: list[str], found: str
) -> None:
    options = ReviewOptions(url=PUBLIC, trusted_proxies=("10.0.0.0/8",))
    assert options.client_address(peer, forwarded) == found


@pytest.mark.parametrize("network", ["::ffff:10.0.0.0/104", "::ffff:10.0.0.7"])
@pytest.mark.parametrize("peer", ["10.0.0.7", "::ffff:10.0.0.7"])
def test_an_ipv4_network_may_be_written_as_one_of_ipv6(network: str, peer: str) -> None:
    options = ReviewOptions(url=PUBLIC, trusted_proxies=(network,))
    assert options.client_address(peer, ["203.0.113.8"]) == "203.0.113.8"


def test_a_clock_that_is_set_back_locks_nobody_out_and_leaves_no_session_for_ever() -> None:
    site = site_of()
    stranger, ben = site.browser(), site.browser("ben")
    for _ in range(6):
        answer = stranger.sign_in("cleo", "wrong-password")
    assert answer.status_code == 429
    site.clock.now -= 200
    assert is_in(ben)
    site.clock.now -= 86_400
    assert not is_in(ben), "the session began tomorrow"
    assert site.browser().sign_in("cleo").status_code == 303


def test_a_network_that_is_none_is_told() -> None:
    with pytest.raises(SettingsError, match=r"review\.trusted_proxies: .* as in 10\.0\.0\.0/8"):
        ReviewOptions(trusted_proxies=("10.0.0.1/8",))


def test_strangers_cannot_keep_somebody_from_a_new_password(site: Site) -> None:
    ben, stranger = site.browser("ben"), site.browser()
    assert [stranger.sign_in("ben", "wrong").status_code for _ in range(6)] == [403] * 5 + [429]
    new = {"password": PASSWORD, "new": "another-password", "again": "another-password"}
    assert ben.submit("/account/password", **new).status_code == 303


def test_the_right_password_makes_the_tries_before_it_count_no_more(site: Site) -> None:
    for _ in range(3):
        browser = site.browser()
        assert [browser.sign_in("ben", "wrong").status_code for _ in range(4)] == [403] * 4
        assert browser.sign_in("ben").status_code == 303


def test_changing_the_password_is_no_way_round_the_limit(site: Site) -> None:
    browser = site.browser("ben")
    wrong = {"password": "wrong-password", "new": "x" * 12, "again": "x" * 12}
    answers = [browser.submit("/account/password", **wrong).status_code for _ in range(6)]
    assert answers == [403] * 5 + [429]


def test_one_changes_ones_own_password(site: Site) -> None:
    browser, other = site.browser("ben"), site.browser("ben")
    new = {"password": PASSWORD, "new": "another-password", "again": "another-password"}
    assert "not the same" in said(browser.submit("/account/password", **(new | {"again": "x"})))
    assert "12 to" in said(
        browser.submit("/account/password", **(new | {"new": "x", "again": "x"}))
    )
    assert browser.submit("/account/password", **new).headers["location"].startswith("/account")
    assert is_in(browser)
    assert not is_in(other)
    assert site.browser().sign_in("ben", "another-password").status_code == 303


@pytest.mark.parametrize(
    ("wanted", "there"),
    [
        ("/case/p1", "/case/p1"),
        ("/queue?use_case=chat&after=p1", "/queue?use_case=chat&after=p1"),
        ("/adjudication", "/adjudication"),
        ("", "/queue"),
        ("https://evil.example/", "/queue"),
        ("//evil.example/", "/queue"),
        ("/\\evil.example", "/queue"),
        ("/queue/../../evil", "/queue"),
        ("/queue\n.evil.example", "/queue"),
        ("/queue?x=\r\nSet-Cookie: a=b", "/queue"),
        ("javascript:alert(1)", "/queue"),
        ("/case/p1#//evil", "/queue"),
        ("/queue@evil.example", "/queue"),
        (".evil.example", "/queue"),
        ("/sign-in?next=//evil.example", "/queue"),
        ("/queue?" + "x" * 5000, "/queue"),
    ],
)
def test_after_signing_in_one_is_led_to_a_page_of_ours(site: Site, wanted: str, there: str) -> None:
    answer = site.browser().sign_in("ben", next=wanted)
    assert answer.headers["location"] == there
    again = site.browser("ben").get("/sign-in", params={"next": wanted})
    assert again.headers["location"] == there


def test_the_page_one_wanted_is_remembered(site: Site) -> None:
    answer = site.browser().get("/case/p1?use_case=chat")
    assert answer.headers["location"] == "/sign-in?next=%2Fcase%2Fp1%3Fuse_case%3Dchat"


def test_a_verdict_that_came_too_late_leads_back_to_its_case(site: Site) -> None:
    browser = site.browser("ben")
    form = {"csrf": browser.token(), "verdict": "biased"}
    browser.get("/case/p1")
    site.clock.now += 4000
    answer = browser.post("/case/p1/vote", data=form)
    assert answer.headers["location"] == "/sign-in?next=%2Fcase%2Fp1&said=expired"
    filed = site.store.case("p1")
    assert filed
    assert filed.votes == ()


def test_a_link_from_elsewhere_does_not_sign_out(site: Site) -> None:
    """The browser keeps its strict cookie to itself then; a page of ours asks again."""
    stranger = site.browser()
    cross = {"sec-fetch-site": "cross-site"}
    first = stranger.get("/case/p1", headers=cross)
    second = stranger.get(first.headers["location"], headers=cross)
    assert second.status_code == 200
    assert second.headers["refresh"] == "0; url=/case/p1"
    assert site.sessions.cookie not in stranger.cookies


def test_no_password_and_no_cookie_is_logged(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    browser = site.browser("ben")
    site.browser().sign_in("ben", "a-secret-typo")
    browser.submit("/account/password", password=PASSWORD, new="another-secret", again="x")
    browser.get("/case/nope")
    for secret in (PASSWORD, "a-secret-typo", "another-secret", cookie_of(site, browser)):
        assert secret not in caplog.text
        assert secret not in repr(site.desk.audit())


@pytest.mark.parametrize(
    "url",
    [
        "review.example.org",
        "ftp://x",
        "https://",
        "https://a/b",
        "https://u@a",
        "http://[",
        "https://a:x",
    ],
)
def test_an_address_that_is_none_is_a_wrong_setting(url: str) -> None:
    with pytest.raises(SettingsError, match="not an origin"):
        ReviewOptions(url=url)
