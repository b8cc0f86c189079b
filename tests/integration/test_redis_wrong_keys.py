"""Redis keys and fields that hold something else: one wrong case, and numbers that all share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from redis import Redis

from guard.errors import StoreError
from guard.ports import Store
from guard.records import Batch, Case, CaseFilter, CaseKind, CaseState, Job, Position, Posting, Vote
from guard.store import open_store
from tests.servers import RedisServer

ROOT = "{wrong}"
WRONG = "case-2"
SPOOL = "s"
REVIEWER = "ann"


@pytest.fixture
def redis(redis_server: RedisServer) -> Iterator[Redis]:
    with Redis(port=redis_server.port, decode_responses=True) as client:
        yield client
        client.delete(*client.keys(f"{ROOT}:*"))


@pytest.fixture
def store(redis_server: RedisServer, redis: Redis) -> Iterator[Store]:
    opened = open_store(f"{redis_server.url}?prefix=wrong", clock=time.time, bucket_seconds=60.0)
    yield opened
    opened.shut()


def case(number: int) -> Case:
    return Case(
        id=f"case-{number}",
        use_case="chat",
        kind=CaseKind.PAIR,
        call_id=f"call-{number}",
        reasons=("toxicity",),
        opened_at=1000.0 + number,
        body="{}",
        attribute="gender",
        priority=float(number),
    )


def job(key: str, lane: str = "http") -> Job:
    return Job(key=key, lane=lane, use_case="chat", call_id=key, payload="{}", offered_at=1.0)


READ: dict[str, Callable[[Redis, str], object]] = {
    "hash": Redis.hgetall,
    "list": lambda redis, key: redis.lrange(key, 0, -1),
    "set": Redis.smembers,
    "stream": lambda redis, key: redis.xrange(key),
    "string": Redis.get,
    "zset": lambda redis, key: redis.zrange(key, 0, -1, withscores=True),
}


def written(redis: Redis) -> dict[str, object]:
    """All that the store keeps."""
    return {key: READ[redis.type(key)](redis, key) for key in redis.keys(f"{ROOT}:*")}


# One wrong case


def of_another_type(redis: Redis) -> None:
    redis.delete(f"{ROOT}:case:{WRONG}")
    redis.set(f"{ROOT}:case:{WRONG}", "of somebody else")


def with_field(name: str, value: str | bytes) -> Callable[[Redis], object]:
    return lambda redis: redis.hset(f"{ROOT}:case:{WRONG}", name, value)


def without(name: str) -> Callable[[Redis], object]:
    return lambda redis: redis.hdel(f"{ROOT}:case:{WRONG}", name)


DAMAGES = {
    "another type": of_another_type,
    "no state": with_field("state", "zz"),
    "no kind": with_field("kind", ""),
    "broken reasons": with_field("reasons", "["),
    "reasons that are a text": with_field("reasons", '"toxicity"'),
    "groups that are numbers": with_field("groups", "[1, 2]"),
    "broken standing": with_field("standing", "zz"),
    "standing that is a number": with_field("standing", "7"),
    "standing without votes": with_field("standing", "{}"),
    "votes that are none": with_field("standing", '{"votes": [7]}'),
    "a time that is a text": with_field("standing", '{"votes": [], "closed_at": "zz"}'),
    "more than is known": with_field("standing", '{"votes": [], "more": 1}'),
    "lists in lists": with_field("reasons", "[" * 100_000),
    "no version": with_field("version", "zz"),
    "lost version": without("version"),
    "lost reasons": without("reasons"),
    "lost holder": without("holder"),
    "broken voters": with_field("voters", "zz"),
    "lost body": without("body"),
    "lost age": without("age"),
    "bytes that are no text": with_field("reasons", b"\xff\xfe"),
    "broken indexes": with_field("indexes", "zz"),
    "indexes of numbers": with_field("indexes", "[1]"),
}
NOT_LISTED = DAMAGES.keys() - {"lost holder", "broken voters"}
"""What only scripts look at is in no list that a person sees."""


@pytest.fixture(params=DAMAGES)
def damage(request: pytest.FixtureRequest, store: Store, redis: Redis) -> str:
    batch = Batch(cases=tuple(case(number) for number in range(1, 6)))
    assert store.accept(batch, Position(spool=SPOOL, end=1))
    DAMAGES[request.param](redis)
    return str(request.param)


FILTERS = {
    "all": CaseFilter(),
    "of a state": CaseFilter(state=CaseState.OPEN),
    "mixed": CaseFilter(state=CaseState.OPEN, attribute="gender", reason="toxicity"),
    "not voted by": CaseFilter(not_voted_by="ann"),
}


def test_a_wrong_case_keeps_no_other_from_a_list(
    store: Store, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    others = {f"case-{number}" for number in range(1, 6)} - {WRONG}
    for where in FILTERS.values():
        for _ in range(2):
            listed = [one.case.id for one in store.query(where)]
            assert {*listed} - {WRONG} == others
        assert store.count(where, most=9) >= len(others)
    if damage in NOT_LISTED:
        assert WRONG not in listed
        assert store.left_out == 1, "however often it is read"
        assert caplog.text.count(f"the key {ROOT}:case:{WRONG} holds") == 1


def test_pages_of_a_list_go_on_behind_a_wrong_case(store: Store, damage: str) -> None:
    listed, after = [], ""
    while found := store.query(CaseFilter(), after=after, limit=1):
        after = found[-1].case.id
        listed.append(after)
    assert [one for one in listed if one != WRONG] == ["case-1", "case-3", "case-4", "case-5"]


def test_reviewers_get_the_cases_behind_a_wrong_one(store: Store, damage: str) -> None:
    taken = []
    while found := store.take(CaseFilter(), reviewer="ann", seconds=600):
        vote = Vote(case_id=found.case.id, reviewer="ann", verdict="biased", at_seconds=1.0)
        assert store.vote(vote)
        taken.append(found.case.id)
    assert [one for one in taken if one != WRONG] == ["case-5", "case-4", "case-3", "case-1"]


def test_a_wrong_case_that_is_asked_for_is_named(store: Store, damage: str) -> None:
    if damage not in NOT_LISTED:
        return
    named = rf"the key {ROOT}:case:{WRONG} .*store\.url"
    with pytest.raises(StoreError, match=named):
        store.case(WRONG)
    with pytest.raises(StoreError, match=named):
        store.close(WRONG, by="ada", verdict="biased")
    assert [one.event for one in store.audit(case_id=WRONG)] == ["opened"]


def test_what_is_counted_and_erased_is_so_for_the_other_cases(
    store: Store, redis: Redis, damage: str
) -> None:
    redis.delete(f"{ROOT}:case:case-1")
    assert store.oldest_open_at() in {1002.0, 1003.0}
    assert store.case_counts()
    for number in range(1, 6):
        store.erase(f"call-{number}", by="ada")
    assert store.query(CaseFilter()) == []
    kept = redis.exists(f"{ROOT}:case:{WRONG}")
    assert kept == (damage == "another type"), "texts of ours go, what is not ours stays"


@pytest.mark.parametrize("key", [f"audit:{WRONG}", f"cases:holder={REVIEWER}"])
def test_another_key_of_a_case_is_found_before_anything_is_written(
    store: Store, redis: Redis, key: str
) -> None:
    store.open(case(1))
    store.open(case(2))
    redis.delete(f"{ROOT}:{key}")
    redis.set(f"{ROOT}:{key}", "of somebody else")
    before = written(redis)
    for _ in range(2):
        with pytest.raises(StoreError, match=rf"the key {ROOT}:{key} holds a string.*store\.url"):
            store.hold(WRONG, reviewer=REVIEWER, seconds=60)
    assert written(redis) == before


def test_the_queue_goes_on_behind_a_case_that_cannot_be_changed(store: Store, redis: Redis) -> None:
    store.open(case(1))
    store.open(case(2))
    redis.delete(f"{ROOT}:audit:{WRONG}")
    redis.set(f"{ROOT}:audit:{WRONG}", "of somebody else")
    taken = store.take(CaseFilter(), reviewer=REVIEWER, seconds=60)
    assert taken
    assert taken.case.id == "case-1"
    assert store.left_out == 1


# What all records share

BATCH = Batch(
    jobs=(job("j3"), job("j4", lane="grpc")),
    postings=(Posting(use_case="chat", at_seconds=0.0, sums={"n": 1.0}),),
    cases=(case(3), case(4)),
)
NO_NUMBERS = ["zz", "", "-1", "007", "1.5", "9223372036854775807", "99999999999999999999999"]


@pytest.fixture
def filled(store: Store) -> Store:
    batch = Batch(jobs=(job("j1"), job("j2")), cases=(case(1), case(2)))
    assert store.accept(batch, Position(spool=SPOOL, end=1))
    return store


@pytest.mark.parametrize("kept", NO_NUMBERS)
@pytest.mark.parametrize("counter", ["entry", "audit", "full"])
def test_a_counter_that_is_no_number_changes_nothing_at_all(
    filled: Store, redis: Redis, counter: str, kept: str
) -> None:
    before = redis.hget(f"{ROOT}:counters", counter) or "0"
    redis.hset(f"{ROOT}:counters", counter, kept)
    as_it_was = written(redis)
    for _ in range(2):
        with pytest.raises(StoreError, match=rf"{ROOT}:counters holds no number.* at {counter}"):
            filled.accept(BATCH, Position(spool=SPOOL, end=9))
    assert written(redis) == as_it_was
    redis.hset(f"{ROOT}:counters", counter, before)
    assert filled.accept(BATCH, Position(spool=SPOOL, end=9))
    assert filled.total("chat", range(1)) == {"n": 1.0}
    assert filled.job_counts().ready == 4
    assert len(filled.query(CaseFilter())) == 4


def test_the_end_of_a_job_changes_nothing_at_all_either(filled: Store, redis: Redis) -> None:
    one, two = filled.lease(["http"], worker="w", limit=2, seconds=600)
    redis.hset(f"{ROOT}:counters", mapping={"entry": "zz", "audit": "zz"})
    as_it_was = written(redis)
    for write in (
        lambda: filled.finish(one, cases=[case(3)], jobs=[job("j3")]),
        lambda: filled.dead_letter(two, error="400"),
        lambda: filled.offer(job("j4")),
        lambda: filled.open(case(4)),
        lambda: filled.note(actor="ada", event="looked"),
        lambda: filled.hold("case-1", reviewer="ann", seconds=60),
        lambda: filled.erase("call-1", by="ada"),
    ):
        with pytest.raises(StoreError, match="holds no number"):
            write()
    assert written(redis) == as_it_was
    redis.hdel(f"{ROOT}:counters", "entry", "audit")
    assert filled.finish(one, cases=[case(3)], jobs=[job("j3")])
    assert filled.dead_letter(two, error="400")
    redis.hset(f"{ROOT}:counters", "entry", "zz")
    with pytest.raises(StoreError, match="holds no number"):
        filled.requeue(two.job.key)
    redis.hdel(f"{ROOT}:counters", "entry")
    assert filled.requeue(two.job.key)
    assert filled.job_counts().ready == 2


def test_counts_are_shown_though_one_is_no_number(filled: Store, redis: Redis) -> None:
    redis.hset(f"{ROOT}:counters", "full", "zz")
    assert (filled.job_counts().ready, filled.job_counts().full) == (2, 0)


LAST = "18446744073709551615-1"


def test_a_stream_that_is_at_its_end_is_found_before_anything_is_written(
    filled: Store, redis: Redis
) -> None:
    redis.xadd(f"{ROOT}:audit", {"of": "somebody else"}, id=LAST)
    as_it_was = written(redis)
    with pytest.raises(StoreError, match=rf"{ROOT}:audit holds an entry whose number"):
        filled.accept(BATCH, Position(spool=SPOOL, end=9))
    assert written(redis) == as_it_was


def test_a_lane_that_is_at_its_end_holds_up_no_other(filled: Store, redis: Redis) -> None:
    redis.xadd(f"{ROOT}:lane:grpc", {"of": "somebody else"}, id=LAST)
    assert filled.accept(BATCH, Position(spool=SPOOL, end=9))
    assert filled.left_out == 1
    assert filled.job_counts().ready == 3
    assert len(filled.query(CaseFilter())) == 4


@pytest.mark.parametrize("value", ["words", "", "nan", "inf"])
def test_sums_that_are_none_are_left_out_alone(
    filled: Store, redis: Redis, value: str, caplog: pytest.LogCaptureFixture
) -> None:
    for use_case, at in (("chat", 0.0), ("chat", 60.0), ("mail", 0.0)):
        sums = {"n": 1.0, "sum": 2.0}
        evidence = {"e": sums, "f": sums}
        filled.add([Posting(use_case=use_case, at_seconds=at, sums=sums, evidence=evidence)])
    redis.hset(f"{ROOT}:bucket:0:chat", "n", value)
    redis.hset(f"{ROOT}:epoch:4:chat:e", "n", value)
    for _ in range(2):
        assert filled.total("chat", range(2)) == {"n": 1.0, "sum": 2.0}
        assert list(filled.series("chat", range(2))) == [1]
        assert filled.evidence("chat", ["e", "f"]) == {"e": {}, "f": {"n": 2.0, "sum": 4.0}}
    assert filled.total("mail", range(2)) == {"n": 1.0, "sum": 2.0}
    assert filled.unreadable == 2
    assert f"the key {ROOT}:bucket:0:chat holds no sums" in caplog.text


@pytest.mark.parametrize("name", ["bucket:0:chat", "buckets:chat"])
def test_sums_of_another_type_are_left_out_alone(filled: Store, redis: Redis, name: str) -> None:
    assert filled.accept(BATCH, Position(spool=SPOOL, end=9))
    filled.add([Posting(use_case="mail", at_seconds=0.0, sums={"n": 1.0})])
    redis.delete(f"{ROOT}:{name}")
    redis.set(f"{ROOT}:{name}", "of somebody else")
    assert filled.total("chat", range(1)) == {}
    assert filled.total("mail", range(1)) == {"n": 1.0}
    assert filled.unreadable == 1


def test_a_job_without_a_call_ends_with_all_that_comes_with_it(filled: Store, redis: Redis) -> None:
    [one] = filled.lease(["http"], worker="w", limit=1, seconds=600)
    redis.hdel(f"{ROOT}:job:{one.job.key}", "call_id")
    assert filled.finish(one, postings=BATCH.postings, cases=[case(3)])
    assert filled.total("chat", range(1)) == {"n": 1.0}
    assert filled.job_counts().ready == 1
    assert len(filled.query(CaseFilter())) == 3
