"""Findings on the page: for administrators, with the alarm and where its cases are."""

from __future__ import annotations

import pytest

from guard.shadow.monitor import epochs_of
from tests.planted import TONE, plant_bias
from tests.unit.review.made import pair
from tests.unit.review_web.visiting import Site, said, site_of

ALARM = {"use_case": "chat", "attribute": "gender"}


@pytest.fixture
def biased() -> Site:
    site = site_of()
    plant_bias(site.store, "chat")
    site.store.open(pair(use_case="chat", attribute="gender"))
    return site


def is_alarmed(site: Site) -> bool:
    return epochs_of(site.store, "chat")[TONE.name].alarmed


def test_an_administrator_sees_what_is_known(biased: Site) -> None:
    page = biased.browser("ada").get("/findings")
    words = said(page)
    assert "chat : gender Differs" in words
    assert (
        "60 pairs compared; replies of 5 pairs do not vary: 2 were counted before;"
        " 7 declined (invalid 7); 4 skipped (call budget used up 4);"
        " 9 pairs flagged as unusual: 2 confirmed: the difference persisted, 4 not confirmed,"
        " 1 not asked again: budget used up, 2 wait to be asked again;"
        " 1 cases over the cap of the day"
    ) in words
    assert (
        "chat : 3 sampled calls not asked again (the caller asked for it 3);"
        " 1 cases of single replies; 2 alarms did not reach alarm_webhook.url"
    ) in words
    assert "differs: an alarm stands" in words
    assert "-0.300" in words
    assert "no evidence yet; needs about" in words
    assert 'href="/queue?use_case=chat&amp;attribute=gender">1 open cases' in page.text


def test_a_metric_leads_to_the_cases_that_it_flagged(biased: Site) -> None:
    browser = biased.browser("ada")
    where = "/queue?use_case=chat&attribute=gender&reason="
    page = browser.get("/findings").text.replace("&amp;", "&")
    for reason, shows_it in (("sentiment_gap", True), ("length_gap", False)):
        assert f'href="{where}{reason}"' in page
        assert ("/case/p1" in browser.get(f"{where}{reason}").text) is shows_it


def test_it_can_be_narrowed_to_a_use_case(biased: Site) -> None:
    browser = biased.browser("ada")
    assert "an alarm stands" in said(browser.get("/findings?use_case=chat"))
    assert "Nothing is known yet" in said(browser.get("/findings?use_case=other"))


@pytest.mark.parametrize("name", ["ben", "dan"])
def test_nobody_who_judges_blind_is_told_which_group_is_treated_how(
    biased: Site, name: str
) -> None:
    browser = biased.browser(name)
    assert browser.get("/findings").status_code == 403
    assert "Findings" not in said(browser.get("/queue"))
    assert browser.submit("/findings/acknowledge", **ALARM).status_code == 403
    assert is_alarmed(biased)


def test_an_alarm_is_acknowledged_once_and_the_audit_says_by_whom(biased: Site) -> None:
    browser = biased.browser("ada")
    done = browser.submit("/findings/acknowledge", **ALARM)
    assert (done.status_code, done.headers["location"]) == (303, "/findings?said=acknowledged")
    assert not is_alarmed(biased)
    assert "an alarm stands" not in said(browser.get("/findings"))
    again = browser.submit("/findings/acknowledge", **ALARM)
    assert again.headers["location"] == "/findings?said=no-alarm"
    noted = [one for one in biased.store.audit() if one.event == "acknowledged"]
    assert {(one.actor, one.detail) for one in noted} == {
        ("ada", f"alarm of {test} in chat") for test in (TONE.name, f"{TONE.name}:female")
    }


def test_without_the_token_of_the_session_nothing_is_acknowledged(biased: Site) -> None:
    browser = biased.browser("ada")
    assert browser.post("/findings/acknowledge", data={"csrf": "", **ALARM}).status_code == 403
    assert is_alarmed(biased)


def test_of_another_attribute_nothing_is_acknowledged(biased: Site) -> None:
    done = biased.browser("ada").submit(
        "/findings/acknowledge", use_case="chat", attribute="religion"
    )
    assert done.headers["location"] == "/findings?said=no-alarm"
    assert is_alarmed(biased)
