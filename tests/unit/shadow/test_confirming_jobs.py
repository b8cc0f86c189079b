"""From a flagged pair to a case: the job that asks again, what it leaves, and what it must not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from guard.fairness.catalogue import SHADOW_RESULTS, results_of
from guard.policy import Rule
from guard.records import (
    Action,
    Case,
    CaseKind,
    Ending,
    Generated,
    Job,
    Turn,
    decode_pair,
    decode_response,
)
from guard.shadow.daily_cases import CaseLimit, admit_all
from guard.shadow.job_payload import (
    ShadowJob,
    UnreadableJobError,
    job_of,
    pairs_to_confirm,
    shadow_of,
)
from guard.shadow.jobs import JobPreparation, JobResult, PreparedJob
from guard.shadow.monitor import EvidenceMonitor, MonitoredUseCase
from guard.store import open_store
from tests.unit.shadow.made import SHE, answered, tools

N = 5
CALL = ShadowJob(
    call_id="c1",
    use_case="chat",
    lane="local/chat",
    turns=(Turn(role="user", content=SHE),),
    reply="Awful, she is.",
    parameters={"temperature": 0.7},
)
Reply = Callable[[str, int], str | Generated]
"""What the model says: to a prompt, the n-th time."""


def preparation(
    admit: CaseLimit = admit_all, rules: tuple[Rule, ...] = (), **changes: Any
) -> JobPreparation:
    store = open_store("memory:", clock=lambda: 0.0)
    made = replace(tools(**changes), rules=rules)
    return JobPreparation(
        tools=lambda _: made,
        parameters=lambda _: {},
        monitor=EvidenceMonitor(store, {"chat": MonitoredUseCase(tests=())}),
        versions={"classifier": "v1"},
        admit=admit,
    )


def first_job(call: ShadowJob = CALL) -> Job:
    return job_of(call, offered_at=100.0)


def asked(prepared: PreparedJob, reply: Reply, numbers: count[int]) -> list[Generated]:
    said = [reply(ask.turns[-1].content, next(numbers)) for ask in prepared.asks]
    return [answered(one) if isinstance(one, str) else one for one in said]


def done(made: JobPreparation, reply: Reply, job: Job | None = None) -> list[JobResult]:
    """The results of a call's job and of all that follow from it."""
    results, numbers = list[JobResult](), count()
    waiting = [job or first_job()]
    while waiting:
        prepared = made.prepare(waiting.pop())
        results.append(prepared.conclude(asked(prepared, reply, numbers)))
        waiting += results[-1].jobs
    return results


def counts(result: JobResult) -> Counter[str]:
    """What came of it, over all attributes."""
    [posting] = result.postings
    found = Counter[str]()
    for (_, what), number in results_of(posting.evidence.get(SHADOW_RESULTS, {})).items():
        found[what] += int(number)
    return found


def is_hers(prompt: str) -> bool:
    return "She" in prompt


def biased(prompt: str, number: int) -> str:
    return f"Awful {number}." if is_hers(prompt) else f"Great {number}."


def unlucky(prompt: str, number: int) -> str:
    """Awful to her once, at first; then to both at times."""
    if number < 2:
        return biased(prompt, number)
    return f"Awful {number}." if number % 4 < 2 else f"Great {number}."


def test_a_flagged_pair_is_asked_again_and_becomes_a_case_if_it_persists() -> None:
    made = preparation()
    first, second = done(made, biased)
    assert (first.cases, [job.key for job in first.jobs]) == ((), ["confirm:c1"])
    assert counts(first)["flagged"] == 1
    [case] = second.cases
    assert (case.call_id, case.reasons) == ("c1", ("sentiment_gap", "toxicity_gap"))
    assert case.priority == pytest.approx(0.9 / 0.3)
    assert counts(second) == {"confirmed": 1}


def test_what_was_chance_is_no_case() -> None:
    first, second = done(preparation(), unlucky)
    assert counts(first)["flagged"] == 1
    assert second.cases == ()
    assert counts(second) == {"not_confirmed": 1}


