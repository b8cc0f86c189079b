import json
import logging

import pytest

from guard.records import Action, Assessment, Call, Fired, Outcome, Span, Unscored, Verdict
from guard.telemetry.observers import LogObserver


def outcome(verdict, **fields):
    return Outcome(
        call=Call(id="c1", use_case="chat", prompt="the prompt"),
        verdict=verdict,
        text="the text",
        reply="the reply",
        **({"assessment": Assessment()} | fields),
    )


def lines(caplog):
    return [json.loads(record.getMessage()) for record in caplog.records]


@pytest.fixture
def at_info(caplog):
    with caplog.at_level(logging.INFO, "guard.outcomes"):
        yield caplog


def test_released_calls_are_silent(at_info):
    LogObserver().outcome(outcome(Verdict.RELEASED))
    assert not at_info.records


def test_a_blocked_call_is_one_line_without_its_texts(at_info):
    rule = Fired(score="toxicity", action=Action.BLOCK, threshold=0.5, value=0.91234567)
    LogObserver().outcome(
        outcome(
            Verdict.BLOCKED,
            action=Action.BLOCK,
            fired=(rule,),
            withheld=(Span(start=0, end=9),),
        )
    )
    (line,) = lines(at_info)
    assert line["event"] == "blocked"
    assert line["fired"] == {"toxicity": 0.9123}
    assert line["withheld"] == [[0, 9]]
    assert at_info.records[0].levelno == logging.WARNING
    assert "the " not in at_info.text


def test_texts_are_logged_when_asked_for_and_cannot_break_the_line(at_info):
    call = Call(id="c1", use_case="chat", prompt="a\nb\ud800")
    LogObserver(content=True).outcome(
        Outcome(
            call=call,
            verdict=Verdict.FLAGGED,
            text="x",
            reply="r",
            assessment=Assessment(),
        )
    )
    assert "\n" not in at_info.records[0].getMessage()
    assert lines(at_info)[0]["prompt"] == "a\nb\ud800"


def test_unscored_says_why(at_info):
    LogObserver().outcome(outcome(Verdict.UNSCORED, unscored=Unscored.OVERLOAD))
    assert lines(at_info)[0]["unscored"] == "overload"


def test_an_error_of_the_model_is_logged(at_info):
    LogObserver().upstream_error("chat")
    assert lines(at_info) == [{"use_case": "chat", "event": "upstream_error"}]


def test_a_logger_that_is_not_listening_costs_nothing(monkeypatch):
    logger = logging.Logger("quiet", level=logging.CRITICAL)
    monkeypatch.setattr("guard.telemetry.observers.describe", lambda _: pytest.fail("described"))
    LogObserver(logger).outcome(outcome(Verdict.BLOCKED))
