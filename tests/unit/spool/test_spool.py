"""The spool takes records, keeps them whole, and refuses quietly what it cannot keep."""

from __future__ import annotations

import errno
import logging
import os
import shutil
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.records import Case, CaseKind, Posting
from guard.store.sender import BatchSender
from guard.store.spool.format import (
    decode_record,
    encode_record,
    find_frame,
    read_frames,
    to_frame,
)
from guard.store.spool.journal import Segment

CASE = Case(
    id="pair-1",
    kind=CaseKind.PAIR,
    use_case="chat",
    call_id="c1",
    reasons=("similarity", "toxicity"),
    opened_at=2.5,
    body='{"replies": ["a", "b"]}',
    attribute="gender",
    groups=("female", "male"),
    reviewers=2,
)
POSTING = Posting(
    use_case="chat",
    at_seconds=61.25,
    sums={"n": 1.0, "toxicity|sum": 0.1},
    evidence={"epoch-1": {"n": 2.0}},
)
SEGMENT = "00000000000000000000.log"


def shipped(spool, ledger) -> list[str]:
    """The keys of all jobs in the spool, carried to the ledger."""
    sender = BatchSender(spool, ledger, batch_bytes=4096, clock=lambda: 0.0)
    while sender.send_next():
        pass
    return ledger.keys


def files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "spool").rglob("*.log"))


def crash(spool) -> None:
    """Let go of the spool's files and locks as a killed process does."""
    for journal in spool.journals():
        journal.close()


@pytest.mark.parametrize("record", [CASE, POSTING], ids=["case", "posting"])
def test_a_record_comes_back_as_it_went(record) -> None:
    assert decode_record(encode_record(record)) == record


def test_text_that_is_no_unicode_survives(make_job) -> None:
    job = make_job("a", payload="\ud800 \x00 \n \u2028 \U0001f600")
    assert decode_record(encode_record(job)) == job


def test_a_mapping_of_any_kind_is_kept() -> None:
    posting = Posting(use_case="u", at_seconds=0.0, sums=MappingProxyType({"n": 1.0}))
    assert decode_record(encode_record(posting)).sums == {"n": 1.0}


@pytest.mark.parametrize(
    "payload", [b"[]", b'{"wish": {}}', b'{"job": {"key": "a"}}', b'{"job": 1}', b'{"case": {}}']
)
def test_what_is_no_record_is_a_value_error(payload) -> None:
    with pytest.raises(ValueError, match="not a record of this version"):
        decode_record(payload)


def test_frames_end_where_the_first_is_damaged() -> None:
    data = to_frame(b"one") + to_frame(b"two") + to_frame(b"three")
    damaged = data.replace(b"two", b"twe")
    assert [payload for _, payload in read_frames(data)] == [b"one", b"two", b"three"]
    assert [payload for _, payload in read_frames(damaged)] == [b"one"]


@given(
    payloads=st.lists(st.binary(max_size=30).map(lambda one: one.replace(b"\n", b"")), max_size=5),
    rubbish=st.binary(max_size=80),
)
def test_the_next_frame_is_found_behind_anything(payloads: list[bytes], rubbish: bytes) -> None:
    frames = b"".join(to_frame(payload) for payload in payloads)
    data = rubbish + b"\n" + frames
    found = find_frame(data)
    assert found == (len(rubbish) + 1 if payloads else None)
    assert [payload for _, payload in read_frames(data[found or 0 :])] == payloads


@pytest.mark.parametrize("tail", [b"\0" * 40, b"-0000013 00000000 \n", b"ffffffff", b"zz" * 20])
def test_rubbish_is_no_frame(tail) -> None:
    assert [payload for _, payload in read_frames(to_frame(b"one") + tail)] == [b"one"]


def test_records_come_out_in_order(open_spool, ledger, make_job) -> None:
    spool = open_spool()
    assert all(spool.put(make_job(number)) for number in range(100))
    assert shipped(spool, ledger) == [str(number) for number in range(100)]
    assert spool.spooled == 100


def leave_damaged(spool, make_job, path: Path, *, at: int) -> list[bytes]:
    """Leave records a to d, b with one bit flipped, and half a one; the lines before that."""
    for key in "abcd":
        spool.put(make_job(key))
    spool.close(lambda spool_id: 0)
    lines = path.read_bytes().splitlines(keepends=True)
    damaged = bytearray(lines[1])
    damaged[at] ^= 1
    path.write_bytes(lines[0] + damaged + b"".join(lines[2:]) + b"0000")
    return lines