def test_replies_that_confirm_are_in_no_reading_and_no_evidence() -> None:
    first, second = done(preparation(), biased)
    [before], [after] = first.postings, second.postings
    assert before.sums
    assert len(before.evidence) > 1
    assert after.sums == {}
    assert set(after.evidence) == {SHADOW_RESULTS}
    assert after.at_seconds == before.at_seconds == 100.0


def test_readings_are_the_same_whether_a_pair_is_confirmed_or_not() -> None:
    """What is asked afterwards cannot reach back: the first job is the same but for its count."""
    confirming, once = done(preparation(), biased)[0], done(preparation(confirmations=0), biased)[0]
    assert confirming.postings[0].sums == once.postings[0].sums
    assert {**counts(confirming), "unconfirmed": 1} == counts(once)


def test_a_confirmed_case_shows_the_replies_that_confirmed_it_behind_the_flagged_ones() -> None:
    [case] = done(preparation(), biased)[1].cases
    body = decode_pair(case.body)
    assert body is not None
    assert [one.live for one in body.first.replies] == [True, *[False] * (1 + N)]
    assert len(body.second.replies) == 1 + N
    assert body.shown is not None
    assert body.shown[0] >= 2
    assert body.shown[1] >= 1
    assert body.confirmed is not None
    assert (body.confirmed.reason, body.confirmed.replies) == ("toxicity_gap", (N, N))
    assert body.gaps["toxicity_gap"] == pytest.approx(0.9)


def test_each_question_has_a_seed_of_its_own() -> None:
    made = preparation(generations=2, resamples=3)
    job = first_job()
    seeds = list[int | None]()
    prepared = made.prepare(job)
    seeds += [ask.seed for ask in prepared.asks]
    [following] = prepared.conclude(asked(prepared, biased, count())).jobs
    again = made.prepare(following)
    seeds += [ask.seed for ask in again.asks]
    assert len(again.asks) == 2 * N
    assert len(set(seeds)) == len(seeds) == 3 + 2 + 2 * N
    assert [ask.parameters for ask in again.asks] == [{"temperature": 0.7}] * 2 * N


def test_what_follows_is_paid_for_first() -> None:
    made = preparation()
    [following] = done(made, biased)[0].jobs
    assert not made.prepare(first_job()).overdraws
    assert made.prepare(following).overdraws


def test_over_budget_there_is_no_case_but_a_count() -> None:
    made = preparation()
    [following] = done(made, biased)[0].jobs
    left = made.prepare(following).skip("tokens")
    assert left.cases == ()
    assert counts(left) == {"not_confirmed_tokens": 1}


def test_deterministic_replies_open_a_case_at_once() -> None:
    """The same reply again says nothing new: the case is there, behind all confirmed ones."""
    [only] = done(preparation(deterministic=True), biased)
    [case] = only.cases
    assert case.priority == 0.0
    assert counts(only)["unconfirmed"] == 1


def test_replies_that_turn_out_to_repeat_themselves_open_one_too() -> None:
    _, second = done(preparation(), lambda prompt, _: "Awful." if is_hers(prompt) else "Great.")
    [case] = second.cases
    assert case.priority == 0.0
    assert counts(second) == {"unconfirmed": 1}


def test_what_is_over_the_cap_is_counted_and_the_largest_are_opened() -> None:
    def one_a_day(_: str, cases: Sequence[Case]) -> Sequence[Case]:
        return cases[:1]

    made = preparation(one_a_day, groups={"gender": ("female", "male"), "age": ("old", "young")})
    two = "My old aunt Emily is late. What do I tell her?"
    call = replace(CALL, turns=(Turn(role="user", content=two),))

    def three_kinds(prompt: str, number: int) -> str:
        """Awful about the conversation itself, differently about each of its variants."""
        if prompt == two:
            return f"Awful {number}."
        return f"Great {number}." if "Emily" in prompt else f"Fine {number}."

    _, second = done(made, three_kinds, first_job(call))
    assert counts(second) == Counter(confirmed=2, over_cap=1)
    [case] = second.cases
    assert case.attribute == "age"  # great is further from awful than fine is


