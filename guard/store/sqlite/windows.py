"""Sums in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from guard.records import Posting
from guard.store.checks import check_postings
from guard.store.named import NamedRecords, Place
from guard.store.options import Options
from guard.store.sqlite.shared import Shared

NAME_USE_CASE = "INSERT OR IGNORE INTO use_cases (name) VALUES (?)"
NAME_KEY = "INSERT OR IGNORE INTO keys (name) VALUES (?)"
ADD_SUM = """
INSERT INTO sums (use_case, bucket, key, value)
VALUES ((SELECT id FROM use_cases WHERE name = ?), ?, (SELECT id FROM keys WHERE name = ?), ?)
ON CONFLICT DO UPDATE SET value = value + excluded.value
"""
ADD_EVIDENCE = """
INSERT INTO evidence (use_case, epoch, key, value)
VALUES ((SELECT id FROM use_cases WHERE name = ?), ?, (SELECT id FROM keys WHERE name = ?), ?)
ON CONFLICT DO UPDATE SET value = value + excluded.value
"""
TOTAL = """
SELECT keys.name, sum(value) FROM sums JOIN keys ON keys.id = sums.key
WHERE use_case = (SELECT id FROM use_cases WHERE name = ?) AND bucket >= ? AND bucket < ?
GROUP BY sums.key
"""
SERIES = """
SELECT bucket, keys.name, value FROM sums JOIN keys ON keys.id = sums.key
WHERE use_case = (SELECT id FROM use_cases WHERE name = ?) AND bucket >= ? AND bucket < ?
ORDER BY bucket
"""
EVIDENCE = """
SELECT keys.name, value FROM evidence JOIN keys ON keys.id = evidence.key
WHERE use_case = (SELECT id FROM use_cases WHERE name = ?) AND epoch = ?
"""
USE_CASES = """
SELECT name FROM use_cases
WHERE EXISTS (SELECT 1 FROM sums WHERE sums.use_case = use_cases.id)
   OR EXISTS (SELECT 1 FROM evidence WHERE evidence.use_case = use_cases.id)
ORDER BY name
"""
OLD_BUCKETS = """
SELECT count(*) FROM (
    SELECT DISTINCT use_case, bucket FROM sums
    WHERE use_case IN (SELECT id FROM use_cases) AND bucket < ?
)
"""
EXPIRE = "DELETE FROM sums WHERE use_case IN (SELECT id FROM use_cases) AND bucket < ?"

Row = tuple[str, int | str, str, float]


class SqliteWindows(Shared, NamedRecords):
    """See `ports.Windows`."""

    @property
    def bucket_seconds(self) -> float:
        """See `ports.Windows`."""
        return self._options.bucket_seconds

    def add(self, postings: Sequence[Posting]) -> None:
        """See `ports.Windows`."""
        check_postings(postings)
        with self._writing() as db:
            post(db, postings, self._options)

    def total(self, use_case: str, buckets: range) -> Mapping[str, float]:
        """See `ports.Windows`."""
        with self._reading() as db:
            return dict(db.execute(TOTAL, (use_case, buckets.start, buckets.stop)))

    def series(self, use_case: str, buckets: range) -> Mapping[int, Mapping[str, float]]:
        """See `ports.Windows`."""
        with self._reading() as db:
            rows = db.execute(SERIES, (use_case, buckets.start, buckets.stop)).fetchall()
        return {
            bucket: {key: value for _, key, value in group}
            for bucket, group in groupby(rows, key=itemgetter(0))
        }

    def evidence(self, use_case: str, epochs: Collection[str]) -> Mapping[str, Mapping[str, float]]:
        """See `ports.Windows`."""
        with self._reading() as db:
            return {epoch: dict(db.execute(EVIDENCE, (use_case, epoch))) for epoch in epochs}

    def use_cases(self) -> Sequence[str]:
        """See `ports.Windows`."""
        with self._reading() as db:
            return [name for [name] in db.execute(USE_CASES)]

    def expire(self, *, before_bucket: int) -> int:
        """See `ports.Windows`."""
        with self._writing() as db:
            [buckets] = db.execute(OLD_BUCKETS, (before_bucket,)).fetchone()
            db.execute(EXPIRE, (before_bucket,))
            return int(buckets)

    def swap(self, name: str, *, expected: str | None, new: str) -> bool:
        """As `_swap`, for facts."""
        return self._swap(Place.FACTS, name, expected, new)

    def _texts(self, place: Place) -> Mapping[str, str]:
        with self._reading() as db:
            return dict(db.execute(f"SELECT name, value FROM {place}"))  # noqa: S608 - three tables

    def _text(self, place: Place, name: str) -> str | None:
        with self._reading() as db:
            found = db.execute(f"SELECT value FROM {place} WHERE name = ?", (name,))  # noqa: S608
            row = found.fetchone()
        return row and str(row[0])

    def _swap(self, place: Place, name: str, expected: str | None, new: str | None) -> bool:
        if expected is None:
            statement = f"INSERT OR IGNORE INTO {place} (value, name) VALUES (?, ?)"  # noqa: S608
            values = [new, name]
        elif new is None:
            statement = f"DELETE FROM {place} WHERE name = ? AND value = ?"  # noqa: S608
            values = [name, expected]
        else:
            statement = f"UPDATE {place} SET value = ? WHERE name = ? AND value = ?"  # noqa: S608
            values = [new, name, expected]
        with self._writing() as db:
            return bool(db.execute(statement, values).rowcount)


def post(db: sqlite3.Connection, postings: Sequence[Posting], options: Options) -> None:
    """Add sums inside the transaction that is open."""
    sums = list(_sums(postings, options))
    evidence = list(_evidence(postings))
    named = [*sums, *evidence]
    db.executemany(NAME_USE_CASE, [(name,) for name in sorted({row[0] for row in named})])
    db.executemany(NAME_KEY, [(name,) for name in sorted({row[2] for row in named})])
    db.executemany(ADD_SUM, sums)
    db.executemany(ADD_EVIDENCE, evidence)


def _sums(postings: Sequence[Posting], options: Options) -> Iterator[Row]:
    for posting in postings:
        bucket = options.bucket(posting.at_seconds)
        for key, value in posting.sums.items():
            yield posting.use_case, bucket, key, value


def _evidence(postings: Sequence[Posting]) -> Iterator[Row]:
    for posting in postings:
        for epoch, sums in posting.evidence.items():
            for key, value in sums.items():
                yield posting.use_case, epoch, key, value
