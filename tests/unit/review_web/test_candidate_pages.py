"""What a candidate policy would do, on the page: for administrators alone."""

from __future__ import annotations

import pytest

from guard.bootstrap.candidates import candidate_policy
from guard.records import CaseFilter, Posting
from guard.settings import parse_settings
from guard.shadow.cases import CaseContext
from guard.shadow.examples import example_case
from tests.unit.review.made import START
from tests.unit.review_web.visiting import Site, said, site_of
from tests.unit.shadow.test_recorder import LAXER

SETTINGS = parse_settings("""
use_cases:
  chat: {policy: {toxicity: {flag: 0.5, block: 0.9}}, candidate: {toxicity: {block: 0.95}}}
  other: {}
""")


@pytest.fixture
def compared() -> Site:
    site = site_of(SETTINGS)
    policy = candidate_policy(SETTINGS, "chat")
    assert policy is not None
    sums = {"flag_to_release": 3.0, "release_to_release": 97.0}
    posting = Posting(use_case="chat", at_seconds=START, evidence={policy.epoch: sums})
    site.store.add([posting])
    context = CaseContext(use_case="chat", at_seconds=START, versions={})
    example = example_case(LAXER, context, policy.epoch)
    assert example is not None
    site.store.open(example)
    return site


def test_an_administrator_sees_the_counts_and_the_replies(compared: Site) -> None:
    words = said(compared.browser("ada").get("/candidates"))
    assert "100 replies judged by both" in words
    assert "toxicity: flag 0.5, block 0.9 → block 0.95" in words
    assert "flag release 3 3.00 % release release 97 97.00 %" in words
    assert "Examples: flag → release" in words
    assert "At home." in words
    assert "toxicity" in words


def test_counts_and_examples_of_another_candidate_are_not_shown(compared: Site) -> None:
    changed = parse_settings("use_cases: {chat: {candidate: {toxicity: {block: 0.7}}}}")
    page = site_of(changed)
    assert "No reply was judged by both yet." in said(page.browser("ada").get("/candidates"))
    assert compared.store.use_cases() == ["chat"]


def test_without_a_candidate_the_page_says_how_to_have_one() -> None:
    words = said(site_of().browser("ada").get("/candidates"))
    assert "Give a use case a second policy under candidate" in words


@pytest.mark.parametrize("name", ["ben", "dan"])
def test_who_judges_blind_sees_no_example(compared: Site, name: str) -> None:
    [example] = compared.store.query(CaseFilter())
    browser = compared.browser(name)
    assert browser.get("/candidates").status_code == 403
    assert browser.get(f"/case/{example.case.id}").status_code == 404
    assert example.case.id not in browser.get("/queue?state=example").text
    assert example.case.id not in browser.get("/queue?state=closed").text
    reveal = browser.submit(f"/case/{example.case.id}/reveal")
    assert reveal.status_code in {403, 404}
