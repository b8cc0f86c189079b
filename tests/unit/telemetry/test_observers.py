import logging

from guard.records import Assessment, Call, Outcome, Verdict
from guard.telemetry.observers import Observers

OUTCOME = Outcome(
    call=Call(id="1", use_case="chat"),
    verdict=Verdict.RELEASED,
    text="t",
    reply="t",
    assessment=Assessment(),
)


class Remembers:
    def __init__(self):
        self.seen = []

    def outcome(self, outcome):
        self.seen.append(outcome)

    def upstream_error(self, use_case):
        self.seen.append(use_case)


class Broken:
    def outcome(self, outcome):
        raise RuntimeError("no")

    def upstream_error(self, use_case):
        raise RuntimeError("no")


def test_a_failing_observer_is_counted_and_the_others_still_hear(caplog):
    failures, last = [], Remembers()
    observers = Observers((Broken(), last), failed=failures.append)
    observers.outcome(OUTCOME)
    observers.upstream_error("chat")
    assert last.seen == [OUTCOME, "chat"]
    assert failures == ["Broken", "Broken"]


def test_a_failing_observer_is_logged_once(caplog):
    observers = Observers((Broken(),), failed=lambda _: None)
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            observers.outcome(OUTCOME)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "Broken" in caplog.text
