"""Asking a model: each question once, within a budget, again where it failed, also after a kill."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from guard.assessment.generation import (
    AskingLimits,
    Enquiry,
    Interview,
    KeptReplies,
    enquiry,
    estimate,
)
from guard.errors import StoreError, UpstreamBusy, UpstreamError
from guard.records import Ask, Ending, Generated, Turn
from guard.store.reply_cache import ReplyCache


def asks(count: int, **changed: object) -> list[Enquiry]:
    turns = (Turn(role="user", content="how? \ud800"),)
    return [enquiry("m", Ask(turns=turns, seed=n, **changed), n) for n in range(count)]  # type: ignore[arg-type]


class ScriptedUpstream:
    """Answers from a script, then says its seed. Counts what it was asked."""

    def __init__(self, *script: Generated | Exception) -> None:
        self.script = list(script)
        self.asked: Counter[int | None] = Counter()
        self.open = self.most_open = 0

    async def generate(self, ask: Ask) -> Generated:
        self.asked[ask.seed] += 1
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        await asyncio.sleep(0)
        self.open -= 1
        step = self.script.pop(0) if self.script else None
        if isinstance(step, Exception):
            raise step
        return step or Generated(text=f"{ask.seed} \ud800\x00", ending=Ending.ANSWERED, tokens=5)


class Pauses:
    """Takes no time, and remembers how long it would have been."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def opened(folder: Path) -> ReplyCache:
    return ReplyCache(folder / "replies.sqlite")


async def interview(
    upstream: ScriptedUpstream,
    cache: KeptReplies,
    enquiries: list[Enquiry],
    limits: AskingLimits | None = None,
    pauses: Pauses | None = None,
) -> object:
    made = Interview(upstream, cache, limits or AskingLimits(), sleep=pauses or Pauses())
    return await made.ask_all(enquiries)


async def test_every_question_is_asked_once_and_kept(tmp_path: Path) -> None:
    cache, upstream, wanted = opened(tmp_path), ScriptedUpstream(), asks(20)
    assert estimate(wanted, cache).calls == 20
    counts = await interview(upstream, cache, wanted, AskingLimits(concurrency=4))
    assert (counts.asked, counts.kept, counts.tokens) == (20, 0, 100)  # type: ignore[attr-defined]
    assert upstream.most_open == 4
    cache.close()
    again = opened(tmp_path)
    assert estimate(wanted, again).kept == 20
    assert (await interview(upstream, again, wanted)).kept == 20  # type: ignore[attr-defined]
    assert set(upstream.asked.values()) == {1}
    assert again.get(wanted[3].key) == Generated(
        text="3 \ud800\x00", ending=Ending.ANSWERED, tokens=5
    )


@pytest.mark.parametrize("killed_after", [0, 1, 7, 19])
async def test_a_run_that_is_killed_goes_on_and_asks_nothing_twice(
    tmp_path: Path, killed_after: int
) -> None:
    answers = [Generated(text="a", ending=Ending.ANSWERED)] * killed_after
    upstream = ScriptedUpstream(*answers, UpstreamError("killed"))
    first = opened(tmp_path)
    with pytest.raises(UpstreamError, match="killed"):
        await interview(upstream, first, asks(20), AskingLimits(concurrency=1))
    upstream.asked.clear()
    second = opened(tmp_path)  # the first one was never closed
    kept = {one.ask.seed for one in asks(20) if second.get(one.key) is not None}
    await interview(upstream, second, asks(20))
    assert len(kept) == killed_after
    assert set(upstream.asked) == set(range(20)) - kept


async def test_what_fails_is_asked_again_with_longer_pauses_and_then_kept(tmp_path: Path) -> None:
    late = Generated(text="", ending=Ending.TIMED_OUT)
    pauses, upstream = Pauses(), ScriptedUpstream(late, late, late)
    cache = opened(tmp_path)
    counts = await interview(upstream, cache, asks(1), AskingLimits(attempts=3), pauses)
    assert pauses.seconds == [1.0, 2.0]
    assert counts.failed == 1  # type: ignore[attr-defined]
    assert cache.get(asks(1)[0].key) == late
    again = AskingLimits(retry_failed=True)
    assert estimate(asks(1), cache).calls == 0
    assert estimate(asks(1), cache, retry_failed=True).calls == 1
    assert (await interview(upstream, cache, asks(1), again)).asked == 1  # type: ignore[attr-defined]


BUSY = UpstreamBusy("busy")
TOLD = UpstreamBusy("busy", retry_after_seconds=7)


async def test_a_busy_model_is_left_alone_for_as_long_as_it_says(tmp_path: Path) -> None:
    pauses = Pauses()
    counts = await interview(ScriptedUpstream(TOLD), opened(tmp_path), asks(1), pauses=pauses)
    assert pauses.seconds == [7]
    assert counts.asked == 1  # type: ignore[attr-defined]


async def test_a_model_that_is_busy_for_long_is_asked_on(tmp_path: Path) -> None:
    """All questions wait together, longer and longer, and each is answered in the end."""
    pauses, upstream = Pauses(), ScriptedUpstream(*[TOLD] * 40)
    limits = AskingLimits(concurrency=4, calls=20)
    counts = await interview(upstream, opened(tmp_path), asks(20), limits, pauses)
    assert counts.asked == 20  # type: ignore[attr-defined]
    assert len(pauses.seconds) == 10
    assert pauses.seconds[:6] == [7, 7, 7, 8, 16, 32]


