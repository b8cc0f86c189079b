"""An alarm's message has what it takes to understand it, and nothing of any call."""

from __future__ import annotations

import json

import pytest

from guard.shadow.alarm_message import alarm_message
from guard.shadow.monitor import AlarmCheck
from tests.unit.shadow.test_monitor import ALL, PLACE, observed, post, store, watch


@pytest.fixture
def check() -> AlarmCheck:
    windows = store()
    watching = watch(windows)
    post(windows, watching, observed(60, -0.3))
    return watching.check()


def test_all_groups_together_name_the_strongest(check: AlarmCheck) -> None:
    message = alarm_message(check, ALL, findings_url="https://review.example.org/findings")
    estimate = message.pop("estimate")
    assert isinstance(estimate, dict)
    assert estimate["value"] == pytest.approx(-0.3)
    assert estimate["low"] < -0.3 < estimate["high"]
    assert estimate["n"] == 60
    assert message == {
        "version": 1,
        "event": "alarm",
        "use_case": "chat",
        "attribute": "gender",
        "metric": "gap",
        "group": "",
        "strongest_group": "female",
        "material": 0.05,
        "log10_e": check.published[ALL].log10_e,
        "epoch": 0,
        "number": 1,
        "deployment": "d1",
        "findings": "https://review.example.org/findings?use_case=chat",
    }


def test_one_group_is_its_own_and_needs_no_page(check: AlarmCheck) -> None:
    message = alarm_message(check, PLACE)
    assert (message["group"], message["strongest_group"]) == ("female", "female")
    assert message["findings"] == ""


def test_it_is_json(check: AlarmCheck) -> None:
    for alarm in check.alarms:
        message = alarm_message(check, alarm)
        assert json.loads(json.dumps(message)) == message