@pytest.mark.parametrize("at", [0, 3, 7, 8, 12, 60, -1])
def test_a_damaged_byte_loses_no_record_behind_it(
    open_spool, ledger, make_job, tmp_path, at
) -> None:
    """The last byte parts two records, which are lost both."""
    lines = leave_damaged(open_spool(), make_job, tmp_path / "spool/s0" / SEGMENT, at=at)
    sender = BatchSender(open_spool(), ledger, batch_bytes=4096, clock=lambda: 0.0)
    while sender.send_next():
        pass
    lost = "bc" if at == -1 else "b"
    assert ledger.keys == [key for key in "abcd" if key not in lost]
    assert sender.dropped == 1
    assert sender.cut_bytes == sum(len(line) for line in lines[1 : 1 + len(lost)]) + 4


@pytest.mark.parametrize("rubbish", [b"\0", b"x\n", b"7fffffff 00000000 x"])
def test_much_rubbish_is_passed_over_a_part_at_a_time(
    rubbish: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("guard.store.spool.journal.LONGEST_FRAME_BYTES", 100)
    path, frame = tmp_path / SEGMENT, to_frame(b"whole")
    path.write_bytes(rubbish * 1000 + b"\n" + frame)
    segment, position, cut, found = Segment.adopt(path), 0, 0, list[bytes]()
    while position < segment.end:
        chunk = segment.read(position, 4096)
        assert len(chunk.payloads) or 0 < chunk.cut_bytes <= 200
        position, cut = chunk.end, cut + chunk.cut_bytes
        found += chunk.payloads
    assert (found, cut) == ([b"whole"], len(rubbish) * 1000 + 1)


def test_a_record_too_large_for_any_frame_is_refused(
    open_spool, make_job, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("guard.store.spool.LONGEST_FRAME_BYTES", 10)
    spool = open_spool()
    assert not spool.put(make_job("one"))
    assert spool.dropped == 1
    assert "cannot hold a Job of" in caplog.text


def test_what_is_damaged_is_told_from_what_is_torn(
    open_spool, ledger, make_job, tmp_path, caplog
) -> None:
    lines = leave_damaged(open_spool(), make_job, tmp_path / "spool/s0" / SEGMENT, at=30)
    assert shipped(open_spool(), ledger) == ["a", "c", "d"]
    assert [(one.levelname, one.getMessage()) for one in caplog.records] == [
        ("ERROR", f"spool s0: damaged lines, dropped: 1 ({len(lines[1])} bytes)"),
        ("WARNING", "spool s0: 4 torn bytes are cut"),
    ]


@pytest.mark.parametrize(
    "other",
    [
        Path("00000000000000009999.log/folder"),
        Path("debug.log"),
        Path("-5.log"),
        Path("5.log"),
        Path("²².log"),
        Path("99999999999999999999.log"),
        Path("09223372036854775807.log"),
        Path("00009007199254740990.log"),
        Path("999999999999999999999.log"),
    ],
    ids=str,
)
def test_what_is_not_ours_among_the_files_is_left_out(
    open_spool, ledger, make_job, tmp_path, other
) -> None:
    left = open_spool()
    left.put(make_job("a"))
    left.close(lambda spool_id: 0)
    made = tmp_path / "spool" / "s0" / other
    made.parent.mkdir(exist_ok=True)
    made.write_text("not ours")
    spool = open_spool()
    spool.put(make_job("b"))
    assert shipped(spool, ledger) == ["a", "b"]
    assert spool.waiting_bytes(lambda spool_id: ledger.positions[spool_id]) == 0
    assert made.read_text() == "not ours"


def test_a_folder_that_no_store_can_name_holds_up_nothing(
    open_spool, ledger, make_job, tmp_path
) -> None:
    left = open_spool()
    left.put(make_job("a"))
    left.close(lambda spool_id: 0)
    other = tmp_path / "spool" / os.fsdecode(b"\xff")
    shutil.copytree(tmp_path / "spool" / "s0", other)
    assert [journal.id for journal in open_spool().journals()] == ["s0"]
    assert (other / SEGMENT).is_file()


def test_a_record_larger_than_a_batch_is_shipped(open_spool, ledger, make_job) -> None:
    spool = open_spool()
    for key, size in (("a", 10), ("b", 50_000), ("c", 10)):
        assert spool.put(make_job(key, "x" * size))
    assert shipped(spool, ledger) == ["a", "b", "c"]


def test_a_full_spool_drops_and_counts_until_something_is_shipped(
    open_spool, ledger, make_job, caplog
) -> None:
    spool = open_spool(max_bytes=4096)
    taken = [spool.put(make_job(number, "x" * 100)) for number in range(30)]
    assert taken == sorted(taken, reverse=True)
    assert spool.dropped == taken.count(False) > 0
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "is full: 4096 bytes (`store.spool_mb`)" in caplog.text
    assert len(shipped(spool, ledger)) == taken.count(True)
    assert spool.put(make_job("again"))
    assert "takes records again" in caplog.text


def test_long_texts_leave_room_for_what_is_counted(open_spool, ledger, make_job) -> None:
    spool = open_spool(max_bytes=400_000)
    taken = [spool.put(make_job(number, "x" * 40_000)) for number in range(12)]
    assert taken.count(True) == 7
    assert all(spool.put(make_job(f"small {number}", "x")) for number in range(300))
    assert len(shipped(spool, ledger)) == 307


def test_the_disk_never_holds_more_than_the_bound(open_spool, ledger, make_job, tmp_path) -> None:
    spool = open_spool(max_bytes=4096)
    sender = BatchSender(spool, ledger, batch_bytes=512, clock=lambda: 0.0)
    for number in range(300):
        spool.put(make_job(number, "x" * (number % 90)))
        if number % 7 == 0:
            sender.send_next()
        assert sum(path.stat().st_size for path in files(tmp_path)) <= 4096
    assert ledger.keys == sorted(ledger.keys, key=int)


def test_tidying_leaves_no_shipped_text(open_spool, ledger, make_job, tmp_path) -> None:
    spool = open_spool()
    sender = BatchSender(spool, ledger, batch_bytes=4096, clock=lambda: 0.0)
    spool.tidy(sender.shipped_to)
    spool.put(make_job("a", "a private prompt"))
    spool.tidy(sender.shipped_to)
    assert spool.holds_texts()
    sender.send_next()
    spool.tidy(sender.shipped_to)
    assert not spool.holds_texts()
    assert [path.read_bytes() for path in files(tmp_path)] == [b""]
    spool.put(make_job("b"))
    sender.send_next()
    assert ledger.keys == ["a", "b"]


def test_only_the_owner_may_read(open_spool, make_job, tmp_path) -> None:
    spool = open_spool()
    spool.put(make_job("a"))
    (path,) = files(tmp_path)
    assert path.stat().st_mode & 0o077 == path.parent.stat().st_mode & 0o077 == 0


def test_sums_that_are_no_numbers_are_dropped(open_spool, caplog) -> None:
    spool = open_spool()
    assert not spool.put(Posting(use_case="u", at_seconds=0.0, sums={"n": float("nan")}))
    assert spool.dropped == 1
    assert "cannot hold this Posting" in caplog.text


def test_what_a_dead_process_left_is_adopted(open_spool, ledger, make_job, tmp_path) -> None:
    first = open_spool()
    first.put(make_job("a"))
    crash(first)
    second = open_spool()
    second.put(make_job("b"))
    assert shipped(second, ledger) == ["a", "b"]
    assert not (tmp_path / "spool" / "s0").exists()


def test_what_a_process_left_that_died_later_is_adopted(open_spool, ledger, make_job) -> None:
    first, second = open_spool(), open_spool()
    first.put(make_job("a"))
    second.put(make_job("b"))
    second.adopt()
    assert shipped(second, ledger) == ["b"]
    crash(first)
    second.adopt()
    second.adopt()
    assert shipped(second, ledger) == ["b", "a"]
    first, third = open_spool(), open_spool()
    first.put(make_job("c"))
    crash(first)
    third.close(lambda spool_id: 0)
    third.adopt()
    assert shipped(open_spool(), ledger) == ["b", "a", "c"]


def test_what_a_living_process_has_is_left_alone(open_spool, ledger, make_job) -> None:
    first = open_spool()
    first.put(make_job("a"))
    second = open_spool()
    assert shipped(second, ledger) == []
    assert shipped(first, ledger) == ["a"]


def test_adoption_begins_where_the_store_is(open_spool, ledger, make_job) -> None:
    first = open_spool()
    first.put(make_job("a"))
    BatchSender(first, ledger, batch_bytes=4096, clock=lambda: 0.0).send_next()
    first.put(make_job("b"))
    crash(first)
    assert shipped(open_spool(), ledger) == ["a", "b"]


def test_adopted_records_count_towards_the_bound(open_spool, ledger, make_job) -> None:
    first = open_spool(max_bytes=4096)
    while first.put(make_job("a", "x" * 50)):
        pass
    crash(first)
    second = open_spool(max_bytes=4096)
    assert not second.put(make_job("b", "x" * 50))
    shipped(second, ledger)
    assert second.put(make_job("b", "x" * 50))


def test_closing_leaves_what_was_not_shipped(open_spool, ledger, make_job, tmp_path) -> None:
    spool = open_spool()
    spool.put(make_job("a"))
    spool.close(lambda spool_id: 0)
    assert not spool.put(make_job("b"))
    assert shipped(open_spool(), ledger) == ["a"]
    assert list((tmp_path / "spool").iterdir()) == []


def test_closing_removes_what_was_shipped(open_spool, make_job, tmp_path) -> None:
    spool = open_spool()
    spool.put(make_job("a"))
    spool.close(lambda spool_id: 10_000)
    assert list((tmp_path / "spool").iterdir()) == []


def test_a_folder_that_cannot_be_made_drops_and_counts(tmp_path, open_spool, make_job, caplog):
    (tmp_path / "spool").write_text("a file is in the way")
    spool = open_spool()
    assert [spool.put(make_job(number)) for number in range(3)] == [False] * 3
    assert spool.dropped == 3
    assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]
    assert "cannot be read" in caplog.records[0].message
    assert str(tmp_path / "spool") in caplog.records[1].message


def test_a_removed_folder_is_made_anew_and_nothing_is_lost(
    tmp_path, open_spool, ledger, make_job
) -> None:
    spool = open_spool()
    spool.put(make_job("a"))
    shutil.rmtree(tmp_path / "spool")
    assert spool.put(make_job("b"))
    assert shipped(spool, ledger) == ["a", "b"]
    assert spool.put(make_job("c"))
    assert shipped(spool, ledger) == ["a", "b", "c"]


def test_a_full_disk_drops_counts_and_recovers(
    open_spool, ledger, make_job, monkeypatch, caplog
) -> None:
    spool, write, taken = open_spool(), os.write, [10, None]

    def short(descriptor: int, data: bytes) -> int:
        """Ten bytes fit, then none."""
        if (room := taken.pop(0)) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[:room])

    spool.put(make_job("a"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", short)
        assert not spool.put(make_job("b"))
        assert not spool.put(make_job("c"))
    assert spool.put(make_job("d"))
    assert shipped(spool, ledger) == ["a", "d"]
    assert spool.dropped == 2
    assert len([r for r in caplog.records if r.levelno == logging.ERROR]) == 1


def test_half_a_record_that_cannot_be_cut_is_left_behind(
    open_spool, ledger, make_job, monkeypatch
) -> None:
    spool, write = open_spool(), os.write

    def refuse(descriptor: int, size: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    spool.put(make_job("a"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:10]))
        patch.setattr(os, "ftruncate", refuse)
        assert not spool.put(make_job("b"))
    assert spool.put(make_job("c"))
    crash(spool)
    adopting = open_spool()
    assert shipped(adopting, ledger) == ["a", "c"]


def test_a_folder_that_is_no_spool_is_reported_and_left(open_spool, tmp_path, caplog) -> None:
    other = tmp_path / "spool" / "other"
    other.mkdir(parents=True)
    (other / "lock").write_text("")
    (other / "readme.log").write_text("not ours")
    assert open_spool().journals() == ()
    assert "cannot be adopted" in caplog.text
    assert (other / "readme.log").exists()


def test_what_a_dying_process_left_empty_is_removed(open_spool, tmp_path) -> None:
    (tmp_path / "spool" / "s9").mkdir(parents=True)
    open_spool()
    assert list((tmp_path / "spool").iterdir()) == []


def test_segments_say_where_they_are(tmp_path) -> None:
    segment = Segment.create(tmp_path, 100)
    segment.append(to_frame(b"one"))
    assert (segment.start, segment.end) == (100, 122)
    assert segment.read(100, 4096).payloads == (b"one",)
    assert not segment.removed
    segment.remove()
    assert list(tmp_path.iterdir()) == []
