"""A call survives being a job, and rubbish is told from it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from guard.records import Turn
from guard.shadow.job_payload import ShadowJob, UnreadableJobError, job_of, shadow_of

CALL = ShadowJob(
    call_id="c1",
    use_case="chat",
    lane="http",
    turns=(Turn(role="system", content="Be kind."), Turn(role="user", content="\ud800 Ünï?")),
    reply="Yes.",
    parameters={"model": "m", "temperature": 0.5, "stop": ["a"]},
)


@pytest.mark.parametrize("call", [CALL, replace(CALL, reply=None, parameters={})])
def test_a_call_comes_back(call: ShadowJob) -> None:
    job = job_of(call, offered_at=5.0)
    assert shadow_of(job) == call
    assert job.payload.isascii()
    assert (job.key, job.lane, job.call_id, job.offered_at) == ("shadow:c1", "http", "c1", 5.0)


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "no object"),
        ('{"version": 7}', "written by version 7"),
        ("{}", "written by version None"),
        ('{"version": 1, "turns": []}', "turns"),
        ('{"version": 1, "turns": [["tool", "x"]]}', "parameters"),
        ('{"version": 1, "turns": [["tool", "x"]], "parameters": {}}', "role"),
        ('{"version": 1, "turns": [["user"]], "parameters": {}}', "role"),
        ('{"version": 1, "turns": [["user", 3]], "parameters": {}}', "role"),
        ('{"version": 1, "turns": [["user", "x"]], "reply": 3, "parameters": {}}', "reply"),
        ('{"version": 1, "turns": [["user", "x"]], "parameters": []}', "parameters"),
    ],
)
def test_rubbish_is_told(payload: str, why: str) -> None:
    job = replace(job_of(CALL, offered_at=5.0), payload=payload)
    with pytest.raises(UnreadableJobError, match=why) as caught:
        shadow_of(job)
    assert "shadow:c1" in str(caught.value)


@pytest.mark.parametrize("given", [True, False])
def test_whether_messages_are_wanted_is_no_parameter(given: bool) -> None:
    job = job_of(replace(CALL, as_messages=given), offered_at=5.0)
    assert shadow_of(job).as_messages is given
    assert "as_messages" not in shadow_of(job).parameters


def test_a_job_of_version_0_1_kept_that_among_its_parameters() -> None:
    kept = json.loads(job_of(CALL, offered_at=5.0).payload)
    del kept["as_messages"]
    kept["parameters"]["as_messages"] = True
    job = replace(job_of(CALL, offered_at=5.0), payload=json.dumps(kept))
    assert shadow_of(job) == replace(CALL, as_messages=True)


def test_parameters_that_are_no_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        job_of(replace(CALL, parameters={"temperature": float("nan")}), offered_at=0.0)


def test_the_payload_is_versioned() -> None:
    assert json.loads(job_of(CALL, offered_at=0.0).payload)["version"] == 1
