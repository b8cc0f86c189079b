"""Drafts of dead processes: shipped, or replaced by calls that go on with them, but not both."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from guard.errors import StoreError
from guard.store.sender import CLAIMED_SECONDS, LEFT_SECONDS, BatchSender
from guard.store.spool import Spool
from tests.unit.spool.conftest import Ledger
from tests.unit.spool.test_drafts import (
    STREAM,
    Time,
    crash,
    job,
    left_files,
    make_draft,
    records_of,
    send_all,
    sender_of,
    ship,
    sums,
)


@pytest.fixture
def time() -> Time:
    return Time()


def adopted(open_spool: Callable[..., Spool], *names: str, max_bytes: int = 2**20) -> Spool:
    """A spool of a process that finds drafts with these names, which say "Good" in streams of their
    own; that of the first is `STREAM`."""
    dead = open_spool()
    for number, name in enumerate(names):
        stream = ("chat", f"call-{number}") if number else STREAM
        dead.put_draft(replace(make_draft(name), stream=stream))
    crash(dead)
    return open_spool(max_bytes)


def wait_until_due(sender: BatchSender, time: Time) -> None:
    send_all(sender)
    time.now += LEFT_SECONDS


def test_a_draft_that_is_on_its_way_is_not_replaced(open_spool, ledger: Ledger, time) -> None:
    spool = adopted(open_spool, "a")
    sender = sender_of(spool, ledger, time)
    wait_until_due(sender, time)
    ledger.failures = [StoreError("away")]
    with pytest.raises(StoreError):
        sender.send_next()
    assert spool.replace_left(STREAM, ["Good morning"]) == ""
    send_all(sender)
    assert ledger.keys == ["a"]


def test_a_draft_that_was_shipped_is_not_replaced(open_spool, ledger: Ledger, time) -> None:
    spool = adopted(open_spool, "a", "c")
    sender = sender_of(spool, ledger, time)
    wait_until_due(sender, time)
    sender.send_next()
    assert ledger.keys == ["a"]
    assert spool.replace_left(STREAM, ["Good morning"]) == ""
    assert spool.replace_left(("chat", "call-1"), ["Good morning"]) == "c"


def test_a_draft_that_an_earlier_process_has_shipped_is_not_replaced(
    open_spool, ledger: Ledger, time
) -> None:
    killed = adopted(open_spool, "a", "c")
    sender = sender_of(killed, ledger, time)
    wait_until_due(sender, time)
    sender.send_next()
    crash(killed)
    spool = open_spool()
    send_all(sender_of(spool, ledger, time))
    assert spool.replace_left(STREAM, ["Good morning"]) == ""


def test_a_draft_waits_while_the_one_that_replaces_it_is_not_written(
    open_spool, ledger: Ledger, time, tmp_path: Path
) -> None:
    spool = adopted(open_spool, "a")
    sender = sender_of(spool, ledger, time)
    send_all(sender)
    assert spool.replace_left(STREAM, ["Good morning"]) == "a"
    time.now += LEFT_SECONDS
    send_all(sender)
    assert sender.due_at == time.now + CLAIMED_SECONDS
    assert left_files(tmp_path)
    crash(spool)
    ship(open_spool(), ledger, time)
    assert sums(ledger) == {"n-a": 1.0}


def test_a_draft_goes_once_the_one_that_replaces_it_is_written(
    open_spool, ledger: Ledger, time, tmp_path: Path
) -> None:
    spool = adopted(open_spool, "a")
    sender = sender_of(spool, ledger, time)
    spool.replace_left(STREAM, ["Good morning"])
    wait_until_due(sender, time)
    send_all(sender)
    spool.put_draft(make_draft("b", "Good morning", replaces="a"))
    time.now += CLAIMED_SECONDS
    send_all(sender)
    spool.finish("b", records_of("b"))
    send_all(sender)
    assert sums(ledger) == {"n-b": 1.0}
    spool.close(sender.shipped_to)
    assert left_files(tmp_path) == []


@pytest.mark.parametrize("dies", [False, True])
def test_a_draft_that_is_dropped_is_not_shipped(
    open_spool, ledger: Ledger, time, tmp_path: Path, dies: bool
) -> None:
    spool = adopted(open_spool, "a")
    spool.replace_left(STREAM, ["Good morning"])
    spool.finish("a", ())
    if dies:
        crash(spool)
        spool = open_spool()
    ship(spool, ledger, time)
    assert ledger.batches == []
    spool.close(lambda _: 2**53)
    assert left_files(tmp_path) == []


def test_a_draft_whose_drop_finds_no_room_is_recorded_by_whoever_dropped_it(
    open_spool, ledger: Ledger, time
) -> None:
    spool = adopted(open_spool, "a", max_bytes=1)
    assert spool.replace_left(STREAM, ["Good morning"]) == "a"
    assert not spool.put_draft(make_draft("b", "Good morning", replaces="a"))
    assert not spool.finish("a", ())
    ship(spool, ledger, time)
    assert ledger.batches == []


@pytest.mark.parametrize("ends", [crash, lambda spool: spool.close(lambda _: 0)])
def test_a_draft_that_was_replaced_by_one_that_is_shipped_is_not_shipped_by_others(
    open_spool, ledger: Ledger, time, ends
) -> None:
    """The files that say so are kept for as long as those of the draft."""
    spool = adopted(open_spool, "a", "c")
    sender = sender_of(spool, ledger, time)
    spool.replace_left(STREAM, ["Good morning"])
    spool.put_draft(make_draft("b", "Good morning", replaces="a"))
    spool.finish("b", records_of("b"))
    send_all(sender)
    spool.tidy(sender.shipped_to)
    ends(spool)
    for _ in range(3):
        spool = open_spool()
        send_all(sender_of(spool, ledger, time))
        crash(spool)
    ship(open_spool(), ledger, time)
    assert sums(ledger) == {"n-b": 1.0, "n-c": 1.0}


def test_no_file_is_kept_for_a_draft_whose_files_somebody_took_away(
    open_spool, ledger: Ledger, time, tmp_path: Path
) -> None:
    spool = adopted(open_spool, "a")
    sender = sender_of(spool, ledger, time)
    send_all(sender)
    spool.replace_left(STREAM, ["Good morning"])
    spool.put_draft(make_draft("b", "Good morning", replaces="a"))
    spool.finish("b", records_of("b"))
    send_all(sender)
    spool.tidy(sender.shipped_to)
    assert spool.holds_texts()
    left_files(tmp_path)[0].unlink()
    spool.tidy(sender.shipped_to)
    assert not spool.holds_texts()


def test_a_process_that_ends_leaves_no_file_of_a_draft_that_was_replaced(
    open_spool, ledger: Ledger, time, tmp_path: Path
) -> None:
    spool = adopted(open_spool, "a")
    sender = sender_of(spool, ledger, time)
    send_all(sender)
    spool.replace_left(STREAM, ["Good morning"])
    spool.put_draft(make_draft("b", "Good morning", replaces="a"))
    spool.finish("b", records_of("b"))
    send_all(sender)
    spool.close(sender.shipped_to)
    assert sums(ledger) == {"n-b": 1.0}
    assert left_files(tmp_path) == []


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_chain_of_drafts_is_shipped_once_and_leaves_nothing(
    open_spool, ledger: Ledger, time, tmp_path: Path, order
) -> None:
    """order: in which the journals are found, whatever their age."""
    spools, before = [open_spool()], ""
    for name in "abc":
        spools[-1].put(job(f"beside {name}"))
        spools[-1].put_draft(make_draft(name, replaces=before))
        before = name
        spools.append(open_spool())
    for spool in spools:
        crash(spool)
    for age, folder in zip(order, sorted((tmp_path / "spool").iterdir()), strict=False):
        os.utime(folder, (age, age))
    ship(open_spool(), ledger, time)
    assert sums(ledger) == {"n-c": 1.0}
    assert left_files(tmp_path) == []
