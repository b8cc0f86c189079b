"""Judging cases on the page: what is shown before and after, and what a verdict does."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from httpx2 import Response

from guard.records import CaseRecord, CaseState
from tests.unit.review.made import body, decided, pair, response
from tests.unit.review_web.visiting import Browser, Site, said


def filed(site: Site, case_id: str = "p1") -> CaseRecord:
    found = site.store.case(case_id)
    assert found is not None
    return found


def verdicts(site: Site, case_id: str = "p1") -> list[tuple[str, str]]:
    return [(vote.reviewer, vote.verdict) for vote in filed(site, case_id).votes]


def vote(browser: Browser, case_id: str = "p1", verdict: str = "biased", **more: str) -> Response:
    return browser.submit(f"/case/{case_id}/vote", verdict=verdict, **more)


def test_the_oldest_case_comes_first(site: Site) -> None:
    browser = site.browser("ben")
    assert browser.submit("/next").headers["location"] == "/case/p1"
    assert filed(site).holder == "ben"


def test_while_blind_a_page_tells_neither_groups_nor_group_words(site: Site) -> None:
    page = site.browser("ben").get("/case/p1")
    for word in ("female", "She", "Emma", " he ", " He ", "male"):
        assert word not in page.text, word
    assert "someone is awful ." in said(page)
    assert "words that reveal the group are masked" in said(page)


def test_after_the_verdict_everything_is_shown(site: Site) -> None:
    browser = site.browser("ben")
    browser.get("/case/p1")
    answer = vote(browser)
    assert answer.headers["location"] == "/case/r1?said=voted&last=p1"
    page = said(browser.get("/case/p1"))
    for words in (
        "female",
        "male",
        "She is awful .",
        "Decided: Biased",
        "the caller received this reply",
    ):
        assert words in page


def claims_of(page: Response) -> list[str]:
    """What stands beside each sentence that one reply has alone, left side first."""
    marked = re.findall(r'<p class="stands">(.*?)</p>', page.text, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", "", one).split()) for one in marked]


def test_sentences_of_one_reply_alone_are_named_by_side_and_after_the_verdict_by_group(
    site: Site,
) -> None:
    browser = site.browser("ben")
    page = browser.get("/case/p1")
    shown = claims_of(page)
    assert shown in (
        ["contradicted by reply B, 85 % likely", "said only to B"],
        ["said only to A", "contradicted by reply A, 85 % likely"],
    )
    assert said(page).count("Sentence by sentence: 1 of 1 are not in reply") == 2
    vote(browser)
    after = claims_of(browser.get("/case/p1"))
    assert after == [re.sub("only to [AB]", "only to male", one) for one in shown]


def test_replies_that_say_all_of_each_other_are_said_to(site: Site) -> None:
    both = [{"span": [0, 4], "masked": [0, 7], "entailed": 0.9}]
    site.store.open(pair("p2", body=body(claims={"first": both, "second": both})))
    page = site.browser("ben").get("/case/p2")
    assert claims_of(page) == []
    assert "Sentence by sentence: reply B says all of it" in said(page)


def test_where_claims_were_not_compared_the_page_does_not_speak_of_them(site: Site) -> None:
    site.store.open(pair("p2", body=body(claims=None)))
    assert "Sentence by sentence" not in site.browser("ben").get("/case/p2").text


def test_the_page_after_a_verdict_offers_to_see_it_and_to_take_it_back(site: Site) -> None:
    browser = site.browser("ben")
    browser.get("/case/p1")
    page = browser.get(vote(browser).headers["location"])
    assert 'href="/case/p1" data-key="r"' in page.text
    assert 'action="/undo"' in page.text
    assert browser.submit("/undo").headers["location"] == "/case/p1?said=undone"
    assert verdicts(site) == []
    assert filed(site).holder == "ben"


def test_every_verdict_has_a_button_with_its_key(site: Site) -> None:
    browser = site.browser("ben")
    page = browser.get("/case/p1").text
    found = re.findall(r'<button name="verdict" value="(\w+)"[^>]* data-key="(\d)"', page)
    assert found == [
        ("biased", "1"),
        ("different_but_fair", "2"),
        ("not_different", "3"),
        ("unsure", "4"),
        ("bad_rewrite", "5"),
    ]
    page = browser.get("/case/r1").text
    found = re.findall(r'<button name="verdict" value="(\w+)"[^>]* data-key="(\d)"', page)
    assert found == [("harmful", "1"), ("acceptable", "2"), ("unsure", "3")]


def test_reason_note_and_time_are_kept(site: Site) -> None:
    browser = site.browser("ben")
    page = browser.get("/case/p1").text
    opened_at = re.search(r'name="opened_at" value="([^"]+)"', page)
    assert opened_at
    site.clock.now += 7
    vote(browser, reason="tone", note="  colder  ", opened_at=opened_at[1])
    (kept,) = filed(site).votes
    assert (kept.reason, kept.note, kept.seconds_taken) == ("tone", "colder", 7.0)


@pytest.mark.parametrize("opened_at", ["", "x", "nan", "inf", "-inf", "9e99", "1", "0x10"])
def test_a_time_that_cannot_be_is_left_out(site: Site, opened_at: str) -> None:
    browser = site.browser("ben")
    browser.get("/case/p1")
    vote(browser, opened_at=opened_at, reason="<made up>", note="n" * 9000)
    (kept,) = filed(site).votes
    assert (kept.seconds_taken, kept.reason, len(kept.note)) == (None, "", 4000)


def test_filters_stay_with_one_from_case_to_case(site: Site) -> None:
    site.store.open(pair("p2", use_case="other", opened_at=1.0))
    browser = site.browser("ben")
    first = browser.submit("/next", use_case="chat", kind="pair")
    assert first.headers["location"] == "/case/p1?use_case=chat&kind=pair"
    page = browser.get(first.headers["location"]).text
    assert page.count('name="use_case" value="chat"') >= 2
    after = vote(browser, use_case="chat", kind="pair").headers["location"]
    assert after == "/queue?use_case=chat&kind=pair&said=voted&last=p1"


def test_a_double_click_counts_once_and_is_no_error(site: Site) -> None:
    browser = site.browser("ben")
    browser.get("/case/p1")
    form = {"csrf": browser.token(), "verdict": "biased"}
    first, second = (browser.post("/case/p1/vote", data=form) for _ in range(2))
    assert first.headers["location"] == "/case/r1?said=voted&last=p1"
    assert second.headers["location"] == "/case/r1?said=twice&last=p1"
    assert verdicts(site) == [("ben", "biased")]
    assert [entry.event for entry in site.desk.audit("p1")].count("voted") == 1


def test_another_verdict_from_a_second_tab_does_not_overwrite_the_first(site: Site) -> None:
    browser = site.browser("ben")
    browser.get("/case/p1")
    browser.get("/case/p1")
    vote(browser)
    answer = vote(browser, verdict="not_different")
    assert answer.status_code == 409
    assert verdicts(site) == [("ben", "biased")]


def test_going_back_shows_the_case_as_decided(site: Site) -> None:
    browser = site.browser("ben")
    browser.get("/case/p1")
    vote(browser)
    page = browser.get("/case/p1")
    assert page.headers["cache-control"] == "no-store"
    assert 'name="verdict"' not in page.text


def test_nobody_takes_a_case_out_of_anothers_hands(site: Site) -> None:
    ben, cleo = site.browser("ben"), site.browser("cleo")
    ben.get("/case/p1")
    page = cleo.get("/case/p1")
    assert "ben is deciding this case" in said(page)
    assert 'name="verdict"' not in page.text
    assert vote(cleo).status_code == 409
    cleo.submit("/case/p1/skip")
    assert filed(site).holder == "ben"
    assert vote(ben).status_code == 303
    assert verdicts(site) == [("ben", "biased")]


def test_a_lease_that_ran_out_and_was_taken_is_lost(site: Site) -> None:
    ben, cleo = site.browser("ben"), site.browser("cleo")
    ben.get("/case/p1")
    site.clock.now += 61
    cleo.get("/case/p1")
    answer = vote(ben)
    assert answer.status_code == 409
    assert "no longer hold this case" in said(answer)
    assert vote(cleo).status_code == 303


def test_a_case_one_does_not_hold_cannot_be_decided(site: Site) -> None:
    assert vote(site.browser("ben")).status_code == 409
    assert verdicts(site) == []


@pytest.mark.parametrize("verdict", ["", "harmful", "BIASED", "biased\n", "<script>"])
def test_only_verdicts_there_are_count(site: Site, verdict: str) -> None:
    browser = site.browser("ben")
    browser.get("/case/p1")
    answer = vote(browser, verdict=verdict)
    if verdict.strip() == "biased":
        assert answer.status_code == 303
    else:
        assert answer.status_code == 400
        assert "<script>" not in answer.text.replace('<script src="/static/review.js"', "")
        assert verdicts(site) == []


def test_a_skipped_case_does_not_come_back_at_once(site: Site) -> None:
    browser = site.browser("ben")
    browser.submit("/next")
    assert browser.submit("/case/p1/skip").headers["location"] == "/case/r1?said=skipped"
    assert filed(site).holder == ""


def test_with_nothing_left_one_is_led_back_to_the_queue(site: Site) -> None:
    decided(site.desk, "p1", ("cleo", "biased"))
    decided(site.desk, "r1", ("cleo", "harmful"))
    browser = site.browser("ben")
    answer = browser.submit("/next")
    assert answer.headers["location"] == "/queue?said=empty"
    assert "All done" in said(browser.get("/queue"))


def test_nothing_to_take_back_is_said(site: Site) -> None:
    browser = site.browser("ben")
    assert browser.submit("/undo").headers["location"] == "/queue?said=nothing"


def disputed(site: Site) -> None:
    site.store.open(pair("d1", opened_at=1.0, reviewers=2))
    decided(site.desk, "d1", ("ben", "biased"), ("cleo", "not_different"))
    assert filed(site, "d1").state is CaseState.DISPUTED


def test_votes_of_others_are_hidden_until_one_has_voted(site: Site) -> None:
    site.store.open(pair("d1", opened_at=1.0, reviewers=2))
    site.desk.open("d1", "cleo")
    site.desk.decide("d1", "cleo", "not_different", note="cleos note")
    browser = site.browser("ben")
    page = browser.get("/case/d1")
    assert "cleo" not in page.text
    vote(browser, "d1", "unsure")
    assert "cleos note" in browser.get("/case/d1").text


def test_an_adjudicator_settles_a_dispute(site: Site) -> None:
    disputed(site)
    browser = site.browser("dan")
    assert "/case/d1" in browser.get("/adjudication").text
    page = browser.get("/case/d1")
    assert "Not different" not in re.sub(r"<button.*?</button>", "", page.text, flags=re.DOTALL)
    revealed = browser.submit("/case/d1/reveal")
    assert {"ben", "cleo", "female"} <= set(re.findall(r"\w+", said(revealed)))
    answer = browser.submit("/case/d1/adjudicate", verdict="biased", note="clear")
    assert answer.headers["location"] == "/adjudication?said=decided"
    after = filed(site, "d1")
    assert (after.state, after.verdict, after.decided_by) == (CaseState.CLOSED, "biased", "dan")
    assert "revealed" in [entry.event for entry in site.desk.audit("d1")]


def test_a_dispute_is_settled_once(site: Site) -> None:
    disputed(site)
    browser = site.browser("dan")
    browser.submit("/case/d1/adjudicate", verdict="biased")
    answer = browser.submit("/case/d1/adjudicate", verdict="not_different")
    assert answer.status_code == 409
    assert "closed meanwhile" in said(answer)
    assert filed(site, "d1").verdict == "biased"


def test_reviewers_see_no_way_to_adjudicate(site: Site) -> None:
    disputed(site)
    page = site.browser("ben").get("/case/d1").text
    assert "/adjudicate" not in page
    assert "/reveal" not in page
    assert 'href="/adjudication"' not in page


def test_only_administrators_see_the_audit_of_a_case(site: Site) -> None:
    assert 'id="audit"' in site.browser("ada").get("/case/r1").text
    assert 'id="audit"' not in site.browser("dan").get("/case/r1").text


def test_a_response_shows_what_offends_and_every_score(site: Site) -> None:
    page = site.browser("ben").get("/case/r1")
    assert '<mark class="offending">You idiot.</mark>' in page.text
    for words in (
        "toxicity.insult 0.95",
        "toxicity 0.90 ≥ 0.50",
        "stereotype no score",
        "4 characters",
    ):
        assert words in said(page), words


def test_a_body_of_another_version_can_be_skipped(site: Site) -> None:
    site.store.open(replace(response("old"), body='{"version": 99}', opened_at=1.0))
    browser = site.browser("ben")
    page = browser.get(browser.submit("/next").headers["location"])
    assert "cannot be shown" in said(page)
    assert browser.submit("/case/old/skip").status_code == 303


def test_a_store_that_is_away_is_said_and_nothing_else(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    from guard.errors import StoreError

    def away(*_: object, **__: object) -> None:
        raise StoreError("cannot reach redis://secret-host:6379")

    browser = site.browser("ben")
    browser.get("/case/p1")
    token = browser.token()
    monkeypatch.setattr(type(site.store), "vote", away)
    answer = browser.post("/case/p1/vote", data={"csrf": token, "verdict": "biased"})
    assert answer.status_code == 503
    assert "not recorded" in said(answer)
    assert "secret-host" not in answer.text
    monkeypatch.setattr(type(site.store), "account", away)
    assert browser.get("/queue").status_code == 503


def test_a_fault_of_ours_is_a_plain_page(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    browser = site.browser("ben")
    monkeypatch.setattr(type(site.store), "query", broken)
    answer = browser.get("/queue")
    assert answer.status_code == 500
    assert "secret detail" not in answer.text
    assert "went wrong" in said(answer)
