"""Cases in Redis. What may be done to one is decided in `casework`; here it is read and written.

A change is written only if the case is still the version that was read, and otherwise begins anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from guard.errors import StoreError
from guard.records import Audit, Case, CaseFilter, CaseRecord, CaseState, QueuePlace
from guard.store import casework
from guard.store.casework import CaseChange, CaseTransitions
from guard.store.common import LONGEST_WAIT_SECONDS, MOST_ATTEMPTS, StoreOptions, check_case
from guard.store.redis.encoding import (
    Fields,
    age,
    case_fields,
    filter_fields,
    indexes_for,
    only_index_for,
    queue_of,
    read_audit,
    read_case_record,
    standing_fields,
)
from guard.store.redis.server import OTHER_TYPE, RedisBase, RedisClient

Rule = Callable[[CaseRecord, float], CaseChange | None]

STEPS = 2000
"""Cases looked at in one script."""
TRIED = 16
"""Free cases looked for at once: others may take the first ones meanwhile."""


MOST_WRONG = 1000
"""Cases that cannot be read, and are counted and named one by one."""


class WrongCaseError(StoreError):
    """A key of a case holds something else. what: which one, and what it holds."""

    def __init__(self, message: str, what: str) -> None:
        super().__init__(message)
        self.what = what


class RedisCases(RedisBase, CaseTransitions):
    def __init__(self, server: RedisClient, options: StoreOptions) -> None:
        super().__init__(server, options)
        self._wrong: set[str] = set()

    def open(self, case: Case) -> bool:
        check_case(case)
        return self._is_done(self._run("open", case=case_fields(case)))

    def case(self, case_id: str) -> CaseRecord | None:
        return self._read_one(case_id, self._server.read_hashes([_name(case_id)])[0])

    def query(self, where: CaseFilter, *, after: str = "", limit: int = 50) -> Sequence[CaseRecord]:
        found: list[CaseRecord] = []
        start = self._server.ask("HGET", _name(after), "age") if after else ""
        if start is None:
            return found
        for ids in self._ids(where, after=start + after, limit=limit):
            found += (one for one in self._read(ids) if casework.matches(one, where))
            if len(found) >= limit:
                break
        return found[: max(limit, 0)]

    def count(self, where: CaseFilter, *, most: int) -> int:
        index = only_index_for(where)
        if index is not None:
            start, end = _bounds(where, "")
            cases = int(self._server.ask("ZLEXCOUNT", f"cases:{index}", start, end))
            return min(cases, max(most, 0))
        found = 0
        for ids in self._ids(where, limit=most):
            found += len(ids)
            if found >= most:
                break
        return min(found, max(most, 0))

    def take(
        self,
        where: CaseFilter,
        *,
        reviewer: str,
        seconds: float,
        behind: QueuePlace | None = None,
    ) -> CaseRecord | None:
        wanted = casework.takeable(where)
        if wanted is None:
            return None

        def rule(record: CaseRecord, now: float) -> CaseChange | None:
            fits = casework.may_take(record, wanted, reviewer)
            fits = fits and casework.is_behind(record.case, behind)
            return casework.hold(record, reviewer, now, seconds) if fits else None

        without_mine = replace(wanted, not_voted_by=reviewer)  # `rule` looks for both
        queued = chain.from_iterable(self._queued(without_mine, behind))
        ids = chain(self._held(without_mine, reviewer), queued)
        return next(filter(None, (self._change_if_whole(one, rule) for one in ids)), None)

    def case_counts(self) -> Mapping[tuple[str, CaseState], int]:
        rows = self._run("case_counts", states=list(CaseState))
        return {(use_case, CaseState(state)): count for use_case, state, count in rows}

    def oldest_open_at(self) -> float | None:
        oldest = self._run("oldest", states=[CaseState.OPEN, CaseState.DISPUTED], steps=STEPS)
        return float(oldest) if oldest else None

    def audit(self, *, case_id: str = "", after: int = 0, limit: int = 1000) -> Sequence[Audit]:
        if limit < 1:
            return []
        entries = self._run("trail", case_id=case_id, after=max(after, 0), limit=limit)
        return [read_audit(entry) for entry in entries]

    def note(self, *, actor: str, event: str, case_id: str = "", detail: str = "") -> None:
        (actor + event + case_id + detail).encode()
        self._run("note", actor=actor, event=event, case_id=case_id, detail=detail)

    def erase(self, call_id: str, *, by: str) -> int:
        return int(self._run_on_jobs("erase", call_id=call_id, by=by)) if call_id else 0

    def _ids(
        self,
        where: CaseFilter,
        *,
        limit: int,
        after: str = "",
        holder: str | None = None,
        free: bool = False,
        unranked: bool = False,
    ) -> Iterator[list[str]]:
        """Ids of fitting cases, in order of age, up to `limit` at a time."""
        start, end = _bounds(where, after)
        while start and limit > 0:
            start, *ids = self._run(
                "select",
                indexes=indexes_for(where, holder),
                where=filter_fields(where),
                start=start,
                end=end,
                holder=holder,
                free=free,
                unranked=unranked,
                limit=limit,
                steps=STEPS,
                longest_wait=LONGEST_WAIT_SECONDS,
            )
            yield ids

    def _held(self, where: CaseFilter, reviewer: str) -> Iterator[str]:
        """Ids of what somebody holds, in the order of the queue: those are few."""
        ids = chain.from_iterable(self._ids(where, holder=reviewer, limit=TRIED))
        held = (one.case for one in self._read(list(ids)))
        yield from (case.id for case in sorted(held, key=lambda case: (case.place.order, case.id)))

    def _queued(self, where: CaseFilter, behind: QueuePlace | None) -> Iterator[list[str]]:
        """Ids of free fitting cases in the order of the queue: few have a priority, and those that
        have none follow in order of age."""
        if behind is None or behind.priority:
            yield from self._ranked(where, behind)
        elif where.opened_after is None or where.opened_after < behind.opened_at:
            where = replace(where, opened_after=behind.opened_at)
        yield from self._ids(where, free=True, unranked=True, limit=TRIED)

    def _ranked(self, where: CaseFilter, behind: QueuePlace | None) -> Iterator[list[str]]:
        start = 0
        while start >= 0:
            start, *ids = self._run(
                "queue",
                index=queue_of(where.state),
                where=filter_fields(where),
                behind=behind and {"priority": behind.priority, "age": age(behind.opened_at)},
                start=start,
                free=True,
                steps=STEPS,
                longest_wait=LONGEST_WAIT_SECONDS,
            )
            yield ids

    def _read(self, ids: Sequence[str]) -> list[CaseRecord]:
        """Those that there are; one that cannot be read holds up no other."""
        rows = self._server.read_hashes(_name(case_id) for case_id in ids)
        read = (self._read_if_whole(one, row) for one, row in zip(ids, rows, strict=True))
        return [record for record in read if record is not None]

    def _read_if_whole(self, case_id: str, fields: Fields | None) -> CaseRecord | None:
        try:
            return self._read_one(case_id, fields)
        except WrongCaseError as error:
            self._leave_out_once(case_id, error)
            return None

    def _read_one(self, case_id: str, fields: Fields | None) -> CaseRecord | None:
        """None where there is none. Raises WrongCaseError."""
        key = f"the key {self._server.key(_name(case_id))}"
        if fields is None:
            raise self._wrong_case(f"{key} {OTHER_TYPE}")
        if not fields:
            return None
        try:
            record = read_case_record(fields)
        except ValueError as error:
            raise self._wrong_case(f"{key} holds no case: {error}") from error
        return casework.without_expired_hold(record, self._options.clock())

    def _wrong_case(self, what: str) -> WrongCaseError:
        return WrongCaseError(self._server.describe_wrong(what), what)

    def _leave_out_once(self, case_id: str, error: WrongCaseError) -> None:
        """Lists are read again and again."""
        if case_id not in self._wrong and len(self._wrong) < MOST_WRONG:
            self._wrong.add(case_id)
            self._leave_out(error.what)

    def _change_if_whole(self, case_id: str, rule: Rule) -> CaseRecord | None:
        try:
            return self._change(case_id, rule)
        except WrongCaseError as error:
            self._leave_out_once(case_id, error)
            return None

    def _change(self, case_id: str, rule: Rule) -> CaseRecord | None:
        for _ in range(MOST_ATTEMPTS):
            fields = self._server.read_hashes([_name(case_id)])[0]
            record = self._read_one(case_id, fields)
            change = rule(record, self._options.clock()) if record else None
            if change is None or fields is None:
                return None
            after = standing_fields(change.record)
            after |= {"actor": change.actor, "entries": change.entries}
            answer = self._run("change", id=case_id, version=int(fields["version"]), **after)
            if isinstance(answer, str):
                raise self._wrong_case(answer)
            if answer:
                return change.record
        raise StoreError(f"case {case_id}: others change it all the time; try again (store.url)")


def _name(case_id: str) -> str:
    return f"case:{case_id}"


def _bounds(where: CaseFilter, after: str) -> tuple[str, str]:
    """From where to where in an index, as ZRANGE BYLEX takes it."""
    starts = ["-"]
    if after:
        starts.append(f"({after}")
    if where.opened_after is not None:
        starts.append(f"[{int(age(where.opened_after), 16) + 1:016x}")
    end = "+" if where.opened_before is None else f"({age(where.opened_before)}"
    return max(starts, key=lambda start: start[1:]), end
