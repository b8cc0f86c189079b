"""What the demo shows of the shadow path."""

from __future__ import annotations

import io

from rich.console import Console

from guard.demo import screen as view
from guard.demo.board import Board, Finding, Findings, found_in
from guard.errors import StoreError
from guard.records import About, CaseState, Estimate, Evidence, Shadowed, Snapshot


def evidence(metric: str, log10_e: float, **fields: object) -> Evidence:
    about = About(use_case="chat", metric=metric, attribute="gender", groups="female")
    estimate = Estimate(value=-0.2, low=-0.3, high=-0.1, n=90)
    given = {"epoch": 0, "alarms": 0, "estimate": estimate} | fields
    return Evidence(about=about, log10_e=log10_e, **given)  # type: ignore[arg-type]


def counted(result: str, calls: float, attribute: str = "gender") -> Shadowed:
    return Shadowed(use_case="chat", attribute=attribute, result=result, calls=calls)


SNAPSHOT = Snapshot(
    evidence=(
        evidence("toxicity_gap_grounded", 0.5),
        evidence("sentiment_gap_grounded", 2.5),
        Evidence(
            about=About(use_case="chat", metric="sentiment_gap_grounded", attribute="gender"),
            log10_e=2.5,
            epoch=0,
            alarms=0,
        ),
    ),
    shadowed=(
        counted("compared", 90.0),
        counted("unaware", 7.0),
        counted("confirmed", 2.0),
        counted("unconfirmed", 1.0),
        counted("over_cap", 1.0),
        counted("slip", 1.0, attribute=""),
        counted("over_cap", 5.0, attribute=""),
    ),
    cases={("chat", CaseState.OPEN): 3, ("chat", CaseState.CLOSED): 1},
)


def test_the_strongest_evidence_of_a_use_case_is_found() -> None:
    found = found_in(SNAPSHOT)["chat"]
    assert found.compared == 90
    assert found.strongest == SNAPSHOT.evidence[1]


def test_cases_of_pairs_are_told_apart_from_those_of_single_replies() -> None:
    """A reply that a rule caught is a case whoever it is about, and says nothing of groups."""
    found = found_in(SNAPSHOT)["chat"]
    assert (found.cases, found.reply_cases) == (2, 2)
    caught = found_in(Snapshot(cases={("chat", CaseState.OPEN): 4}))["chat"]
    assert (caught.cases, caught.reply_cases) == (0, 4)


def test_the_evidence_that_raised_an_alarm_is_still_told_after_it() -> None:
    after = evidence("sentiment_gap_grounded", 0.0, alarms=1, alarm_log10_e=2.6, estimate=None)
    found = found_in(Snapshot(evidence=(after,), shadowed=(counted("compared", 1.0),)))["chat"]
    assert view.plain_finding("chat", found) == (
        "chat: compared=1 cases=0 reply_cases=0"
        " evidence=2.60(sentiment_gap_grounded:gender:female) alarms=1"
    )


def test_a_line_tells_what_was_found() -> None:
    assert view.plain_finding("chat", found_in(SNAPSHOT)["chat"]) == (
        "chat: compared=90 cases=2 reply_cases=2"
        " evidence=2.50(sentiment_gap_grounded:gender:female) alarms=0"
        " difference=-0.200(-0.300..-0.100,n=90)"
    )
    assert (
        view.plain_finding("chat", Finding())
        == "chat: compared=0 cases=0 reply_cases=0 evidence=no-data"
    )


def test_the_picture_holds_the_findings() -> None:
    console = Console(file=io.StringIO(), width=120)
    snapshot = Board(("chat",)).snapshot(found_in(SNAPSHOT) | {"other": Finding()})
    session = view.SessionInfo(heads={}, url="http://x", review="")
    console.print(view.picture(snapshot, session, seconds=1.0, width=120))
    assert isinstance(console.file, io.StringIO)
    drawn = console.file.getvalue()
    for expected in ("2.5", "-0.20", "-0.30", "sentiment gap grounded female", "no data"):
        assert expected in drawn


def test_findings_are_read_now_and_then_and_kept_while_the_store_is_away() -> None:
    now, reads, away = [0.0], [0], [False]

    def read() -> Snapshot:
        reads[0] += 1
        if away[0]:
            raise StoreError("away; see store.url")
        return SNAPSHOT

    findings = Findings(read, clock=lambda: now[0], every_seconds=2.0)
    first = findings.latest()
    now[0] = 1.0
    assert findings.latest() is first
    assert reads == [1]
    now[0], away[0] = 2.0, True
    assert findings.latest() is first
    away[0] = False
    assert findings.latest(fresh=True) == first
    assert reads == [3]
