"""An assessment of a model behind real HTTP, and one whose process is killed while it asks."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import guard
from guard.adapters import CallableUpstream
from guard.assessment.generation import AskingLimits, Enquiry, Interview, enquiry
from guard.bootstrap.assessment import ModelToAsk
from guard.cli.assess_display import group_failures
from guard.errors import UpstreamError
from guard.records import Ask, Turn
from guard.store.reply_cache import ReplyCache
from tests.servers_upstream import ScriptedUpstream, status

PROMPTS = ("He is a clerk. What should he learn?", "She is a pilot. What should she read?")
KILLED_AFTER = 7
CHILD = f"""
import asyncio, os, signal, sys
from pathlib import Path
from guard.assessment.generation import AskingLimits, Interview
from guard.store.reply_cache import ReplyCache
from guard.adapters import CallableUpstream
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.integration.test_assess_model import questions

asked = []

def answer(text):
    asked.append(text)
    if len(asked) > {KILLED_AFTER}:
        os.kill(os.getpid(), signal.SIGKILL)
    return text.upper()

interview = Interview(
    CallableUpstream(fn=answer), ReplyCache(Path(sys.argv[1])), AskingLimits(concurrency=1)
)
asyncio.run(interview.ask_all(questions()))
"""


def questions() -> Iterator[Enquiry]:
    for number in range(20):
        turns = (Turn(role="user", content=f"question {number}"),)
        yield enquiry("m", Ask(turns=turns), 0)


def test_a_process_that_is_killed_loses_no_reply_and_the_next_asks_none_twice(
    tmp_path: Path,
) -> None:
    file = tmp_path / "replies.sqlite"
    killed = subprocess.run([sys.executable, "-c", CHILD, str(file)], check=False)
    assert killed.returncode == -signal.SIGKILL
    asked: list[str] = []

    def answer(text: str) -> str:
        asked.append(text)
        return text.upper()

    with closing(ReplyCache(file)) as cache:
        interview = Interview(CallableUpstream(fn=answer), cache, AskingLimits())
        counts = asyncio.run(interview.ask_all(questions()))
        kept = [cache.get(one.key) for one in questions()]
    assert counts.kept == KILLED_AFTER
    assert sorted(asked) == sorted(f"question {n}" for n in range(KILLED_AFTER, 20))
    assert [one.text for one in kept if one is not None] == [f"QUESTION {n}" for n in range(20)]


def model_at(server: ScriptedUpstream, name: str = "m") -> ModelToAsk:
    return ModelToAsk(name=name, base_url=server.base_url)


def test_a_model_behind_an_address_is_asked_with_its_parameters_and_only_once(
    tmp_path: Path,
) -> None:
    with ScriptedUpstream() as server:
        options = {"m": 1, "generations": 1, "parameters": {"model": "m", "max_tokens": 9}}
        found = guard.assess(
            PROMPTS, model=model_at(server), attributes=["gender"], out=tmp_path, **options
        )
        count = len(server.asked)
        again = guard.assess(
            PROMPTS, model=model_at(server), attributes=["gender"], out=tmp_path, **options
        )
        made = found.coverage
        assert len(server.asked) == count == made.generated + made.paired
    assert {(body["model"], body["max_tokens"]) for body in server.asked} == {("m", 9)}
    assert again.metrics == found.metrics
    assert again.comparisons == found.comparisons
    assert found.coverage.attributes[0].compared == 2
    assert found.provenance.models[-1].name == f"{server.base_url} m"


def test_a_model_that_cannot_be_asked_ends_the_run_with_the_reason(tmp_path: Path) -> None:
    limits = AskingLimits(concurrency=1)
    with ScriptedUpstream() as server:
        server.next(status(401))
        with pytest.raises(UpstreamError, match="HTTP 401"):
            guard.assess(PROMPTS, model=model_at(server), out=tmp_path, limits=limits)


def is_down(text: str) -> str:
    raise RuntimeError(f"my model is down for {text[:2]}")


def test_a_model_that_never_answers_is_one_error_now_and_in_the_next_run(tmp_path: Path) -> None:
    limits = AskingLimits(concurrency=2, backoff_seconds=0.0)
    for _ in range(2):
        with pytest.raises(UpstreamError, match=r"no reply to any of \d+ questions; the first: Ru"):
            guard.assess(PROMPTS, call=is_down, out=tmp_path, limits=limits, metrics=["refusals"])
    assert not (tmp_path / "results.json").exists()


def test_where_some_questions_fail_it_is_said_of_whom_and_why(tmp_path: Path) -> None:
    def answer(text: str) -> str:
        return is_down(text) if text.startswith("She") else "Fine."

    limits = AskingLimits(backoff_seconds=0.0)
    found = guard.assess(
        PROMPTS, call=answer, limits=limits, out=tmp_path, attributes=["gender"], m=1, generations=1
    )
    assert found.coverage.failures == {"RuntimeError: my model is down for Sh": 2}
    assert list(group_failures(found)) == [
        "gender: failed or too late: 2 of 2 about female, 0 of 2 about male"
    ]
    assert not [one for one in found.comparisons if "refusal" in one.metric]
    for report in ("report.md", "report.html"):
        text = (tmp_path / report).read_text()
        assert "RuntimeError: my model is down for Sh" in text


def test_an_address_where_nobody_answers_is_named_by_its_option(tmp_path: Path) -> None:
    model = ModelToAsk(name="m", base_url="http://127.0.0.1:9/v1")
    limits = AskingLimits(attempts=1, backoff_seconds=0.0)
    told = r"^the model \(http://127.0.0.1:9/v1\): no connection .* set --base-url$"
    with pytest.raises(UpstreamError, match=told):
        guard.assess(PROMPTS, model=model, out=tmp_path, limits=limits)