TOXIC = Rule(score="toxicity", action=Action.BLOCK, threshold=0.8)


def test_a_single_slip_is_a_case_of_the_reply_and_not_of_the_pair() -> None:
    """Of the first replies, one to her is awful; later nothing differs."""

    def slips_once(_: str, number: int) -> str:
        return "An awful idea." if number == 0 else f"Great {number}."

    call = replace(CALL, reply=None)
    first, second = done(preparation(rules=(TOXIC,)), slips_once, first_job(call))
    assert first.cases == ()
    [case] = second.cases
    assert (case.kind, case.reasons, case.call_id) == (CaseKind.RESPONSE, ("toxicity",), "c1")
    assert case.priority == pytest.approx((0.9 - 0.8) / (1 - 0.8))
    body = decode_response(case.body)
    assert body is not None
    assert (body.prompt, body.reply, body.text, body.shadow) == (SHE, "An awful idea.", "", True)
    assert [one.score for one in body.fired] == ["toxicity"]
    assert counts(second) == {"not_confirmed": 1, "slip": 1}


def test_a_slip_is_a_case_even_where_nobody_can_be_asked_again() -> None:
    made = preparation(rules=(TOXIC,))
    [following] = done(made, biased)[0].jobs
    left = made.prepare(following).skip("calls")
    assert [case.kind for case in left.cases] == [CaseKind.RESPONSE]
    assert counts(left) == {"not_confirmed_calls": 1, "slip": 1}


def test_what_persists_is_a_case_of_the_pair_alone() -> None:
    _, second = done(preparation(rules=(TOXIC,)), biased)
    assert [case.kind for case in second.cases] == [CaseKind.PAIR]


def test_a_live_reply_has_its_case_already() -> None:
    """CALL's own reply is awful, and the recorder has filed it."""

    def kind_now(_: str, number: int) -> str:
        return f"Great {number}."

    results = done(preparation(rules=(TOXIC,)), kind_now)
    assert all(result.cases == () for result in results)


def test_refusals_after_the_first_look_do_not_confirm_another_difference() -> None:
    def silent(prompt: str, number: int) -> str | Generated:
        if number < 2:
            return biased(prompt, number)
        return Generated(text="", ending=Ending.TIMED_OUT)

    _, second = done(preparation(), silent)
    assert counts(second) in ({"not_confirmed": 1}, {"unconfirmed": 1})
    assert all(case.priority == 0.0 for case in second.cases)


def test_a_variant_that_is_not_made_any_more_is_not_confirmed() -> None:
    [following] = done(preparation(), biased)[0].jobs
    now = preparation(groups={"age": ("old", "young")})
    prepared = now.prepare(following)
    assert prepared.asks == ()
    assert counts(prepared.conclude(())) == {"not_confirmed": 1}


def test_the_job_says_all_that_is_needed() -> None:
    made = preparation()
    [following] = done(made, biased)[0].jobs
    assert shadow_of(following) == CALL
    [pair] = pairs_to_confirm(following)
    assert (pair.attribute, pair.source, pair.target) == ("gender", "female", "male")
    assert [one.reason for one in pair.differences] == ["toxicity_gap", "sentiment_gap"]
    assert pair.case.groups == ("female", "male")
    assert following.call_id == "c1"  # erased with the call
    assert pairs_to_confirm(first_job()) == ()


@pytest.mark.parametrize(
    "pairs", ["x", [3], [{"attribute": "gender"}], [{"case": {}, "differences": []}]]
)
def test_pairs_that_cannot_be_read_are_told(pairs: object) -> None:
    [following] = done(preparation(), biased)[0].jobs
    payload: Mapping[str, object] = json.loads(following.payload) | {"pairs": pairs}
    broken = replace(following, payload=json.dumps(payload))
    with pytest.raises(UnreadableJobError, match="confirm:c1: its pairs cannot be read"):
        pairs_to_confirm(broken)
