"""Which worker accepts from which socket."""

import resource

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.gateway.processes.supervisor import announce_limit, shared_out


@pytest.mark.parametrize(
    ("accepting", "numbers"),
    [
        ([True], [(0,)]),
        ([False], [()]),
        ([True, True], [(0,), (1,)]),
        ([True, False], [(0, 1), ()]),
        ([False, True, True, False], [(), (0, 1), (2, 3), ()]),
        ([False, False], [(), ()]),
    ],
)
def test_sockets_without_a_worker_go_to_the_others(
    accepting: list[bool], numbers: list[tuple[int, ...]]
) -> None:
    assert list(shared_out(accepting)) == numbers


@given(st.lists(st.booleans(), min_size=1, max_size=9).filter(any))
def test_each_socket_has_one_worker_that_accepts(accepting: list[bool]) -> None:
    given_out = shared_out(accepting)
    assert sorted(n for numbers in given_out for n in numbers) == list(range(len(accepting)))
    for able, numbers, own in zip(accepting, given_out, range(len(accepting)), strict=True):
        assert (own in numbers) is able
        assert able or not numbers


def test_fewer_connections_than_the_settings_ask_for_are_announced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 1024))
    said: list[str] = []
    announce_limit(4096, said.append)
    announce_limit(341, said.append)
    assert said == [
        "each worker takes 341 connections instead of 4096 (gateway.connections), a third of"
        " the files that it may have open (ulimit -Hn)"
    ]