@pytest.mark.parametrize(
    ("answer", "waits"),
    [(BUSY, 3), (TOLD, 11), (UpstreamBusy("busy", retry_after_seconds=1e9), 0)],
)
async def test_no_model_is_waited_for_without_end(
    tmp_path: Path, answer: UpstreamBusy, waits: int
) -> None:
    pauses, limits = Pauses(), AskingLimits(patience_seconds=400)
    with pytest.raises(UpstreamBusy):
        await interview(ScriptedUpstream(*[answer] * 99), opened(tmp_path), asks(2), limits, pauses)
    assert len(pauses.seconds) <= waits


async def test_each_attempt_is_a_call(tmp_path: Path) -> None:
    late = Generated(text="", ending=Ending.TIMED_OUT)
    upstream, cache = ScriptedUpstream(*[late] * 9), opened(tmp_path)
    limits = AskingLimits(concurrency=1, attempts=3, calls=4)
    counts = await interview(upstream, cache, asks(5), limits, Pauses())
    assert upstream.asked.total() == 4
    assert (counts.asked, counts.failed, counts.left) == (2, 2, 3)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("told", "limit", "counted"),
    [(0, None, 3), (5, None, 5), (10**30, None, 129_008), (10**30, 50, 1_058)],
)
async def test_a_server_may_not_claim_any_number_of_tokens(
    tmp_path: Path, told: int, limit: int | None, counted: int
) -> None:
    upstream = ScriptedUpstream(Generated(text="ok", ending=Ending.ANSWERED, tokens=told))
    parameters = {} if limit is None else {"max_tokens": limit}
    cache, questions = opened(tmp_path), asks(1, parameters=parameters)
    counts = await interview(upstream, cache, questions)
    kept = cache.get(questions[0].key)
    assert kept is not None
    assert counts.tokens == (kept.tokens or 3) == counted  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "limits", [AskingLimits(calls=5, concurrency=3), AskingLimits(tokens=25, concurrency=1)]
)
async def test_no_more_is_asked_than_the_budget_covers(
    tmp_path: Path, limits: AskingLimits
) -> None:
    upstream = ScriptedUpstream()
    counts = await interview(upstream, opened(tmp_path), asks(20), limits)
    assert 4 <= upstream.asked.total() <= 5
    assert counts.left == 20 - upstream.asked.total()  # type: ignore[attr-defined]


def test_everything_that_matters_makes_another_key() -> None:
    turns = (Turn(role="user", content="p"),)
    plain = Ask(turns=turns)
    others = [
        enquiry("other", plain, 0),
        enquiry("m", plain, 1),
        enquiry("m", Ask(turns=turns, seed=1), 0),
        enquiry("m", Ask(turns=turns, parameters={"temperature": 1}), 0),
        enquiry("m", Ask(turns=turns, as_messages=True), 0),
        enquiry("m", Ask(turns=(Turn(role="system", content="p"),)), 0),
    ]
    keys = {enquiry("m", plain, 0).key, *(one.key for one in others)}
    assert len(keys) == 7


def test_the_estimate_knows_the_limit_of_a_reply(tmp_path: Path) -> None:
    found = estimate(asks(2, parameters={"max_tokens": 10}), opened(tmp_path))
    assert (found.calls, found.reply_tokens) == (2, 20)


def test_a_file_that_is_none_of_ours_is_named(tmp_path: Path) -> None:
    (tmp_path / "replies.sqlite").write_text("no database " * 100)
    with pytest.raises(StoreError, match=r"replies\.sqlite: .*setting --out"):
        opened(tmp_path)


FAILED = Generated(text="", ending=Ending.FAILED, detail="ValueError: my\x1b[2J model\nis down")


def prompts(count: int) -> list[Enquiry]:
    texts = (Turn(role="user", content=f"how {n}?") for n in range(count))
    return [enquiry("m", Ask(turns=(one,)), 0) for one in texts]


async def test_a_model_that_never_answers_is_not_asked_on_and_on(tmp_path: Path) -> None:
    cache, upstream = opened(tmp_path), ScriptedUpstream(*[FAILED] * 999)
    limits = AskingLimits(concurrency=3, attempts=2)
    with pytest.raises(UpstreamError, match=r"no reply to any of .*: my \[2J model is down; mend"):
        await interview(upstream, cache, prompts(50), limits)
    assert upstream.asked.total() <= 3 * 2 * 2
    assert cache.get(prompts(1)[0].key) == FAILED


async def test_one_prompt_that_always_fails_does_not_end_the_run(tmp_path: Path) -> None:
    cache, upstream = opened(tmp_path), ScriptedUpstream(*[FAILED] * 20)
    limits = AskingLimits(concurrency=2, attempts=2)
    counts = await interview(upstream, cache, [*asks(10), *prompts(3)], limits)
    told = (counts.lost, counts.done, counts.reason)  # type: ignore[attr-defined]
    assert told == (10, 13, "ValueError: my [2J model is down")
    again = await interview(upstream, cache, [*asks(10), *prompts(3)], limits)
    assert (again.kept, again.lost) == (13, 10)  # type: ignore[attr-defined]
