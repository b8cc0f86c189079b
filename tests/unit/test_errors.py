"""Errors that cross processes, and their copies."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

from guard import errors
from guard.errors import Blocked, GuardError, TimedOut, UpstreamBusy
from guard.gateway.errors import RefusedRequest
from guard.records import Assessment, Call, Outcome, Verdict

SECONDS = 60
OUTCOME = Outcome(
    call=Call(id="c1", use_case="chat", prompt="Hi."),
    verdict=Verdict.BLOCKED,
    text="",
    reply="You are nasty.",
    assessment=Assessment(),
)
PUBLIC = [
    one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, GuardError)
]
OWN = {
    Blocked: Blocked(OUTCOME),
    UpstreamBusy: UpstreamBusy("ask later", retry_after_seconds=2.5),
}
WAYS: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    *(lambda error, n=n: pickle.loads(pickle.dumps(error, n)) for n in range(6)),
]


def blocked(number: int) -> int:
    """Raises in a worker for 1."""
    if number == 1:
        raise Blocked(OUTCOME)
    return number


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [*PUBLIC, RefusedRequest], ids=lambda one: one.__name__)
def test_every_error_can_be_copied_and_pickled(
    kind: type[GuardError], way: Callable[[Any], Any]
) -> None:
    refused = RefusedRequest(404, "no_model", "there is none", param="model")
    error = {**OWN, RefusedRequest: refused}.get(kind) or kind("what happened")
    error.add_note("a note")
    made = way(error)
    assert type(made) is kind
    assert (str(made), made.args) == (str(error), error.args)
    assert vars(made) == vars(error)


def test_the_errors_with_a_constructor_of_their_own_are_among_those_tried() -> None:
    assert {one for one in PUBLIC if "__init__" in vars(one)} == set(OWN)
    assert TimedOut in PUBLIC


@pytest.mark.parametrize("kind", ["pool", "executor"])
def test_a_withheld_reply_in_a_worker_arrives_and_ends_nothing(kind: str) -> None:
    context = get_context("spawn")
    if kind == "pool":
        with context.Pool(1) as pool:
            answers = [pool.apply_async(blocked, (one,)) for one in range(3)]
            found = [result_of(one.get) for one in answers]
    else:
        with ProcessPoolExecutor(1, mp_context=context) as executor:
            found = [result_of(executor.submit(blocked, one).result) for one in range(3)]
    assert found == [0, OUTCOME, 2]


def result_of(get: Callable[[float], int]) -> int | Outcome:
    """What a worker answered, or the outcome of what it withheld."""
    try:
        return get(SECONDS)
    except Blocked as error:
        return error.outcome
